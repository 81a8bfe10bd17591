import { vi } from 'vitest';
import { z } from 'zod';

/** What vitest's timers hang on theirs. Source: github.com/sinonjs/fake-timers, `clock.jump`. */
const Timer = z.custom<{ clock: { jump(ms: number): void } }>(
  (value) => typeof value === 'function' && 'clock' in value,
);

/** Turns of the event loop in which writes are committed, while time stands still. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 60; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/**
 * Lets time pass from one timer that is due to the next; after each, everything that it set off comes to its rest.
 *
 * @param sleepMs as on a machine that sleeps for so long at a time: each timer rings once after each sleep, however often it
 *   would have. For days in which nothing else happens
 */
export async function pass(ms: number, sleepMs?: number, rest: () => Promise<void> = turns): Promise<void> {
  const end = Date.now() + ms;
  await rest();
  while (Date.now() < end) {
    const left = end - Date.now();
    if (sleepMs === undefined) {
      const stop = setTimeout(() => undefined, left);
      await vi.advanceTimersToNextTimerAsync();
      clearTimeout(stop);
    } else Timer.parse(setTimeout).clock.jump(Math.min(sleepMs, left));
    await rest();
  }
}
