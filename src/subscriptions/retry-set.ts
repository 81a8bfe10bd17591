/** Work that nobody asks for again, tried in its order until it is done. A restart forgets what is left. */
export interface RetrySet {
  /** Resolves after the first try, whatever came of it. */
  take(work: () => Promise<void>): Promise<void>;
  /** Tries what is left. */
  readonly again: () => Promise<void>;
}

/** @param report told of each try that failed */
export function createRetrySet(report: (error: unknown) => void): RetrySet {
  const left = new Set<() => Promise<void>>();
  let last: Promise<void> = Promise.resolve();

  async function round(): Promise<void> {
    for (const work of left) {
      try {
        await work();
        left.delete(work);
      } catch (error) {
        report(error);
      }
    }
  }

  /** One round at a time: what came first must not be done after what came later. */
  function again(): Promise<void> {
    last = last.then(round);
    return last;
  }

  return {
    take(work) {
      left.add(work);
      return again();
    },
    again,
  };
}
