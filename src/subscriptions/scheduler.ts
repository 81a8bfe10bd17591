import type { Sql } from '../database/database.ts';
import { createSideBySide } from '../lifecycle/side-by-side.ts';
import { digestOf, type CountedPeriod, type Digest, type SessionCounts } from './digest-numbers.ts';
import { barsOf, latestPeriod, nextDue } from './periods.ts';
import { advanceDigest, type DueDigest, type SubscriptionRepository } from './repository.ts';

/** After this, everything that became known before a period's end is on disk. */
const WRITTEN_AFTER_MS = 5_000;
/** How many are begun per round: nearly all workspaces want theirs at nine. */
const MOST_DIGESTS = 1_000;
/** If none of those under way is done by then, it's looked again whether there's room. */
const LOOK_AGAIN_MS = 1_000;

/** Sends digests by the clock, in each workspace one after the other, and in many workspaces side by side. */
export function createScheduler({
  repository,
  count,
  nameOf,
  send,
  now,
  report,
}: {
  readonly repository: Pick<SubscriptionRepository, 'due'>;
  readonly count: (workspaceId: string, period: CountedPeriod) => Promise<SessionCounts>;
  /** A user's name in Slack. */
  readonly nameOf: (workspaceId: string, userId: string) => Promise<string | undefined>;
  /** Sends a digest on its way, in a write with `advance` as its condition, which one of several processes makes. */
  readonly send: (due: DueDigest, digest: Digest, advance: Sql) => Promise<void>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called for each failure; it is retried. */
  readonly report: (error: unknown) => void;
}) {
  const sideBySide = createSideBySide();

  async function seeTo(due: DueDigest, until: number): Promise<void> {
    const { workspaceId, schedule } = due.subscription;
    if (schedule === undefined) return;
    // Of several missed digests only the latest is sent.
    const latest = latestPeriod(schedule, until);
    const period = { ...latest, starts: barsOf(schedule, latest) };
    const counts = await count(workspaceId, period);
    const digest = await digestOf(counts, { schedule, period }, (userId) => nameOf(workspaceId, userId));
    await send(due, digest, advanceDigest(due, nextDue(schedule, latest.to)));
  }

  async function begin(stopping: AbortSignal | undefined): Promise<void> {
    const until = now() - WRITTEN_AFTER_MS;
    const due = await repository.due(until, MOST_DIGESTS, sideBySide.busy());
    for (const [workspaceId, own] of Map.groupBy(due, ({ subscription }) => subscription.workspaceId)) {
      while (sideBySide.isFull()) await sideBySide.oneIsDone(LOOK_AGAIN_MS);
      if (stopping?.aborted === true) return;
      void sideBySide.start(workspaceId, async () => {
        for (const one of own) await seeTo(one, until).catch(report);
      });
    }
  }

  return {
    /** Begins with what is due, until it's told to stop. Never rejects. */
    round: (stopping?: AbortSignal) => begin(stopping).catch(report),
    /** Resolves when what a round began is done. */
    idle: () => sideBySide.idle(),
  };
}
