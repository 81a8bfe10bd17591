const MOST_WORKSPACES = 50;

/** One thing after the other for a workspace, so that a slow one delays nobody else. The work reports its own failures. */
export function createConcurrentByKey() {
  const underWay = new Map<string, Promise<void>>();
  return {
    busy: (): readonly string[] => [...underWay.keys()],
    isFull: (): boolean => underWay.size >= MOST_WORKSPACES,
    start(workspaceId: string, work: () => Promise<void>): Promise<void> {
      const done = work().finally(() => underWay.delete(workspaceId));
      underWay.set(workspaceId, done);
      return done;
    },
    async idle(): Promise<void> {
      await Promise.all(underWay.values());
    },
  };
}

/** The others follow in the order in which they came. */
export function createAtMost(most: number) {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (running < most) running += 1;
    else await new Promise<void>((resolve) => void waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

export type Background = ReturnType<typeof createBackground>;

/** For what nobody waits for, but a stop must not cut off. Failures are reported. */
export function createBackground(report: (error: unknown) => void) {
  const underWay = new Set<Promise<void>>();
  return {
    start: (work: () => Promise<void>): void => {
      const run = work()
        .catch(report)
        .finally(() => underWay.delete(run));
      underWay.add(run);
    },
    /** Also of what begins meanwhile. */
    idle: async (): Promise<void> => {
      while (underWay.size > 0) await Promise.all(underWay);
    },
  };
}
