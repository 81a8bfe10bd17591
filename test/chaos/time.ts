import { setTimeout as pause } from 'node:timers/promises';
import type { AppProcess } from './app-process.ts';

const STEP_MS = 20;
/** As much faster as the limits of calls are shorter in a file of SQLite's: see LIMITS_DIVIDED_BY in stage.ts. */
const USUAL_LEAP_MS = 9 * STEP_MS;

/** The run's time: ten times as fast as the machine's, and faster where nothing is under way. */
export interface Time {
  readonly now: () => number;
  /** Waits by this time. */
  until(at: number): Promise<void>;
  /** Lets time pass as slowly as the machine's while somebody does something that Slack or the app gives seconds for. */
  slowly<T>(action: () => Promise<T>): Promise<T>;
  /** Lets so much time pass at each step of 20 ms from now on; nothing: the usual. */
  hurry(leapMs?: number): void;
  stop(): Promise<void>;
}

export function startTime(app: Pick<AppProcess, 'now' | 'leap'>): Time {
  let leapMs = USUAL_LEAP_MS;
  let slow = 0;
  const over = new AbortController();
  const waiting = new Set<{ readonly at: number; readonly resolve: () => void }>();

  async function run(): Promise<void> {
    while (!over.signal.aborted) {
      await pause(STEP_MS);
      if (slow === 0) app.leap(leapMs);
      for (const waiter of waiting) {
        if (waiter.at > app.now()) continue;
        waiting.delete(waiter);
        waiter.resolve();
      }
    }
  }
  const ended = run();

  return {
    now: app.now,
    until: (at) =>
      at <= app.now() ? Promise.resolve() : new Promise((resolve) => waiting.add({ at, resolve })),
    async slowly(action) {
      slow += 1;
      try {
        return await action();
      } finally {
        slow -= 1;
      }
    },
    hurry(ms = USUAL_LEAP_MS) {
      leapMs = ms;
    },
    async stop() {
      over.abort();
      await ended;
    },
  };
}
