/** Work that is done again and again, with a while of rest in between. */
export interface Repeating {
  start(): void;
  /** Waits for the work under way. */
  stop(): Promise<void>;
}

/** @param work never rejects; ends early where it is told to stop */
export function repeat(work: (stopping: AbortSignal) => Promise<void>, everyMs: number): Repeating {
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> | undefined;

  function plan(): void {
    if (stopping.signal.aborted) return;
    timer = setTimeout(() => {
      underWay = work(stopping.signal).finally(plan);
    }, everyMs);
  }

  return {
    start: plan,
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await underWay;
    },
  };
}
