import { ifFound } from '../cobrowse/errors.ts';
import { repeat } from '../lifecycle/repeating.ts';
import type { App } from '../parts.ts';
import { createDigestCommand } from './digest.ts';
import { createDigestKind, createDigests } from './digests.ts';
import { createSubscriptionForms } from './form.ts';
import { createSubscriptionsCommand, createUnsubscribe } from './list.ts';
import { createOwnerKind, createPauses } from './pauses.ts';
import { createRenamedChannels } from './renamed-channels.ts';
import { createSubscriptionRepository } from './repository.ts';
import { createSetUp } from './set-up.ts';
import { createSubscribeCommand } from './subscribe.ts';
import { createMatches, createSubscribers } from './subscribers.ts';
import { createWaitKinds, createWaits, removeOldWaits } from './waits.ts';

/** Called for what is tried again: what the calendar makes due, a channel's new id that couldn't be saved, who waits. */
type Reports = Readonly<Record<'schedule' | 'notMoved' | 'waits', (error: unknown) => void>>;

/** Summaries by subscription: who gets which, what becomes of their channels, and digests. */
export function createSubscriptions(app: App, reports: Reports) {
  const { outbox, everyMs } = app;
  const background = { ...app, database: app.database.inBackground() };
  /** For sessions, digests, and what happens to channels. */
  const unattended = createSubscriptionRepository(background.database);
  const pauses = createPauses(app, unattended);
  const matches = createMatches(app.isInGroup, async (workspaceId, visitorId) => {
    const visitor = await (await app.cobrowseOf(workspaceId)).visitor(visitorId).catch(ifFound);
    return visitor?.tags ?? [];
  });
  const subscribers = createSubscribers(app, unattended, matches, pauses);
  outbox.register(createDigestKind(subscribers));
  outbox.register(createOwnerKind(unattended));
  const waits = createWaits(app, unattended, reports.waits);
  for (const kind of createWaitKinds(background, subscribers)) outbox.register(kind);
  const moves = createRenamedChannels(background, unattended, outbox.wakeAll, reports.notMoved);
  const digests = createDigests(background, unattended, reports.schedule);
  const rounds = [
    repeat(digests.round, everyMs),
    repeat(() => moves.again().then(pauses.askAgain).catch(reports.schedule), everyMs, everyMs / 2),
    repeat(waits.round, everyMs, everyMs / 3),
  ];

  /** For people, who wait for it. */
  const repository = createSubscriptionRepository(app.database);
  const attended = createPauses(app, repository);
  const setUp = createSetUp(app, repository, attended);
  const unsubscribe = createUnsubscribe(app, repository);
  return {
    subscribers,
    matches,
    /** In the order of help. */
    commands: [
      createSubscribeCommand(setUp, createSubscriptionForms(app, setUp)),
      unsubscribe.command,
      createSubscriptionsCommand(app, repository, attended),
      createDigestCommand(setUp, unsubscribe),
    ],
    waits,
    removals: [removeOldWaits],
    channels: {
      changed: pauses.changed,
      /** Under the old id, posts may have been refused already. */
      async moved(workspaceId: string, from: string, to: string): Promise<void> {
        await moves.moved(workspaceId, from, to);
        await pauses.changed(workspaceId, to, false);
      },
    },
    start(): void {
      for (const one of rounds) one.start();
    },
    async stop(): Promise<void> {
      await Promise.all(rounds.map((one) => one.stop()));
      await waits.idle();
    },
  };
}
