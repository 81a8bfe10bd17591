import { describe, expect, it } from 'vitest';
import type { ShownRecord } from '../../src/admin/audit-sentences.ts';
import { daysOf, readFilter } from '../../src/admin/audit.ts';
import { message } from '../../src/messages/message.ts';
import { ALEX, buttonsIn, KIM, personIn, readable, rowsIn, SALES, SAM, SUPPORT } from '../support/person.ts';
import { problemsIn } from '../support/shown.ts';
import { ADA, auditedSandbox } from './audit-stage.ts';

const rule = (members: boolean, ...ids: string[]) => JSON.stringify({ members, ids });

describe('/cobrowse audit', () => {
  const { sandbox, ask, write, records } = auditedSandbox();

  const changed = (setting: string, from: string, to: string, outcome = 'done') =>
    write({ action: 'setting', outcome, detail: { setting, from, to } });

  it('shows an admin alone who did what, to whom, where, when and what came of it', async () => {
    await write({
      action: 'link',
      outcome: 'given',
      visitorId: 'jane4821',
      channelId: SUPPORT,
      detail: { access: 'full', link: 'd6c1ab1e-0000' },
    });
    await write({
      action: 'refusal',
      outcome: 'guest',
      userId: KIM,
      channelId: SALES,
      detail: { act: 'watch' },
    });
    const answer = await ask();
    expect(answer).toMatchObject({ ephemeral: true, channel: SUPPORT });
    const { text } = answer;
    expect(text).toContain('2 records, newest first');
    expect(text).toMatch(/UTC> · in <#C0SALES0002>, <@U0KIM000003> tried to watch \(guest\)/);
    expect(text).toMatch(
      /UTC> · in <#C0SUPPORT01>, <@U0SAM000002> asked to see jane4821’s screen \(full control\)/,
    );
    expect(text.indexOf(KIM)).toBeLessThan(text.indexOf(SAM));
    expect(readable(answer.blocks)).toContain('asked to see jane4821’s screen');
    expect(text).not.toContain('d6c1ab1e');
  });

  it('shows settings in the words of the Home tab', async () => {
    const six = Array.from({ length: 6 }, (_, index) => `U0PERSON00${index}`);
    await changed('may-watch', rule(true), rule(false, SAM, 'S0LEADS0001', SALES));
    await changed('may-stop', rule(false), rule(true, ...six), 'asked');
    await changed('maxAccess', '"full"', '"view"');
    await changed('channelAccess', '{}', JSON.stringify({ [SALES]: 'point' }));
    await changed('of another version', '1', '2');
    const { text } = await ask('setting');
    expect(text).toContain(
      `changed Who can watch from members to admins, <@${SAM}>, S0LEADS0001, <#${SALES}>`,
    );
    expect(text).toContain('asked to change Who can stop sessions from admins to members, <@U0PERSON000>');
    expect(text).toContain('<@U0PERSON004> and 1 other');
    expect(text).toContain('changed Maximum access from full control to view only');
    expect(text).toContain(`changed Channel overrides from none to <#${SALES}> point and scroll`);
    expect(text).toContain('changed a setting');
  });

  it('is itself written down, without what was typed', async () => {
    await ask('visitor jane4821');
    const [newest] = await records();
    expect(newest).toMatchObject({ userId: ADA, channelId: SUPPORT, action: 'audit', outcome: 'done' });
    expect(newest?.detail).toEqual({ query: expect.stringMatching(/^[\w-]{22}$/), found: 1 });
  });

  it('is for admins: others are told so, and that is written down', async () => {
    const { text, blocks } = await personIn(sandbox(), SAM).type('/cobrowse audit');
    expect(text).toContain('Only admins can see the audit log.');
    expect(buttonsIn(blocks)).toEqual([]);
    const [newest] = await records();
    expect(newest).toMatchObject({
      userId: SAM,
      action: 'refusal',
      outcome: 'not-admin',
      detail: { act: 'audit' },
    });
  });

  it('answers with what can be asked where the filter is not understood', async () => {
    const { text } = await ask('since yesteryear');
    expect(text).toContain('I didn’t understand “since yesteryear”.');
    expect(text).toContain('/cobrowse audit refusal last 7 days');
    expect(text).toContain('Filter by: searches, links, proxy, refusals, stops, outcomes, notes, deletions');
    expect((await ask('x'.repeat(501))).text).toContain('limited to 500 characters');
  });

  it('says so where nothing fits, and what it understood', async () => {
    const { text } = await ask('stops visitor nobody1 by4 @kim #sales');
    expect(text).toContain(
      `Nothing is on record: stop of visitor nobody1 or by4 by <@${KIM}> in <#${SALES}>.`,
    );
  });
});

describe('the table of the audit', () => {
  const { ada, ask, write } = auditedSandbox();

  it('has a hundred records, and More has the next ones, in the same message', async () => {
    for (let number = 120; number > 0; number -= 1) await write({ visitorId: `v${number}` }, number * 1_000);
    const first = await ask();
    const [heads = [], newest = [], ...others] = rowsIn(first.blocks);
    expect(others).toHaveLength(99);
    expect(heads).toEqual(['Time (Europe/Amsterdam)', 'Person', 'What', 'Channel']);
    expect(newest).toEqual([
      expect.stringMatching(/^2026-03-04 1\d:\d\d:\d\d$/),
      `<@${SAM}>`,
      'looked up v1',
      '–',
    ]);
    expect(first.text).toMatch(/^100 of 120 records, newest first\n- .* looked up v1\n/);
    const second = await ada().pressToReplace(first, /^More: older/);
    expect(second.text).toMatch(/^101 to 120 of 120 records/);
    expect(rowsIn(second.blocks).at(-1)?.[2]).toBe('looked up v120');
  });
});

describe('the audit in words', () => {
  const { sandbox, ask, write } = auditedSandbox();

  it('fits a message where Slack refuses the table, however long the ids and outcomes are', async () => {
    sandbox().slack.fail('response_url', 'invalid_blocks');
    sandbox().slack.fail('chat.postEphemeral', 'invalid_blocks');
    for (let number = 0; number < 21; number += 1) {
      const outcome = `<!channel> & ${'o'.repeat(200)}`;
      await write({ visitorId: 'v'.repeat(300), outcome, channelId: 'no channel', userId: '<@U1>' });
    }
    const { text, blocks } = await ask();
    expect(rowsIn(blocks)).toEqual([]);
    expect(text).toContain('20 of 21 records, newest first');
    expect(text).toContain('&lt;!channel&gt; &amp; o');
    expect(text).toContain('&lt;@U1&gt;');
    expect(sandbox().slack.calls.at(-1)?.error).toBeUndefined();
  });
});

const record = (at: string, more: object = {}): ShownRecord => ({
  at,
  workspaceId: 'T1',
  userId: 'U0SAM000002',
  action: 'stop',
  outcome: 'done',
  visitorId: 'jane4821',
  ...more,
});

it('says each day once, by the clock of the reader, and what was done in bold', () => {
  const records = [
    record('2026-03-02T00:30:00.000Z'),
    record('2026-03-01T23:30:00.000Z', { channelId: SUPPORT, action: 'refusal', outcome: 'not-admin' }),
    record('2026-03-01T22:30:00.000Z'),
  ];
  /** The days, and the times of the records between them. */
  const listIn = (zone: string | undefined) => {
    const { text, blocks } = message(...daysOf(records, zone));
    expect(problemsIn({ surface: 'message', payload: { text, blocks } })).toEqual([]);
    expect(JSON.stringify(blocks)).toContain('{"type":"text","text":"stopped","style":{"bold":true}}');
    expect(text).toContain(`in <#${SUPPORT}>, <@${SAM}> tried to do something (not an admin)`);
    const [time, day] = [/ ([\d:]+) UTC> · /, /\|([\d-]+)/];
    return text.split('\n').map((line) => (time.exec(line) ?? day.exec(line))?.[1]);
  };
  const [dayBefore, dayAfter] = ['2026-03-01', '2026-03-02'];
  for (const zone of ['UTC', undefined])
    expect(listIn(zone)).toEqual([dayAfter, '00:30', dayBefore, '23:30', '22:30']);
  expect(listIn('Europe/Amsterdam')).toEqual([dayAfter, '00:30', '23:30', dayBefore, '22:30']);
});

const nothing = {
  userIds: [],
  channelIds: [],
  visitorIds: [],
  words: [],
  since: undefined,
  until: undefined,
};
const read = (typed: string) => readFilter(typed, Date.UTC(2026, 10, 8, 15, 30), 'UTC');

describe('the filter of the audit', () => {
  it.each([
    ['', {}],
    ['<@U0SAM000002|sam> <@W0KIM000003>', { userIds: ['U0SAM000002', 'W0KIM000003'] }],
    ['<#C0SUPPORT01> <#G0PRIVATE01|>', { channelIds: ['C0SUPPORT01', 'G0PRIVATE01'] }],
    ['Refusals, stops', { words: ['refusal', 'stop'] }],
    ['searches deletion proxy', { words: ['search', 'delete', 'proxy-link'] }],
    ['visitor: Xq9Z link', { visitorIds: ['Xq9Z'], words: ['link'] }],
    ['jane4821', { visitorIds: ['jane4821'] }],
    ['“stop”', { words: ['stop'] }],
    [
      'links by4821 <@U0SAM000002> <#C0SUPPORT01|support> Last 2 days',
      {
        words: ['link'],
        visitorIds: ['by4821'],
        userIds: ['U0SAM000002'],
        channelIds: ['C0SUPPORT01'],
        since: new Date(Date.UTC(2026, 10, 6, 15, 30)),
      },
    ],
  ])('reads %j', (typed, expected) => {
    expect(read(typed)).toMatchObject({ filter: { ...nothing, ...expected }, rest: '' });
  });

  it.each([
    ['link Jane Cooper today', 'Jane Cooper'],
    ['jane@acme.com', 'jane@acme.com'],
    ['last many days', 'last many days'],
  ])('leaves what may name a customer: %j', (typed, rest) => {
    expect(read(typed)).toMatchObject({ rest });
  });

  it.each([
    ['2026-11-01', 'I didn’t understand “2026-11-01”.'],
    ['&lt;!channel&gt;', 'I didn’t understand “<!channel>”.'],
    ['@nobody', 'I didn’t understand “@nobody”.'],
  ])('does not guess at %j', (typed, complaint) => {
    expect(read(typed)).toBe(complaint);
  });
});

describe('Get the file', () => {
  const { sandbox, ada, ask, write, records, sentFile } = auditedSandbox();
  const press = async (filter = '') => ada().pressFor(await ask(filter), /^Get the same as JSON lines/);

  it('sends what was asked for to the admin’s direct messages, a record a line', async () => {
    for (let number = 0; number < 23; number += 1) await write({ action: 'stop', visitorId: `v${number}` });
    await write({ action: 'link' });
    const { text } = await press('stops');
    expect(text).toBe('I sent you the file with 23 records as a direct message.');
    expect(sentFile().map(({ visitorId }) => visitorId)).toEqual(
      Array.from({ length: 23 }, (_, index) => `v${22 - index}`),
    );
    const told = await ada().message(({ files }) => files.length > 0);
    expect(told.files).toMatchObject([{ name: expect.stringMatching(/^audit-log-[\d-]{10}\.jsonl$/) }]);
    const toAda = sandbox().slack.calls.findLast(({ method }) => method === 'conversations.open');
    expect(toAda?.args).toEqual({ users: ADA });
    const [newest] = await records();
    const detail = { found: 23, file: true };
    expect(newest).toMatchObject({ userId: ADA, action: 'audit', outcome: 'sent', detail });
    for (const other of [ALEX, SAM])
      expect(
        personIn(sandbox(), other)
          .messages()
          .flatMap(({ files }) => files),
      ).toEqual([]);
  });

  it('is a table for a spreadsheet, unless JSON lines are asked for, and comes at once where its form is typed', async () => {
    const all = 'I sent you the file with 23 records as a direct message.';
    expect((await ada().pressFor(await ask('stops'), /^Get the file/)).text).toBe(all);
    const upload = sandbox().slack.calls.findLast(({ method }) => method === 'upload');
    const content = new Map(Object.entries(upload?.args ?? {})).get('text');
    expect(content).toContain('"U0SAM000002","stopped v22’s session","stop","done","","v22",""');
    await ada().message(({ files }) => files.some(({ name }) => name.endsWith('.csv')));
    for (const typed of ['stops csv', 'as a file stops last 7 days', 'stops jsonl'])
      expect((await ask(typed)).text).toBe(all);
    expect(sentFile()).toHaveLength(23);
  });

  it.each([
    [
      'files.getUploadURLExternal',
      'missing_scope',
      'missing the scope files:write. An admin has to install the app again',
    ],
    ['files.getUploadURLExternal', 'restricted_action', 'Check your direct messages'],
    ['files.completeUploadExternal', { retryAfter: 30 }, 'Slack didn’t take the file: ratelimited.'],
    ['files.completeUploadExternal', 'lose-answer', 'Check your direct messages'],
    ['conversations.open', 'user_disabled', 'Slack didn’t take the file: user_disabled.'],
    ['conversations.open', { status: 502 }, 'Slack didn’t take the file: http_502.'],
    ['upload', { status: 500 }, 'Slack didn’t take the file: http_500.'],
    ['upload', 'lose-answer', 'Slack didn’t take the file: no_answer.'],
  ] as const)('says what to do where %s fails with %j', async (method, how, words) => {
    const page = await ask('stops');
    sandbox().slack.fail(method, how);
    const { text } = await ada().pressFor(page, /^Get the file/);
    expect(text).toContain(words);
    const [newest] = await records();
    expect(newest).toMatchObject({ action: 'audit', outcome: 'not-sent' });
  });

  it('is for who is an admin at the press: the right may be lost since the page was shown', async () => {
    const page = await ask('stops');
    sandbox().slack.changePerson(ADA, { admin: false });
    const { text } = await ada().pressFor(page, /^Get the file/);
    sandbox().slack.changePerson(ADA, { admin: true });
    expect(text).toContain('Only admins can see the audit log.');
    const [newest] = await records();
    expect(newest).toMatchObject({ userId: ADA, action: 'refusal', outcome: 'not-admin' });
  });
});
