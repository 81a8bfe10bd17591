import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '../../../src/database/open.ts';
import { createWatchLinks } from '../../../src/sessions/watch-links.ts';
import { ALEX, personIn } from '../../support/person.ts';
import { openGatedWorld } from './gate.ts';
import { openRealWorld, watchAsBrowser } from './real-app.ts';

const isSummary = ({ text }: { readonly text: string }) => text.includes('Co-browsing session ended');

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

describe('a link whose app is killed with SIGKILL', () => {
  it('right after the redirect is still looked for by the next process, whatever happened to the card', async () => {
    const world = await openRealWorld({
      // Slack's own three seconds can pass while the machine stands still.
      slack: { ackLimitMs: 45_000 },
    });
    const app = await world.start();
    const alex = personIn(world);
    const offer = await alex.type('/cobrowse watch jane4821');
    expect(await watchAsBrowser(alex, offer)).toMatchObject({ status: 302 });
    await app.kill();
    const database = await openDatabase(`sqlite:${join(world.folder, 'store.db')}`);
    const open = await createWatchLinks(database, Date.now).lookedFor('T0ACME00000', ALEX);
    await database.close();
    expect(open).toMatchObject([
      {
        link: { visitorId: 'jane4821', userId: ALEX },
        agentId: 'agent_alex',
        expiresAt: expect.any(Number),
      },
    ]);
  });
});
