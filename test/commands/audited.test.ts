import { describe, expect, it } from 'vitest';
import { ALEX, KIM, SAM, SUPPORT, personIn, readable } from '../support/person.ts';
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
    ['find jane@acme.com', { outcome: 'done', visitorId: 'jane4821', detail: { found: 1 } }],
    ['find jane', { outcome: 'done', detail: { found: 2 } }],
    ['find nobody-of-this-name', { outcome: 'done', detail: { found: 0 } }],
    ['visitor jane4821', { outcome: 'done', visitorId: 'jane4821', detail: { found: 1 } }],
    ['visitor nobody', { outcome: 'done', detail: { found: 0 } }],
    ['jane@acme.com', { outcome: 'done', visitorId: 'jane4821', detail: { found: 1 } }],
    ['watch jane4821', { outcome: 'done', visitorId: 'jane4821', detail: { found: 1 } }],
    ['stop jane', { outcome: 'done', detail: { found: 2 } }],
  ])('has /cobrowse %s, with a hash in the place of the words', async (typed, expected) => {
    const written = await writtenBy(() => alex().type(`/cobrowse ${typed}`));
    expect(written).toMatchObject([{ userId: ALEX, channelId: SUPPORT, action: 'search', ...expected }]);
    expect(written[0]?.detail?.['query']).toMatch(/^[\w-]{22}$/);
    const typedWords = typed.split(' ').slice(1).join(' ') || typed;
    expect(JSON.stringify(written[0]?.detail)).not.toContain(typedWords);
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

  it('has a look-up where it was asked for, not where the summary is to go', async () => {
    const written = await writtenBy(() =>
      startAs(sandbox(), ALEX, { visitor: 'jane4821', channel: SUPPORT }),
    );
    const lookUp = written.at(-1);
    expect(lookUp).toMatchObject({ action: 'search', visitorId: 'jane4821' });
    expect(lookUp?.channelId).toBeUndefined();
  });

  it.each(['given', 'no-longer'])('has the link where it was asked for, too: %s', async (outcome) => {
    const offer = await startAs(sandbox(), KIM, { visitor: 'priya55', channel: SUPPORT });
    sandbox().slack.changePerson(KIM, { guest: outcome !== 'given' });
    const written = await writtenBy(() => personIn(sandbox(), KIM).watch(offer));
    sandbox().slack.changePerson(KIM, { guest: false });
    const [first] = written;
    expect(first).toMatchObject({ userId: KIM, action: outcome === 'given' ? 'link' : 'refusal' });
    expect(first?.channelId).toBeUndefined();
  });

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
    await slack.globalShortcut({ as: KIM, callback_id: 'start_cobrowsing' });
    const form = await personIn(sandbox(), KIM).modal((view) => view.submit !== undefined);
    const suggest = (value: string) =>
      slack.suggest({
        as: KIM,
        source: { type: 'view', view_id: form.id },
        block_id: 'visitor',
        action_id: 'visitor_search',
        value,
      });
    expect(await writtenBy(() => suggest('sof'))).toMatchObject([
      { userId: KIM, action: 'search', outcome: 'done', visitorId: 'Xq9Z', detail: { found: 1 } },
    ]);
    const refusal = { userId: KIM, action: 'refusal', detail: { act: 'watch' } };
    slack.changePerson(KIM, { guest: true });
    const refused = await writtenBy(async () => [await suggest('j'), await suggest('ja')]);
    slack.changePerson(KIM, { guest: false });
    expect(refused).toMatchObject([
      { ...refusal, outcome: 'guest' },
      { ...refusal, outcome: 'guest' },
    ]);
    slack.fail('users.info', 'internal_error', 5);
    const unchecked = await writtenBy(() => suggest('jane'));
    slack.fail('users.info', 'internal_error', 0);
    expect(unchecked).toMatchObject([{ ...refusal, outcome: 'unchecked' }]);
  });

  it('has what a message shortcut finds', async () => {
    const written = await writtenBy(async () => {
      await alex().shortcut(alex().existing(/stuck at checkout/), 'find_visitor', ({ blocks }) =>
        readable(blocks).includes('Jane Cooper'),
      );
    });
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
    const failed = await writtenBy(async () => {
      sandbox().service.misbehave({ fail: { with: 403 } });
      await stop('');
    });
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
