/** `work` never rejects, and ends early where it's told to stop. `firstMs` keeps work that began together apart. */
export function repeat(work: (stopping: AbortSignal) => Promise<void>, everyMs: number, firstMs = everyMs) {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> | undefined;

  function plan(restMs: number): void {
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => {
      underWay = work(stopping.signal).finally(() => plan(everyMs));
    }, restMs);
  }

  return {
    start: () => plan(firstMs),
    async stop(): Promise<void> {
      stopping.abort();
      clearTimeout(timer);
      await underWay;
    },
  };
}

/** Timers don't notice when the clock is put back. */
const LONGEST_NAP_MS = 60_000;

/** Ends early where the signal says so. */
export async function rest(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const timer = setTimeout(resolve, ms);
  signal.addEventListener('abort', resolve);
  await promise;
  clearTimeout(timer);
  signal.removeEventListener('abort', resolve);
}

export type Alarm = ReturnType<typeof createAlarm>;

/** Lets a loop sleep until there is something to do. @param now milliseconds since 1970 */
export function createAlarm(now: () => number) {
  const over = new AbortController();
  let nap = new AbortController();
  return {
    /** Ends the sleep; if there is none, the next one. */
    wake: (): void => nap.abort(),
    /** Until then, or a minute later. */
    async sleep(until: number): Promise<void> {
      await rest(Math.max(0, Math.min(until - now(), LONGEST_NAP_MS)), nap.signal);
      if (!over.signal.aborted) nap = new AbortController();
    },
    pause: (ms: number): Promise<void> => rest(ms, over.signal),
    /** Ends every sleep and pause, now and later. */
    end(): void {
      over.abort();
      nap.abort();
    },
  };
}

/** Rejects with `late` where the work takes longer; the work itself goes on. */
export async function inTime<Result>(work: Promise<Result>, patienceMs: number, late: Error) {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(reject, patienceMs, late);
  return Promise.race([work, tooLate]).finally(() => clearTimeout(timer));
}
