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
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let isOver = false;
  const hasEnded = () => isOver;

  async function pause(ms: number, woken: Promise<void> = ended): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
    await Promise.race([over, woken, ended]);
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
        const { promise, resolve } = Promise.withResolvers<void>();
        wake = resolve;
        isWoken = false;
        const woken = promise.then(() => void (isWoken = true));
        await pause(Math.min(at - now(), LONGEST_NAP_MS), woken);
      }
      at = Infinity;
    },
    pause: (ms) => pause(ms),
    end() {
      isOver = true;
      end();
    },
  };
}
