import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startSandbox, type Sandbox } from '../../sandbox/sandbox.ts';
import { PATIENT_MS, expectSound } from '../support/checked-sandbox.ts';
import { personIn, readable } from '../support/person.ts';

describe('the live card', () => {
  let sandbox: Sandbox;
  beforeEach(async () => {
    sandbox = await startSandbox({ paceMs: 0, pageWaitMs: PATIENT_MS });
  });
  afterEach(async () => {
    await sandbox.close();
    expectSound(sandbox);
  });

  /** Alex presses Watch and opens the link: the session, and its card. */
  async function watch(visitorId: string, name: string) {
    const alex = personIn(sandbox);
    const opened = await alex.watch(await alex.type(`/cobrowse watch ${visitorId}`));
    const { id } = await sandbox.service.openWatchLink(opened.headers.get('location') ?? '');
    return { alex, id, card: await alex.message(({ text }) => text.includes(`${name}’s screen · `)) };
  }

  it('stops the session from the card', async () => {
    const { alex, card } = await watch('jane4821', 'Jane Cooper');
    const answer = await alex.stop(() => alex.press(card, /^Stop/), 'It was the wrong customer.');
    expect(readable(answer.blocks)).toContain('was stopped by');
    const detail = await alex.message(({ text }) => text.includes('Stopped by'));
    expect(detail.thread_ts).toBe(card.ts);
    expect(detail.text).toContain('Reason: It was the wrong customer.');
  });

  it('is posted again as a whole summary if somebody deleted it, with nothing in its thread', async () => {
    const { alex, id, card } = await watch('jane4821', 'Jane Cooper');
    sandbox.slack.fail('chat.update', 'message_not_found', 1, 'Co-browsing session ended');
    await sandbox.service.endSession(id);
    const summary = await alex.message(({ text }) => text.includes('Co-browsing session ended'));
    expect(summary.ts).not.toBe(card.ts);
    expect(summary.text).toContain('Full control');
    await watch('priya55', 'Priya Natarajan');
    expect(alex.messages().filter(({ thread_ts: thread }) => thread !== undefined)).toEqual([]);
  });
});
