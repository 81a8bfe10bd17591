import type { Sql } from '../database/database.ts';
import { createSideBySide } from '../lifecycle/side-by-side.ts';
import { digestOf, type CountedPeriod, type Digest, type SessionCounts } from './digest-numbers.ts';
import { barsOf, latestPeriod, nextDue } from './periods.ts';
import { advanceDigest, type DueDigest, type SubscriptionRepository } from './repository.ts';

/** After this, everything that became known before a period's end is on disk. */
const WRITTEN_AFTER_MS = 5_000;
/** How far two processes' clocks may differ. */
const CLOCKS_APART_MS = 10 * 60_000;
/** How many are begun per round: nearly all workspaces want theirs at nine. */
const MOST_DIGESTS = 1_000;
/** If none of those under way is done by then, it's looked again whether there's room. */
const LOOK_AGAIN_MS = 1_000;

export interface SchedulerParts {
  readonly repository: Pick<SubscriptionRepository, 'due' | 'early'>;
  readonly count: (workspaceId: string, period: CountedPeriod) => Promise<SessionCounts>;
  /** A user's name in Slack. */
  readonly nameOf: (workspaceId: string, userId: string) => Promise<string | undefined>;
  /**
   * Sends a digest on its way, in a write with `advance` as its condition, which one of several processes makes.
   *
   * @param due its number makes its id different from all earlier ones
   */
  readonly send: (due: DueDigest, digest: Digest, advance: Sql) => Promise<void>;
  /** Runs one statement. */
  readonly write: (statement: Sql) => Promise<unknown>;
  /** Milliseconds since 1970; believes a jump ahead only after a while. */
  readonly now: () => number;
  /** Called for each failure; it is retried. */
  readonly report: (error: unknown) => void;
}

/**
 * Sends digests by the clock, in each workspace one after the other, and in many workspaces side by side.
 */
export function createScheduler(parts: SchedulerParts) {
  const { repository, count, nameOf, send, write, now, report } = parts;
  const sideBySide = createSideBySide();

  async function seeTo(due: DueDigest, time: number): Promise<void> {
    const { workspaceId, schedule } = due.subscription;
    if (schedule === undefined) return;
    // Of several missed digests only the latest is sent.
    const latest = latestPeriod(schedule, time - WRITTEN_AFTER_MS);
    const period = { ...latest, starts: barsOf(schedule, latest) };
    const counts = await count(workspaceId, period);
    const digest = await digestOf(counts, { schedule, period }, (userId) => nameOf(workspaceId, userId));
    await send(
      due,
      digest,
      advanceDigest(due, { doneUntil: latest.to, nextAt: nextDue(schedule, latest.to) }),
    );
  }

  /** A clock that was far ahead sent this one early: it's sent again, complete, at its time. */
  async function takeBack(due: DueDigest, time: number): Promise<void> {
    const { schedule } = due.subscription;
    if (schedule === undefined) return;
    await write(advanceDigest(due, { doneUntil: undefined, nextAt: nextDue(schedule, time) }));
  }

  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      report(error);
    }
  }

  async function begin(stopping: AbortSignal | undefined): Promise<void> {
    const time = now();
    for (const early of await repository.early(time + CLOCKS_APART_MS, MOST_DIGESTS))
      await attempt(() => takeBack(early, time));
    const due = await repository.due(time - WRITTEN_AFTER_MS, MOST_DIGESTS, sideBySide.busy());
    for (const [workspaceId, own] of Map.groupBy(due, ({ subscription }) => subscription.workspaceId)) {
      while (sideBySide.isFull()) await sideBySide.oneIsDone(LOOK_AGAIN_MS);
      if (stopping?.aborted === true) return;
      void sideBySide.start(workspaceId, async () => {
        for (const one of own) await attempt(() => seeTo(one, time));
      });
    }
  }

  return {
    /** Begins with what is due, until it's told to stop. Never rejects. */
    round: (stopping?: AbortSignal) => attempt(() => begin(stopping)),
    /** Resolves when what a round began is done. */
    idle: () => sideBySide.idle(),
  };
}
