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
