import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PATIENT_MS } from '../support/checked-sandbox.ts';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import { engines, storeFor } from '../support/engines.ts';
import { ALEX, SUPPORT, personIn, readable } from '../support/person.ts';

describe.each(engines)('the main job, without a browser, in $engine', (engine) => {
  const storeUrl = storeFor(engine);
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startSandbox({ paceMs: 0, heldMs: PATIENT_MS, storeUrl: storeUrl() });
  });
  afterAll(() => sandbox.close());

  it('goes from find over Watch to the summary in the channel', async () => {
    const alex = personIn(sandbox);
    const list = await alex.type('/cobrowse find jane@acme.com');
    expect(list.ephemeral).toBe(true);
    expect(readable(list.blocks)).toContain('Jane Cooper');
    expect(readable(list.blocks)).not.toContain('secret');

    const redirect = await alex.watch(list, /^Watch the screen of Jane Cooper/);
    expect(redirect.status).toBe(302);
    expect(redirect.headers.get('cache-control')).toBe('no-store');
    expect(redirect.headers.get('referrer-policy')).toBe('no-referrer');

    const link = redirect.headers.get('location') ?? '';
    const session = await sandbox.service.openWatchLink(link);
    await sandbox.service.endSession(session.id);
    const summary = await alex.message(({ text }) => text.includes('Co-browsing session ended'));
    expect(summary).toMatchObject({ channel: SUPPORT, ephemeral: false });
    expect(summary.text).toContain('Visitor: Jane Cooper');
    expect(summary.text).toContain('Agent: Alex Rivera');
    expect(JSON.stringify(sandbox.slack.calls)).not.toContain(link);
  });

  it('goes from a message shortcut over a modal to a summary in the thread', async () => {
    const alex = personIn(sandbox);
    const question = alex.existing(/stuck at checkout/);
    const results = await alex.shortcut(question, 'find_visitor', ({ blocks }) =>
      readable(blocks).includes('Jane Cooper'),
    );
    expect(results.title).toBe('Find visitor');
    const redirect = await alex.watch(results);
    const session = await sandbox.service.openWatchLink(redirect.headers.get('location') ?? '');
    await sandbox.service.endSession(session.id);
    const summary = await alex.message(
      ({ text, thread_ts }) => text.includes('Co-browsing session ended') && thread_ts === question.ts,
    );
    expect(summary.channel).toBe(SUPPORT);
  });

  it('asks before it stops a session, stops it, and says who did', async () => {
    const alex = personIn(sandbox);
    const offer = await alex.type('/cobrowse watch jane4821');
    const redirect = await alex.watch(offer);
    await sandbox.service.openWatchLink(redirect.headers.get('location') ?? '');
    const question = await alex.type('/cobrowse stop jane4821');
    expect(readable(question.blocks)).toContain('is in a session');
    const answer = await alex.stop(() => alex.press(question, /^Stop/));
    expect(readable(answer.blocks)).toBe(`The session with Jane Cooper was stopped by <@${ALEX}>.`);
    const summary = await alex.message(({ text }) => text.includes('Stopped by'));
    expect(summary.text).toContain(`Stopped by: <@${ALEX}>`);
  });
});
