import { afterEach, describe, expect, it } from 'vitest';
import type { ShownRecord } from '../../src/admin/audit-sentences.ts';
import { auditPage } from '../../src/admin/audit.ts';
import { atHome } from '../home/at-home.ts';
import { ALEX, buttonsIn, KIM, personIn, readable, SALES, SAM, SUPPORT } from '../support/person.ts';
import { problemsIn } from '../support/shown.ts';
import { ADA, auditedSandbox } from './audit-stage.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

const numbers = (text: string) => Array.from(text.matchAll(/ up v(\d+)/g), ([, id]) => Number(id));

const rule = (members: boolean, ...ids: string[]) => JSON.stringify({ members, ids });

describe('/cobrowse audit', () => {
  const { sandbox, ask, write, records, letAnswersAge } = auditedSandbox();

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
    expect(text).toContain('Audit log, newest first, 1 to 2');
    expect(text).toMatch(/UTC> · in <#C0SALES0002>, <@U0KIM000003> tried to watch \(a guest\)/);
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
    const { text } = await ask('yesterday');
    expect(text).toContain('I didn’t understand “yesterday”.');
    expect(text).toContain('/cobrowse audit refusal last 7 days');
    expect(text).toContain('Filter by: searches, links, proxy, refusals, stops, outcomes, notes, deletions');
    expect((await ask('x'.repeat(501))).text).toContain('limited to 500 characters');
  });

  it('answers however a filter is spaced: it travels in the buttons', async () => {
    const { text, blocks } = await ask(`refusal${'\v'.repeat(400)}link`);
    expect(text).toContain('Audit log, newest first');
    expect(buttonsIn(blocks)).not.toEqual([]);
  });

  it('says so where nothing fits, and what it understood', async () => {
    const { text } = await ask('stops visitor nobody1 by4 @kim #sales');
    expect(text).toContain(
      `Nothing is on record: stop of visitor nobody1 or by4 by <@${KIM}> in <#${SALES}>.`,
    );
  });

  it('fails in words where Slack does not say who is an admin', async () => {
    letAnswersAge();
    sandbox().slack.fail('users.info', 'internal_error', 5);
    const { text } = await ask();
    sandbox().slack.fail('users.info', 'internal_error', 0);
    expect(text).toContain('Try again');
    expect(text).not.toContain('Audit log');
  });
});

describe('the filters of /cobrowse audit', () => {
  const { ask, write } = auditedSandbox();
  const shown = async (filter: string) =>
    Array.from((await ask(filter)).text.matchAll(/[ \u2019](v\d)\b/g), ([, id]) => id).filter(
      (id, index, ids) => index === 0 || ids[index - 1] !== id,
    );

  it('narrow down to people, channels, actions, visitors and time', async () => {
    await write({ visitorId: 'v1', userId: ALEX, channelId: SALES }, 9 * DAY_MS);
    await write({ visitorId: 'v2', userId: ALEX, channelId: SUPPORT, action: 'link' }, 3 * DAY_MS);
    await write({ visitorId: 'v3', userId: SAM, channelId: SUPPORT, action: 'stop' }, 2 * DAY_MS);
    await write({ visitorId: 'v4', userId: SAM, channelId: SALES, action: 'link' }, DAY_MS / 2);
    expect(await shown('@alex')).toEqual(['v2', 'v1']);
    expect(await shown('#sales')).toEqual(['v4', 'v1']);
    expect(await shown('links')).toEqual(['v4', 'v2']);
    expect(await shown('link stop')).toEqual(['v4', 'v3', 'v2']);
    expect(await shown('last 7 days')).toEqual(['v4', 'v3', 'v2']);
    expect(await shown('last day')).toEqual(['v4']);
    expect(await shown('@alex link last 7 days')).toEqual(['v2']);
    expect(
      await shown(`since ${new Date(Date.now() - 4 * DAY_MS).toISOString().slice(0, 10)} @alex`),
    ).toEqual(['v2']);
  });
});

describe('More in the audit', () => {
  const { sandbox, ada, ask, write } = auditedSandbox();

  it('goes on twenty by twenty in the same message, unmoved by what is written meanwhile', async () => {
    for (let number = 45; number > 0; number -= 1) await write({ visitorId: `v${number}` }, number * 1_000);
    const first = await ask();
    await write({ visitorId: 'v99' });
    const second = await ada().pressToReplace(first, /^More: older/);
    const third = await ada().pressToReplace(second, /^More: older/);
    expect(second.text).toContain('21 to 40');
    expect(third.text).toContain('41 to 45');
    expect([first, second, third].flatMap(({ text }) => numbers(text))).toEqual(
      Array.from({ length: 45 }, (_, index) => index + 1),
    );
    expect(buttonsIn(third.blocks).map(({ text }) => text.text)).toEqual(['Get the file', 'As JSON lines']);
  });

  it('fits a message however long the ids and outcomes are', async () => {
    for (let number = 0; number < 20; number += 1) {
      const outcome = `<!channel> & ${'o'.repeat(200)}`;
      await write({ visitorId: 'v'.repeat(300), outcome, channelId: 'no channel', userId: '<@U1>' });
    }
    const { text } = await ask();
    expect(text).toContain('&lt;!channel&gt; &amp; o');
    expect(text).toContain('&lt;@U1&gt;');
    expect(sandbox().slack.calls.at(-1)?.error).toBeUndefined();
  });
});

const GIL = 'U0GUEST0004';
describe('the audit of the Home tab', () => {
  const { sandbox, records, letAnswersAge } = auditedSandbox();

  /** What is written down while something is done, oldest first. */
  async function writtenBy(action: () => Promise<unknown>) {
    const { length: before } = await records();
    await action();
    const all = await records();
    return all.slice(0, all.length - before).toReversed();
  }

  afterEach(() => sandbox().slack.fail('users.info', 'internal_error', 0));

  it('has who was shown usage and the customers online, once for what is shown again, as if they had typed it', async () => {
    const kim = atHome(sandbox(), KIM);
    const home: string[] = [];
    const shown = await writtenBy(async () => {
      home.push(readable(await kim.open()), readable(await kim.refresh()));
    });
    for (const text of home) expect(text).toContain('Jane Cooper');
    const count = expect.any(Number);
    expect(shown.toSorted((a, b) => a.action.localeCompare(b.action))).toMatchObject([
      { userId: KIM, action: 'search', outcome: 'done', detail: { found: count } },
      { userId: KIM, action: 'usage', outcome: 'done' },
    ]);
    const [typed] = await writtenBy(() => personIn(sandbox(), KIM, SALES).type('/cobrowse find online'));
    const search = shown.find(({ action }) => action === 'search');
    expect(search?.detail?.['query']).toBe(typed?.detail?.['query']);
  });

  it('has who was refused', async () => {
    const written = await writtenBy(() => atHome(sandbox(), GIL).open());
    expect(written).toMatchObject([
      { userId: GIL, action: 'refusal', outcome: 'guest', detail: { act: 'watch' } },
    ]);
  });

  it('has who wanted the settings while Slack could not be asked who is an admin', async () => {
    const ada = atHome(sandbox(), ADA);
    await ada.open();
    const written = await writtenBy(async () => {
      letAnswersAge();
      sandbox().slack.fail('users.info', 'internal_error', 5);
      await ada.pressFor(/^Settings/, /couldn’t check your permission/);
    });
    expect(written).toMatchObject([
      { userId: ADA, action: 'refusal', outcome: 'unchecked', detail: { act: 'settings' } },
    ]);
  });
});

const page = {
  filter: { userIds: ['U0SAM000002'], channelIds: [], visitorIds: [], actions: ['delete'], since: undefined },
  offset: 0,
  records: [],
  more: '{}',
  searchedTo: new Date('2026-03-01T12:00:00Z'),
  file: '{}',
  zone: undefined,
} as const;

it('says how far back a search of the audit got that found nothing so far, and goes on from there', () => {
  const { text, blocks } = auditPage(page);
  expect(text).toContain('Audit log, newest first: deletion by <@U0SAM000002>');
  expect(text).toMatch(/2026-03-01 12:00 UTC>: searched back to here\. Press More to search further back\./);
  expect(buttonsIn(blocks).map((button) => button.text.text)).toEqual([
    'More',
    'Get the file',
    'As JSON lines',
  ]);
  expect(problemsIn({ surface: 'message', payload: { text, blocks } })).toEqual([]);
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

/** A line of the list. */
const at = (when: string, what: string) => expect.stringMatching(`^- <!date.*\\|${when} UTC> · .*${what}`);

it('says each day once, by the clock of the reader, and what was done in bold', () => {
  const records = [
    record('2026-03-02T00:30:00.000Z'),
    record('2026-03-01T23:30:00.000Z', { channelId: 'C0SUPPORT01', action: 'refusal', outcome: 'not-admin' }),
    record('2026-03-01T22:30:00.000Z'),
  ];
  const daysIn = (zone: string | undefined) => {
    const { text, blocks } = auditPage({ ...page, records, zone });
    expect(problemsIn({ surface: 'message', payload: { text, blocks } })).toEqual([]);
    return text.split('\n').slice(1, -1);
  };
  const stopped = 'stopped jane4821’s session$';
  const [dayBefore, dayAfter] = [/short_pretty}\|2026-03-01/, /short_pretty}\|2026-03-02/].map((day) =>
    expect.stringMatching(day),
  );
  const [last, middle, first] = [
    at('2026-03-02 00:30', stopped),
    at('2026-03-01 23:30', 'in <#C0SUPPORT01>, <@U0SAM000002> tried to do something \\(not an admin\\)$'),
    at('2026-03-01 22:30', stopped),
  ];
  for (const zone of ['UTC', undefined, 'Nowhere/Land'])
    expect(daysIn(zone)).toEqual([dayAfter, last, dayBefore, middle, first]);
  expect(daysIn('Europe/Amsterdam')).toEqual([dayAfter, last, middle, dayBefore, first]);
  const { blocks } = auditPage({ ...page, records, zone: 'UTC' });
  expect(JSON.stringify(blocks)).toContain('{"type":"text","text":"stopped","style":{"bold":true}}');
});
