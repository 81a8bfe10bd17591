import { NO_WAIT, isOver } from './wait.ts';
import type { Wait } from './wait.ts';

/** How long after a try with a refused token the next one is made. */
const BETWEEN_TRIES_MS = 60_000;

/** Workspaces whose token Slack refuses: nothing of theirs can go out, and one try in a while tells for all. */
export interface Holds {
  /** Undefined where a workspace's post may be tried now; else when to ask again, ms since 1970. */
  ask(workspaceId: string): number | undefined;
  /** The token was refused. @returns when to try again */
  hold(workspaceId: string): number;
  /** Slack was not asked after all: whoever comes next tries in its place. */
  pass(workspaceId: string): void;
  /** The token was taken, or somebody says that it will be. */
  lift(workspaceId: string): void;
}

export function createHolds(now: () => number): Holds {
  const held = new Map<string, Wait>();
  function hold(workspaceId: string): number {
    const from = now();
    const until = from + BETWEEN_TRIES_MS;
    held.set(workspaceId, { until, from });
    return until;
  }
  return {
    ask(workspaceId) {
      const wait = held.get(workspaceId);
      if (wait === undefined) return undefined;
      if (!isOver(wait, now())) return wait.until;
      // Whoever asks first tries for all.
      hold(workspaceId);
      return undefined;
    },
    hold,
    pass(workspaceId) {
      if (held.has(workspaceId)) held.set(workspaceId, NO_WAIT);
    },
    lift: (workspaceId) => void held.delete(workspaceId),
  };
}
