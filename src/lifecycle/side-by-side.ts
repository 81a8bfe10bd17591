/** More workspaces at the same moment make it full, for who asks. */
const MOST_WORKSPACES = 50;

/**
 * Work for many workspaces: for each one thing after the other, and all beside each other, so that one whose Slack or
 * service is slow delays nobody else. The work reports its own failures.
 */
export function createSideBySide() {
  const underWay = new Map<string, Promise<void>>();
  return {
    /** The workspaces to start nothing for. */
    busy: (): readonly string[] => [...underWay.keys()],
    isFull: (): boolean => underWay.size >= MOST_WORKSPACES,
    /** Resolves when it's done and the workspace is free again. */
    start(workspaceId: string, work: () => Promise<void>): Promise<void> {
      const done = work().finally(() => underWay.delete(workspaceId));
      underWay.set(workspaceId, done);
      return done;
    },
    /** Resolves when one of them is done, at the latest after `patienceMs`; at once if nothing is under way. */
    async oneIsDone(patienceMs: number): Promise<void> {
      if (underWay.size === 0) return;
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, patienceMs);
      await Promise.race([...underWay.values(), late]).finally(() => clearTimeout(timer));
    },
    /** Resolves when all are done. */
    async idle(): Promise<void> {
      await Promise.all(underWay.values());
    },
  };
}
