import { describe, expect, it } from 'vitest';
import { ALEX, personIn } from '../../support/person.ts';
import { openGate } from './gate.ts';
import { openRealWorld, watchAsBrowser } from './real-app.ts';

const isSummary = ({ text }: { readonly text: string }) => text.includes('Co-browsing session ended');

/** The app with a card in #support, and a gate before Slack that can hold its answers back. */
async function withCard() {
  const gates: Awaited<ReturnType<typeof openGate>>[] = [];
  const world = await openRealWorld({
    // Slack's own three seconds can pass while the machine stands still.
    slack: { ackLimitMs: 45_000 },
    async settings({ slack }) {
      const gate = await openGate(slack.url);
      gates.push(gate);
      return { SLACK_API_URL: `${gate.url}/api/` };
    },
  });
  const [gate] = gates;
  if (gate === undefined) throw new Error('No gate.');
  const app = await world.start();
  const alex = personIn(world);
  const offer = await alex.type('/cobrowse watch jane4821');
  const opened = await watchAsBrowser(alex, offer);
  const card = await alex.message(({ text }) => text.includes('’s screen · '));
  const session = await world.service.openWatchLink(opened.headers.get('location') ?? '');
  return { world, gate, app, alex, card, session };
}

describe('a live card whose app is killed with SIGKILL', () => {
  it('between the change and recording it makes one summary with one detail after the next start', async () => {
    const { world, gate, app, alex, card, session } = await withCard();
    // The card is changed by then, and its detail is not in the thread yet.
    gate.hold('chat.postMessage');
    await world.service.endSession(session.id);
    await alex.message((message) => message.ts === card.ts && isSummary(message));
    await app.kill();
    gate.held.splice(0);
    gate.release();
    world.endWaits();
    await world.start();
    await alex.message(({ thread_ts: thread }) => thread === card.ts);
    expect(alex.messages().filter(isSummary)).toHaveLength(1);
    expect(alex.messages().filter(({ thread_ts: thread }) => thread !== undefined)).toHaveLength(1);
  });

  it('during the change makes one summary with one detail after the next start', async () => {
    const { world, gate, app, alex, card, session } = await withCard();
    gate.hold('chat.update');
    await world.service.endSession(session.id);
    await expect.poll(() => gate.held.length).toBe(1);
    await app.kill();
    // Slack makes the change although nobody waits for its answer any more.
    gate.release();
    await alex.message((message) => message.ts === card.ts && isSummary(message));
    world.endWaits();
    await world.start();
    await world.slack.until(ALEX, ({ messages }) =>
      messages.some(({ thread_ts: thread }) => thread === card.ts),
    );
    expect(alex.messages().filter(isSummary)).toHaveLength(1);
    expect(alex.messages().filter(({ thread_ts: thread }) => thread !== undefined)).toHaveLength(1);
    const updates = world.slack.calls.filter(({ method }) => method === 'chat.update');
    expect(updates).toHaveLength(2);
  });
});
