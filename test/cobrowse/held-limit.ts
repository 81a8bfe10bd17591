import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, onTestFinished, vi } from 'vitest';
import { z } from 'zod';

/**
 * Until the test ends, timers of so many milliseconds ring only where the test says so. A time limit of real
 * milliseconds can run out on a machine that stalls before the request was even sent.
 */
export function holdLimit(ms: number) {
  const held = new Map<unknown, () => void>();
  const { setTimeout: start, clearTimeout: end } = globalThis;
  vi.spyOn(globalThis, 'setTimeout').mockImplementation((call, delayMs, ...given) => {
    const timer = start(delayMs === ms ? () => undefined : call, delayMs, ...given);
    if (delayMs === ms) held.set(timer, () => call(...given));
    return timer;
  });
  vi.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
    held.delete(timer);
    end(timer);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  return {
    /** Lets the one that runs ring, as if its time had passed. */
    runOut(): void {
      expect(held.size).toBe(1);
      for (const ring of held.values()) ring();
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
