export interface Repeating {
  start(): void;
  stop(): Promise<void>;
}

/** `work` never rejects, and ends early where it's told to stop. `firstMs` keeps work that began together apart. */
export function repeat(
  work: (stopping: AbortSignal) => Promise<void>,
  everyMs: number,
  firstMs = everyMs,
): Repeating {
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
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await underWay;
    },
  };
}

/** Timers don't notice when the clock is put back. */
const LONGEST_NAP_MS = 60_000;

export type Alarm = ReturnType<typeof createAlarm>;

/** Lets a loop sleep until there is something to do. @param now milliseconds since 1970 */
export function createAlarm(now: () => number) {
  /** A race with one promise for all pauses would keep something of each for as long as that waits. */
  const ends = new Set<() => void>();
  let at = Infinity;
  let wake: (() => void) | undefined;
  let isOver = false;

  async function wait(ms: number, begun?: (end: () => void) => void): Promise<void> {
    if (isOver) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, ms);
    ends.add(resolve);
    begun?.(resolve);
    await promise;
    ends.delete(resolve);
    clearTimeout(timer);
  }

  return {
    /** Awake by then at the latest, milliseconds since 1970; by now if no time is given. */
    by(time = now()): void {
      if (time >= at && at > now()) return;
      at = Math.min(at, time);
      wake?.();
    },
    /** Until then, an earlier time that was asked for since the last sleep, or a minute later. */
    async sleep(until: number): Promise<void> {
      at = Math.min(at, until);
      let before: number | undefined;
      // As long as it's only woken because it's to be awake earlier.
      while (at !== before && at > now()) {
        before = at;
        await wait(Math.min(at - now(), LONGEST_NAP_MS), (end) => void (wake = end));
      }
      at = Infinity;
    },
    pause: (ms: number): Promise<void> => wait(ms),
    /** Ends every sleep and pause, now and later. */
    end(): void {
      isOver = true;
      for (const end of ends) end();
    },
  };
}

/** Rejects with `late` where the work takes longer; the work itself goes on. */
export async function inTime<Result>(
  work: Promise<Result>,
  patienceMs: number,
  late: Error,
): Promise<Result> {
  const { promise: tooLate, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(reject, patienceMs, late);
  return Promise.race([work, tooLate]).finally(() => clearTimeout(timer));
}
