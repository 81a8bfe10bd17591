/** Work that nobody asks for twice, retried in order until it's done. Only its caller knows what a restart leaves. */
export interface RetrySet {
  /** Resolves after the first try, whatever came of it. */
  take(work: () => Promise<void>): Promise<void>;
  /** Retries what's left. */
  readonly again: () => Promise<void>;
}

/** @param report called for each failed try */
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

  /** One round at a time, so that the order is kept. */
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
