import type { Database } from '../database/database.ts';
import type { Attempt } from './attempt.ts';
import { isKnownOf, wakeWorkers, type Places } from './channels.ts';
import { createIds } from './delivery.ts';
import type { KindSent } from './kind.ts';
import { createAfterLostTurn } from './lost-turn.ts';
import { createRecordOutcome, type Telling } from './outcome.ts';
import { createTurns } from './turns.ts';
import { createWorker, type Job } from './worker.ts';

/**
 * What all at-least-once sending has in common: who has whose turn, in which order, what became of it, and the loop. There's
 * one for Slack and one for webhooks, over the same tables, each with its own room: a claim names the kinds.
 */
export function createSender({
  database,
  kinds,
  places,
  paceMs,
  attempt,
  telling,
  jobs,
  topic,
  isAlone,
  takesOver,
  now,
}: {
  readonly database: Database;
  /** Complete when it starts. */
  readonly kinds: ReadonlyMap<string, KindSent>;
  readonly places: Places;
  /** Pause between two posts in one place, milliseconds. */
  readonly paceMs: number;
  readonly attempt: Attempt;
  readonly telling: Telling;
  /** Complete when it starts. */
  readonly jobs: readonly Job[];
  /** Tells the senders of this name in all processes that something may be due. */
  readonly topic: string;
  /** Whether this is the only process that serves the database. */
  readonly isAlone: boolean;
  /** Whether it's the first to start in its process. */
  readonly takesOver: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}) {
  const isKnown = isKnownOf(kinds);
  const newId = createIds(now);
  const worker = createWorker({
    database,
    isKnown,
    places,
    topic,
    jobs,
    turns: createTurns({ database, isKnown, places, now }),
    attempt,
    recordOutcome: createRecordOutcome({ database, kinds, places, paceMs, now }),
    afterLostTurn: createAfterLostTurn({ database, kinds, newId, now }),
    telling,
    isAlone,
    takesOver,
    now,
  });
  return {
    /** Makes unique ids of deliveries. */
    newId,
    accept: worker.accept,
    inBackground: worker.inBackground,
    /** Makes this process look for what is due. */
    wake: worker.wake,
    wakeSoon: worker.wakeSoon,
    /** Makes all processes look for what is due. */
    wakeAll: () => wakeWorkers(database, topic),
    start: worker.start,
    crashed: worker.crashed,
    stop: worker.stop,
  };
}
