import { describe, expect, it } from 'vitest';
import { openStart, shows, suggestIn } from '../slack/forms.ts';
import { ALEX, KIM, SAM, SUPPORT, personIn } from '../support/person.ts';
import { ADA, auditedSandbox } from '../admin/audit-stage.ts';
import { startAs } from '../watch/opening.ts';

describe('the audit of what is asked', () => {
  const { sandbox, records } = auditedSandbox({ service: { proxyEnabled: true } });
  const alex = () => personIn(sandbox());

  /** What is written down while something is done, oldest first. */
  async function writtenBy(action: () => Promise<unknown>) {
    const { length: before } = await records();
    await action();
    const all = await records();
    return all.slice(0, all.length - before).toReversed();
  }

  it.each([
    ['find jane@acme.com', 1, 'jane4821'],
    ['find jane', 2],
    ['find nobody-of-this-name', 0],
    ['visitor jane4821', 1, 'jane4821'],
    ['visitor nobody', 0],
    ['jane@acme.com', 1, 'jane4821'],
    ['watch jane4821', 1, 'jane4821'],
    ['stop jane', 2],
  ])('has /cobrowse %s, with a hash in the place of the words', async (typed, found, visitorId?: string) => {
    const [record, ...others] = await writtenBy(() => alex().type(`/cobrowse ${typed}`));
    expect(record).toMatchObject({ userId: ALEX, channelId: SUPPORT, action: 'search', outcome: 'done' });
    expect([record?.visitorId, others]).toEqual([visitorId, []]);
    expect(record?.detail).toEqual({ query: expect.stringMatching(/^[\w-]{22}$/), found });
  });

  it.each([
    ['agent alex@acme.com', { outcome: 'done', detail: { agent: 'alex@acme.com' } }],
    // Sam is looked up by email, and then as who presses Watch here.
    [`agent <@${SAM}>`, { outcome: 'not-found' }],
    ['agent external:nobody', { outcome: 'not-found' }],
  ])('has /cobrowse %s once, as the look-up of an agent', async (typed, expected) => {
    const written = await writtenBy(() => alex().type(`/cobrowse ${typed}`));
    expect(written).toMatchObject([{ userId: ALEX, channelId: SUPPORT, action: 'agent', ...expected }]);
  });

  it.each(['link', 'refusal'])(
    'has a %s where it was asked for, as its look-up, not where the summary goes',
    async (action) => {
      const written = await writtenBy(async () => {
        const offer = await startAs(sandbox(), KIM, { visitor: 'priya55', channel: SUPPORT });
        sandbox().slack.changePerson(KIM, { guest: action === 'refusal' });
        await personIn(sandbox(), KIM).watch(offer);
        sandbox().slack.changePerson(KIM, { guest: false });
      });
      expect(written).toContainEqual(expect.objectContaining({ action: 'search', visitorId: 'priya55' }));
      expect(written).toContainEqual(expect.objectContaining({ userId: KIM, action }));
      expect(written.filter(({ channelId }) => channelId !== undefined)).toEqual([]);
    },
  );

  it('has the same hash for the same search, and each page of it', async () => {
    const written = await writtenBy(async () => {
      const first = await alex().type('/cobrowse find shop');
      await alex().pressToReplace(first, /^Next/);
      await alex().type('/cobrowse find SHOP');
      await alex().type('/cobrowse find shops');
    });
    const [first, more, again, other] = written.map(({ detail }) => detail?.['query']);
    expect([more, again]).toEqual([first, first]);
    expect(other).not.toBe(first);
  });

  it('has what the form of Start co-browsing suggests, and each refusal to', async () => {
    const { slack } = sandbox();
    const form = await openStart(sandbox());
    const suggest = (value: string) => suggestIn(sandbox(), form, value);
    expect(await writtenBy(() => suggest('sof'))).toMatchObject([
      { userId: ALEX, action: 'search', outcome: 'done', visitorId: 'Xq9Z', detail: { found: 1 } },
    ]);
    const refusal = { userId: ALEX, action: 'refusal', detail: { act: 'watch' } };
    slack.changePerson(ALEX, { guest: true });
    const refused = await writtenBy(async () => [await suggest('j'), await suggest('ja')]);
    slack.changePerson(ALEX, { guest: false });
    expect(refused).toMatchObject([1, 2].map(() => ({ ...refusal, outcome: 'guest' })));
    slack.fail('users.info', 'internal_error', 5);
    const unchecked = await writtenBy(() => suggest('jane'));
    slack.fail('users.info', 'internal_error', 0);
    expect(unchecked).toMatchObject([{ ...refusal, outcome: 'unchecked' }]);
  });

  it('has what a message shortcut finds', async () => {
    const message = alex().existing(/stuck at checkout/);
    const written = await writtenBy(() => alex().shortcut(message, 'find_visitor', shows('Jane Cooper')));
    expect(written).toMatchObject([{ action: 'search', visitorId: 'jane4821', channelId: SUPPORT }]);
  });

  it('has the stop of a session, done or failed, without the reason that was typed', async () => {
    const link = await alex().watch(await alex().type('/cobrowse watch jane4821'));
    await sandbox().service.openWatchLink(link.headers.get('location') ?? '');
    const question = await alex().type('/cobrowse stop jane4821');
    const stop = (reason: string) => alex().stop(() => alex().press(question, /^Stop/), reason);
    const done = await writtenBy(() => stop('a private reason'));
    const expected = { userId: ALEX, channelId: SUPPORT, action: 'stop', visitorId: 'jane4821' };
    expect(done).toMatchObject([{ ...expected, outcome: 'done' }]);
    expect(JSON.stringify(done)).not.toContain('private');
    sandbox().service.misbehave({ fail: { with: 403 } });
    const failed = await writtenBy(() => stop(''));
    sandbox().service.misbehave({});
    expect(failed).toMatchObject([{ ...expected, outcome: 'refused-key' }]);
  });

  it('has a link with its agent, and a proxy link with its host and a hash of its address', async () => {
    const watched = await writtenBy(async () => alex().watch(await alex().type('/cobrowse watch noah')));
    const given = { userId: ALEX, outcome: 'given' };
    expect(watched.at(-1)).toMatchObject({ ...given, action: 'link', detail: { agent: 'agent_alex' } });
    const address = 'https://partner.example/start?token=secret';
    const led = await writtenBy(async () =>
      alex().watch(await alex().type(`/cobrowse proxy ${address}`), /^Start/),
    );
    expect(led.at(-1)).toMatchObject({
      ...given,
      action: 'proxy-link',
      detail: { host: 'partner.example', address: expect.stringMatching(/^[\w-]{22}$/) },
    });
    expect(JSON.stringify(led)).not.toContain('secret');
    const { text } = await personIn(sandbox(), ADA).type('/cobrowse audit link proxy');
    expect(text).toContain(`in <#${SUPPORT}>, <@${ALEX}> asked to see noah’s screen (full control)`);
    expect(text).toContain(`in <#${SUPPORT}>, <@${ALEX}> got a link for a session on partner.example`);
  });
});
