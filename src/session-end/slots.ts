/** A number of things that may be under way at once; whoever comes when all are taken waits, first come first served. */
export interface Slots {
  /** Undefined where one is free: then it is taken at once. */
  take(): Promise<void> | undefined;
  give(): void;
}

export function createSlots(size: number): Slots {
  let free = size;
  const queue: (() => void)[] = [];
  return {
    take() {
      if (free > 0) {
        free -= 1;
        return undefined;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      queue.push(resolve);
      return promise;
    },
    give() {
      const next = queue.shift();
      if (next === undefined) free += 1;
      else next();
    },
  };
}
