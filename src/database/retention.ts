import { setTimeout as pause } from 'node:timers/promises';
import { repeat } from '../lifecycle/repeating.ts';
import type { App } from '../parts.ts';
import type { Sql } from './database.ts';

/** Removed rows are gone for good, and a clock may be ahead by so much. */
const MARGIN_MS = 24 * 60 * 60_000;
/** Rows a statement removes: on SQLite everything waits for it, and a hundred take 1 to 2 ms. */
const STEP = 100;
const EVERY_MS = 10 * 60_000;
const BETWEEN_STEPS_MS = 50;

/** Removes some rows that had expired by then. */
type Removal = (until: number, limit: number) => Sql;

/** Removes rows that expired a day ago, a few at a time. @param report called with what failed, which is tried again later */
export function createRetention(
  { database, now }: Pick<App, 'database' | 'now'>,
  removals: readonly Removal[],
  report: (error: unknown) => void,
) {
  async function removeAll(remove: Removal, stopping?: AbortSignal): Promise<void> {
    for (;;) {
      if (stopping?.aborted === true) return;
      const [written] = await database.write(remove(now() - MARGIN_MS, STEP));
      if ((written?.changed ?? 0) < STEP) return;
      await pause(BETWEEN_STEPS_MS, undefined, { signal: stopping }).catch(() => undefined);
    }
  }

  async function run(stopping?: AbortSignal): Promise<void> {
    for (const remove of removals) await removeAll(remove, stopping);
  }

  return { run, ...repeat((stopping) => run(stopping).catch(report), EVERY_MS) };
}
