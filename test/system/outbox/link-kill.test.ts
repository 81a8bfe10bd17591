import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { endedSession } from '../../sessions/ended-session.ts';
import { ALEX, personIn } from '../../support/person.ts';
import { openGatedWorld } from './gate.ts';
import { watchAsBrowser } from './real-app.ts';

const isSummary = ({ text }: { readonly text: string }) => text.includes('Co-browsing session ended');

const AskedForLink = z.object({ webhook_url: z.string() });

/** The app with a card in #support, and a gate before Slack that can hold its answers back. */
async function withCard() {
  // Slack's own three seconds can pass while the machine stands still.
  const { world, slackGate: gate } = await openGatedWorld({ slack: { ackLimitMs: 45_000 } });
  const app = await world.start();
  const alex = personIn(world);
  const offer = await alex.type('/cobrowse watch jane4821');
  const opened = await watchAsBrowser(alex, offer);
  const card = await alex.message(({ text }) => text.includes('’s screen · '));
  const session = await world.service.openWatchLink(opened.headers.get('location') ?? '');
  const detailsSeen = () => alex.messages().filter(({ thread_ts: thread }) => thread === card.ts);
  /** How many of each there are once the next app has started. */
  async function afterNextStart() {
    world.endWaits();
    await world.start();
    await world.slack.until(ALEX, () => detailsSeen().length > 0);
    const inThreads = alex.messages().filter(({ thread_ts: thread }) => thread !== undefined);
    return { summaries: alex.messages().filter(isSummary).length, details: inThreads.length };
  }
  return {
    world,
    gate,
    app,
    /** As the service does, of a session that has details. */
    end: async () => {
      const bodies = world.service.requests.map(({ body }) => AskedForLink.safeParse(body).data);
      const address = bodies.findLast((body) => body !== undefined)?.webhook_url ?? '';
      const body = JSON.stringify(endedSession(session.id));
      expect((await fetch(address, { method: 'POST', body })).status).toBe(200);
    },
    summary: () => alex.message((message) => message.ts === card.ts && isSummary(message)),
    afterNextStart,
  };
}

describe('a live card whose app is killed with SIGKILL', () => {
  it('between the change and recording it makes one summary with one detail after the next start', async () => {
    const { gate, app, end, summary, afterNextStart } = await withCard();
    // The card is changed by then, and its detail is not in the thread yet.
    gate.hold('chat.postMessage');
    await end();
    await summary();
    await app.kill();
    gate.held.splice(0);
    gate.release();
    expect(await afterNextStart()).toEqual({ summaries: 1, details: 1 });
  });

  it('during the change makes one summary with one detail after the next start', async () => {
    const { world, gate, app, end, summary, afterNextStart } = await withCard();
    gate.hold('chat.update');
    await end();
    await expect.poll(() => gate.held.length).toBe(1);
    await app.kill();
    // Slack makes the change although nobody waits for its answer any more.
    gate.release();
    await summary();
    expect(await afterNextStart()).toEqual({ summaries: 1, details: 1 });
    expect(world.slack.calls.filter(({ method }) => method === 'chat.update')).toHaveLength(2);
  });
});
