import { describe, expect, it } from 'vitest';
import { ALEX, KIM, SALES, SAM, SUPPORT, buttonsIn, personIn, readable } from '../support/person.ts';
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
