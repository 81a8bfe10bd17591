import { CobrowseError } from '../cobrowse/errors.ts';
import type { Database } from '../database/database.ts';
import { repeat } from '../lifecycle/repeating.ts';
import { moveChannel, movedChannels } from '../outbox/channels.ts';
import type { App } from '../parts.ts';
import type { Charts } from './charts.ts';
import { createDigestCommand } from './digest.ts';
import { createDigestKind, digestStatements } from './digest-deliveries.ts';
import { countSessions } from './digest-numbers.ts';
import { createSubscriptionForms } from './form.ts';
import { createSubscriptionsCommand } from './list.ts';
import { createManaging } from './managing.ts';
import { createOwnerKind, createTellOwed, ownerStatements } from './owner-deliveries.ts';
import { createPauses, type Resume } from './pauses.ts';
import { createRenamedChannels, createRetrySet } from './renamed-channels.ts';
import { createSubscriptionRepository } from './repository.ts';
import { createScheduler } from './scheduler.ts';
import { createSetUp } from './set-up.ts';
import { createSubscribeCommand } from './subscribe.ts';
import { createMatches, createSubscribers, mayMatch } from './subscribers.ts';
import { createUnsubscribe } from './unsubscribe.ts';

type Report = (error: unknown) => void;

interface Own {
  readonly charts: Pick<Charts, 'pictureOfDigest'>;
  readonly reports: {
    /** Called for a subscription that can't be read. */
    readonly unreadable: Report;
    /** Called if a channel's new id couldn't be saved yet. */
    readonly notMoved: Report;
    /** Called for what is tried again by the calendar. */
    readonly schedule: Report;
  };
}

/** Summaries by subscription: who gets which, what becomes of their channels, and digests. */
export function createSubscriptions(app: App, { charts, reports }: Own) {
  const { outbox, everyMs, now } = app;
  const background = app.database.inBackground();
  const repositoryIn = (database: Database) =>
    createSubscriptionRepository(database, reports.unreadable, (due) =>
      ownerStatements(due, { newId: outbox.newId, time: now() }),
    );
  /** For sessions, digests, and what happens to channels. */
  const unattended = repositoryIn(background);
  const pauses = createPauses(app, unattended);
  const matches = createMatches({
    ...app,
    async tagsOf(workspaceId, visitorId) {
      const cobrowse = await app.cobrowseOf(workspaceId);
      const visitor = await cobrowse.visitor(visitorId).catch((error: unknown) => {
        if (error instanceof CobrowseError && error.kind === 'not-found') return undefined;
        throw error;
      });
      return visitor?.tags ?? [];
    },
  });
  const subscribers = createSubscribers(app, unattended, matches, pauses);
  outbox.register(createDigestKind(subscribers, charts.pictureOfDigest));
  outbox.register(createOwnerKind(background, unattended));

  const moves = createRenamedChannels(app, unattended);
  const movesToRetry = createRetrySet(reports.notMoved);
  let isMoveUnfinished = true;
  /** The channel's row keeps where it went, so what an earlier process couldn't finish goes on after a start. */
  async function finishMoves(): Promise<void> {
    if (!isMoveUnfinished) return;
    for (const { workspaceId, channelId, movedTo } of await movedChannels(background))
      await moves.moved(workspaceId, channelId, movedTo);
    isMoveUnfinished = false;
  }
  const moved = (workspaceId: string, from: string, to: string): Promise<void> =>
    movesToRetry.take(async () => {
      // First: from here on, looking up the channel gives the new id.
      await background.write(...moveChannel(workspaceId, from, to, now()));
      await moves.moved(workspaceId, from, to);
      outbox.wakeAll();
    });

  const digests = createScheduler({
    repository: unattended,
    count: (workspaceId, period) => countSessions(background, workspaceId, period),
    nameOf: async (workspaceId, userId) => (await app.colleagueOf(workspaceId, userId))?.name,
    async send(due, digest, advance) {
      const statements = digestStatements(due, digest, { id: outbox.newId(), time: now() });
      await background.writeIf(advance, ...statements);
      outbox.wake();
    },
    now,
    report: reports.schedule,
  });
  const tellOwed = createTellOwed({ ...app, database: background }, unattended);
  async function retry(): Promise<void> {
    for (const one of [finishMoves, movesToRetry.again, pauses.askAgain, tellOwed])
      await one().catch(reports.schedule);
  }
  const rounds = [repeat(digests.round, everyMs), repeat(retry, everyMs, everyMs / 2)];

  return {
    subscribers,
    /** Which sessions somebody wants. */
    filters: { mayMatch, matches },
    /** In the order of help. */
    commands: commandsOf(app, repositoryIn(app.database)),
    /** For Slack's events about channels. */
    channels: { changed: pauses.changed, moved },
    start(): void {
      for (const one of rounds) one.start();
    },
    /** Waits for digests and retries under way. */
    async stop(): Promise<void> {
      await Promise.all(rounds.map((one) => one.stop()));
      await digests.idle();
    },
  };
}

function commandsOf(app: App, repository: ReturnType<typeof createSubscriptionRepository>) {
  const managing = createManaging(app);
  const pauses = createPauses(app, repository);
  const resume: Resume = ({ workspaceId, id }, entryOf) => pauses.worked(workspaceId, [id], entryOf);
  const setUp = createSetUp(app, repository, managing, resume);
  const unsubscribe = createUnsubscribe(repository, managing);
  return [
    createSubscribeCommand(setUp, createSubscriptionForms(app, setUp)),
    unsubscribe.command,
    createSubscriptionsCommand(app, repository, managing, resume),
    createDigestCommand(setUp, unsubscribe),
  ];
}
