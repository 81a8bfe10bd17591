import { setTimeout as pause } from 'node:timers/promises';
import { repeat, type Repeating } from '../repeating.ts';
import type { Database, Sql } from './database.ts';

/** A row has expired only if two looks at the clock, this far apart in real time, agree. */
const BETWEEN_LOOKS_MS = 10 * 60_000;
/**
 * How many rows one statement removes. On SQLite everything waits for it: a hundred take 1 to 2 ms, five hundred took up to
 * 12, as long as a click.
 */
const STEP = 100;

export interface Clocks {
  /** Milliseconds since 1970, the clock rows expire by. May be set forward or back. */
  readonly now: () => number;
  /** Milliseconds since some moment. Keeps running whatever the clock is set to. */
  readonly elapsed: () => number;
}

export interface Sweep {
  /** The next statement to run; undefined if there's nothing to remove. */
  next(): Sql | undefined;
  /** How many rows that statement removed. */
  removed(count: number): void;
}

/**
 * Removes expired rows, a few at a time. It goes by the lowest time the clock showed in at least the last ten real
 * minutes: removed rows are gone for good, and a clock that is far ahead for a moment makes everything look expired.
 *
 * @param remove the statement that removes some of the rows that expired by a time
 * @param limit how many one statement removes
 */
export function createSweep(
  remove: (until: number, limit: number) => Sql,
  { now, elapsed }: Clocks,
  limit = STEP,
): Sweep {
  let lowest = now();
  let nextAt = elapsed() + BETWEEN_LOOKS_MS;
  /** Remove what expired by then; undefined if nothing is left. */
  let until: number | undefined;
  return {
    next() {
      const time = now();
      lowest = Math.min(lowest, time);
      if (elapsed() >= nextAt) {
        until = lowest;
        lowest = time;
        nextAt = elapsed() + BETWEEN_LOOKS_MS;
      }
      // The clock may have been set back since.
      return until === undefined ? undefined : remove(Math.min(until, time), limit);
    },
    removed(count) {
      if (count < limit) until = undefined;
    },
  };
}

const EVERY_MS = 60_000;
const BETWEEN_STEPS_MS = 50;

/** A statement that removes some of the rows of one kind that had expired by then. */
type Removal = (until: number, limit: number) => Sql;

/** Removes expired rows. No answer shows them any more, so there's no hurry. */
export interface Retention extends Repeating {
  /** Removes what has expired by now, step by step. */
  run(): Promise<void>;
}

export function createRetention({
  of,
  clocks,
  report,
}: {
  /** Databases, each with what to remove there. */
  readonly of: readonly (readonly [Pick<Database, 'write'>, ...(readonly Removal[])])[];
  readonly clocks: Clocks;
  /** Called with what failed; it's tried again a minute later. */
  readonly report: (error: unknown) => void;
}): Retention {
  const sweeps = of.flatMap(([database, ...removals]) =>
    removals.map((remove) => ({ database, ...createSweep(remove, clocks) })),
  );

  async function run(stopping?: AbortSignal): Promise<void> {
    for (const sweep of sweeps) {
      for (let remove = sweep.next(); remove !== undefined; remove = sweep.next()) {
        if (stopping?.aborted === true) return;
        const [written] = await sweep.database.write(remove);
        sweep.removed(written?.changed ?? 0);
        await pause(BETWEEN_STEPS_MS, undefined, { signal: stopping }).catch(() => undefined);
      }
    }
  }

  return { run, ...repeat((stopping) => run(stopping).catch(report), EVERY_MS) };
}
