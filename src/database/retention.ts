import { setTimeout as pause } from 'node:timers/promises';
import { repeat, type Repeating } from '../lifecycle/repeating.ts';
import type { Database, Sql } from './database.ts';

/** Removed rows are gone for good: a clock may be ahead by so much. */
const MARGIN_MS = 24 * 60 * 60_000;
/**
 * How many rows one statement removes. On SQLite everything waits for it: a hundred take 1 to 2 ms, five hundred took up to
 * 12, as long as a click.
 */
const STEP = 100;
const EVERY_MS = 10 * 60_000;
const BETWEEN_STEPS_MS = 50;

/** A statement that removes some of the rows of one kind that had expired by then. */
type Removal = (until: number, limit: number) => Sql;

/** Removes rows that expired a day ago, a few at a time. No answer shows them any more, so there's no hurry. */
export interface Retention extends Repeating {
  /** Removes what is to be removed by now, step by step. */
  run(): Promise<void>;
}

export function createRetention({
  of,
  now,
  report,
}: {
  /** Databases, each with what to remove there. */
  readonly of: readonly (readonly [Pick<Database, 'write'>, ...(readonly Removal[])])[];
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Called with what failed; it's tried again ten minutes later. */
  readonly report: (error: unknown) => void;
}): Retention {
  async function removeAll(database: Pick<Database, 'write'>, remove: Removal, stopping?: AbortSignal) {
    for (;;) {
      if (stopping?.aborted === true) return;
      const [written] = await database.write(remove(now() - MARGIN_MS, STEP));
      if ((written?.changed ?? 0) < STEP) return;
      await pause(BETWEEN_STEPS_MS, undefined, { signal: stopping }).catch(() => undefined);
    }
  }

  async function run(stopping?: AbortSignal): Promise<void> {
    for (const [database, ...removals] of of)
      for (const remove of removals) await removeAll(database, remove, stopping);
  }

  return { run, ...repeat((stopping) => run(stopping).catch(report), EVERY_MS) };
}
