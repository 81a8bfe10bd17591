import { setTimeout as pause } from 'node:timers/promises';
import type { Database } from './database.ts';
import type { Sql } from './sql.ts';
import { createSweep } from './sweep.ts';
import type { Clocks } from './sweep.ts';

const EVERY_MS = 60_000;
/** Few enough that other writers don't notice. */
const STEP = 500;
const BETWEEN_STEPS_MS = 50;

interface RetentionParts {
  readonly database: Pick<Database, 'write'>;
  /** For each kind of row, the statement that removes some of those that had expired by then. */
  readonly removals: readonly ((until: number, limit: number) => Sql)[];
  readonly clocks: Clocks;
  /** Called with what failed; it's tried again a minute later. */
  readonly report: (error: unknown) => void;
}

/** Removes expired rows. No answer shows them any more, so there's no hurry. */
export interface Retention {
  start(): void;
  /** Removes what has expired by now, step by step. */
  run(): Promise<void>;
  /** Waits for the current step. */
  stop(): Promise<void>;
}

export function createRetention({ database, removals, clocks, report }: RetentionParts): Retention {
  const sweeps = removals.map((remove) => createSweep(remove, clocks, STEP));
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> | undefined;

  async function run(): Promise<void> {
    for (const sweep of sweeps) {
      for (let remove = sweep.next(); remove !== undefined; remove = sweep.next()) {
        if (stopping.signal.aborted) return;
        const [written] = await database.write(remove);
        sweep.removed(written?.changed ?? 0);
        await pause(BETWEEN_STEPS_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
      }
    }
  }

  return {
    start() {
      timer = setInterval(() => {
        underWay ??= run()
          .catch(report)
          .finally(() => (underWay = undefined));
      }, EVERY_MS);
    },
    run,
    async stop() {
      clearInterval(timer);
      stopping.abort();
      await underWay;
    },
  };
}
