import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { PATIENT_MS } from '../support/checked-sandbox.ts';
import { startSandbox } from '../../sandbox/sandbox.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { SALES, SUPPORT, anotherLink, personIn, readable } from '../support/person.ts';

describe('the live card', () => {
  let sandbox: Sandbox;

  beforeEach(async () => {
    sandbox = await startSandbox({ paceMs: 0, pageWaitMs: PATIENT_MS });
  });
  afterEach(() => sandbox.close());

  /** Presses Watch as the browser does and gives the link. */
  async function watch(channelId: string = SUPPORT): Promise<string> {
    const alex = personIn(sandbox, undefined, channelId);
    const offer = await alex.type('/cobrowse watch jane4821');
    const answer = await anotherLink(await alex.watch(offer, /^Watch the screen/));
    return answer.headers.get('location') ?? '';
  }

  const cards = () =>
    sandbox.slack.calls.filter(
      ({ method, args }) => method === 'chat.postMessage' && JSON.stringify(args).includes('’s screen · '),
    );

  it('says in the channel whose screen was opened, then becomes the summary, with the rest in its thread', async () => {
    const alex = personIn(sandbox);
    const link = await watch();
    const card = await alex.message(({ text }) => text.includes('’s screen · '));
    expect(card).toMatchObject({ channel: SUPPORT, ephemeral: false });
    expect(card.text).toContain('Alex Rivera asked to see Jane Cooper’s screen');
    expect(card.text).toContain('Full control.');
    const session = await sandbox.service.openWatchLink(link);
    await sandbox.service.endSession(session.id);
    const summary = await alex.message(({ text }) => text.includes('Co-browsing session ended'));
    expect(summary.ts).toBe(card.ts);
    expect(summary.edited).toBe(true);
    const detail = await alex.message(({ thread_ts: thread }) => thread === card.ts);
    expect(detail.text).toContain('Access: Full control');
    expect(alex.messages().filter(({ text }) => text.includes('’s screen · '))).toEqual([]);
  });

  it('stops the session from the card', async () => {
    const alex = personIn(sandbox);
    await sandbox.service.openWatchLink(await watch());
    const card = await alex.message(({ text }) => text.includes('’s screen · '));
    const answer = await alex.stop(() => alex.press(card, /^Stop/), 'It was the wrong customer.');
    expect(readable(answer.blocks)).toContain('was stopped by');
    const detail = await alex.message(({ text }) => text.includes('Stopped by'));
    expect(detail.thread_ts).toBe(card.ts);
    expect(detail.text).toContain('Reason: It was the wrong customer.');
  });

  it('is one card for presses within a short time, and a new one for a second session', async () => {
    const alex = personIn(sandbox);
    await watch();
    await alex.message(({ text }) => text.includes('’s screen · '));
    const second = await sandbox.service.openWatchLink(await watch());
    await sandbox.service.endSession(second.id);
    await alex.message(({ text }) => text.includes('Co-browsing session ended'));
    expect(cards()).toHaveLength(1);
    await watch();
    await alex.message(({ text }) => text.includes('’s screen · '));
    expect(cards()).toHaveLength(2);
  });

  it('is posted again as a summary if somebody deleted the card', async () => {
    const alex = personIn(sandbox);
    const link = await watch();
    const card = await alex.message(({ text }) => text.includes('’s screen · '));
    sandbox.slack.fail('chat.update', 'message_not_found');
    const session = await sandbox.service.openWatchLink(link);
    await sandbox.service.endSession(session.id);
    const summary = await alex.message(({ text }) => text.includes('Co-browsing session ended'));
    expect(summary.ts).not.toBe(card.ts);
    expect(summary.text).toContain('Access: Full control');
  });

  it('is missing if the app isn’t in the channel; the summary then comes as a direct message', async () => {
    const alex = personIn(sandbox, undefined, SALES);
    const session = await sandbox.service.openWatchLink(await watch(SALES));
    await sandbox.service.endSession(session.id);
    const notice = await alex.message(({ text }) => text.includes('couldn’t post this summary'));
    expect(notice.text).toContain('/invite @Co-browse');
  });
});
