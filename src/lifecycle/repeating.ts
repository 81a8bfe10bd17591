/** Work that is done again and again, with a while of rest in between. */
export interface Repeating {
  start(): void;
  /** Waits for the work under way. */
  stop(): Promise<void>;
}

/**
 * @param work never rejects; ends early where it is told to stop
 * @param firstMs the first rest: work of different kinds that began together would go on together
 */
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

/** Timers don't notice when the clock is put back, so no sleep is longer. */
const LONGEST_NAP_MS = 60_000;

/** Lets a loop sleep until there is something to do. */
export interface Alarm {
  /** Makes sure the loop is awake by then, milliseconds since 1970; by now if no time is given. */
  by(time?: number): void;
  /** Sleeps until then, or until an earlier time that was asked for since the last sleep; a minute at most. */
  sleep(until: number): Promise<void>;
  /** Waits, unless it's ended. */
  pause(ms: number): Promise<void>;
  /** Ends every sleep and pause, now and later. */
  end(): void;
}

/** @param now milliseconds since 1970 */
export function createAlarm(now: () => number): Alarm {
  let at = Infinity;
  let wake: (() => void) | undefined;
  let isOver = false;
  const hasEnded = () => isOver;
  /** Of the pauses under way. A race with one promise for all would keep something of each for as long as that waits. */
  const ends = new Set<() => void>();

  async function pause(ms: number, begun?: (end: () => void) => void): Promise<void> {
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
    by(time = now()) {
      // One that has passed while its timer still runs: the clock was put forward.
      if (time >= at && at > now()) return;
      at = Math.min(at, time);
      wake?.();
    },
    async sleep(until) {
      at = Math.min(at, until);
      let isWoken = true;
      // An earlier time begins a new nap.
      while (isWoken && at > now() && !hasEnded()) {
        isWoken = false;
        await pause(Math.min(at - now(), LONGEST_NAP_MS), (end) => {
          wake = () => {
            isWoken = true;
            end();
          };
        });
      }
      at = Infinity;
    },
    pause: (ms) => pause(ms),
    end() {
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
