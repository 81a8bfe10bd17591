import type { Digest } from '../grants/digest.ts';
import type { Subscription } from '../grants/subscription.ts';
import type { SubscriptionBook } from './book.ts';
import { digestOf } from './digest.ts';
import { latestPeriod } from './due.ts';
import type { SessionFacts } from './session-facts.ts';

/** By then what became known before a period's end is on disk. */
const WRITTEN_AFTER_MS = 5_000;

interface ClockworkParts {
  readonly book: SubscriptionBook;
  readonly facts: SessionFacts;
  /** What Slack calls a user. */
  readonly nameOf: (workspaceId: string, userId: string) => Promise<string | undefined>;
  /** Sends a digest on its way: once for each period, however often it is asked. Resolves when it is durable. */
  readonly send: (subscription: Subscription, digest: Digest) => Promise<void>;
  /** What else is done each time, one after the other. */
  readonly chores: readonly (() => Promise<void>)[];
  readonly now: () => number;
  /** Told of what failed; it is tried again. */
  readonly report: (error: unknown) => void;
  /** How often it looks, milliseconds. */
  readonly everyMs?: number;
}

/** What subscriptions need by the clock, not by an event: digests, and what could not be done before. One timer for all. */
export interface Clockwork {
  start(): void;
  /** Waits for the round under way. */
  stop(): Promise<void>;
}

export function createClockwork(parts: ClockworkParts): Clockwork {
  const { book, facts, nameOf, send, chores, now, report, everyMs = 30_000 } = parts;
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> | undefined;
  let stopped = false;

  async function seeTo(subscription: Subscription): Promise<void> {
    const { workspaceId, id, schedule, setUpAt, doneUntil = setUpAt } = subscription;
    if (schedule === undefined) return;
    const time = now();
    const period = latestPeriod(schedule, time);
    // A clock that was put back: what was done is known by its period, too.
    const since = doneUntil > time ? setUpAt : doneUntil;
    if (period.to <= since || time - period.to < WRITTEN_AFTER_MS) return;
    const found = await facts.between(workspaceId, period.from, period.to);
    const digest = await digestOf(found, { schedule, period }, (userId) => nameOf(workspaceId, userId));
    await send(subscription, digest);
    await book.change(workspaceId, id, (latest) => ({ ...latest, doneUntil: period.to }));
  }

  async function attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      report(error);
    }
  }

  async function round(): Promise<void> {
    await attempt(async () => {
      for await (const subscription of book.all()) await attempt(() => seeTo(subscription));
    });
    for (const chore of chores) await attempt(chore);
  }

  function plan(): void {
    if (stopped) return;
    timer = setTimeout(() => {
      underWay = round().finally(plan);
    }, everyMs);
  }

  return {
    start: plan,
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await underWay;
    },
  };
}
