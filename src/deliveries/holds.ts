import { LRUCache } from 'lru-cache';
import { sql } from '../database/sql.ts';
import type { Sql } from '../database/sql.ts';

/** How long after a try with a refused token the next one is made. */
const BETWEEN_PROBES_MS = 60_000;

/** The statement that keeps back everything of a workspace whose token Slack refuses. */
export const holdWorkspace = (workspaceId: string, reason: string, time: number): Sql =>
  sql`INSERT INTO workspaces (id, installed_at, held_until, held_reason, version)
    VALUES (${workspaceId}, ${time}, ${time + BETWEEN_PROBES_MS}, ${reason}, 1)
    ON CONFLICT (id) DO UPDATE SET held_until = excluded.held_until, held_reason = excluded.held_reason`;

/**
 * The statement that lets a workspace's deliveries go.
 *
 * @param probeAt when one of them shows whether the token is taken, where nobody knows yet
 */
export const liftHold = (workspaceId: string, probeAt?: number): Sql =>
  sql`UPDATE workspaces SET held_until = ${probeAt ?? null}
    WHERE id = ${workspaceId} AND held_until IS NOT NULL`;

/** The statement that lets one process find out whether Slack takes a token again. Returns the workspace's id. */
export const beginProbe = (time: number): Sql =>
  sql`UPDATE workspaces SET held_until = ${time + BETWEEN_PROBES_MS}
    WHERE id = (SELECT id FROM workspaces
      WHERE held_until <= ${time} OR held_until > ${time + BETWEEN_PROBES_MS} ORDER BY held_until LIMIT 1)
      AND (held_until <= ${time} OR held_until > ${time + BETWEEN_PROBES_MS})
    RETURNING id`;

/** Methods of Slack's that a workspace may not call for a while. In memory: another process is told so itself. */
export interface MethodHolds {
  /** When a method may be called, milliseconds since 1970; undefined for now. */
  until(workspaceId: string, method: string): number | undefined;
  hold(workspaceId: string, method: string, until: number): void;
  lift(workspaceId: string): void;
}

const MOST_HELD = 1_000;

export function createMethodHolds(now: () => number, mostMs: number): MethodHolds {
  const held = new LRUCache<string, number>({ max: MOST_HELD });
  return {
    until(workspaceId, method) {
      const until = held.get(`${workspaceId} ${method}`);
      // A clock that was put back since ends a wait.
      return until === undefined || until <= now() || until > now() + mostMs ? undefined : until;
    },
    hold: (workspaceId, method, until) => void held.set(`${workspaceId} ${method}`, until),
    lift(workspaceId) {
      for (const key of held.keys()) if (key.startsWith(`${workspaceId} `)) held.delete(key);
    },
  };
}
