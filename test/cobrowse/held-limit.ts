import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, onTestFinished, vi } from 'vitest';
import { z } from 'zod';

/**
 * Until the test ends, timers of so many milliseconds ring only where the test says so. A time limit of real
 * milliseconds can run out on a machine that stalls before the request was even sent.
 */
export function holdLimit(ms: number) {
  const held: NodeJS.Timeout[] = [];
  const start = setTimeout;
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation((call, delayMs, ...given) => {
    const timer = start(call, delayMs, ...given);
    if (delayMs === ms) held.push(timer);
    return timer;
  });
  onTestFinished(() => spy.mockRestore());
  return {
    /** Lets the one that runs ring, as if its time had passed. */
    runOut(): void {
      // Node marks so those that have rung or were ended.
      const running = held.filter((timer) => Reflect.get(timer, '_destroyed') === false);
      expect(running).toHaveLength(1);
      for (const timer of running) {
        // Node offers no way to change what a timer waits for but to start it again with another time.
        Reflect.set(timer, '_idleTimeout', 1);
        timer.refresh();
      }
    },
  };
}

const Answered = z.object({ request: z.object({ origin: z.string() }) });

/** Counts the answers of a service of which the head has reached its clients in this process. */
export function countHeads(url: string): () => number {
  let count = 0;
  const onHead = (message: unknown): void => {
    if (Answered.parse(message).request.origin === url) count += 1;
  };
  subscribe('undici:request:headers', onHead);
  onTestFinished(() => void unsubscribe('undici:request:headers', onHead));
  return () => count;
}
