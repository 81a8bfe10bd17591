/** Work that nobody waits for, but that a stop must not cut off. */
export interface Background {
  /** Returns immediately. Failures are reported. */
  start(work: () => Promise<void>): void;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

export function createBackground(report: (error: unknown) => void): Background {
  const underWay = new Set<Promise<void>>();
  return {
    start(work) {
      const run = work()
        .catch(report)
        .finally(() => underWay.delete(run));
      underWay.add(run);
    },
    async idle() {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
