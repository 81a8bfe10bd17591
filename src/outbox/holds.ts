import { LRUCache } from 'lru-cache';
import { sql } from '../database/database.ts';
import type { Sql } from '../database/database.ts';
import { hasCome, hasComeIn } from '../database/row-times.ts';
import { LONGEST_WAIT_MS } from './channels.ts';
import type { FindPosts, Sighting } from './post.ts';

/** The time between two tries with a refused token. */
const BETWEEN_PROBES_MS = 60_000;

/** Puts everything of a workspace on hold because Slack refuses its token. */
export const holdWorkspace = (workspaceId: string, reason: string, time: number): Sql =>
  sql`INSERT INTO workspaces (id, installed_at, held_until, held_reason, version)
    VALUES (${workspaceId}, ${time}, ${time + BETWEEN_PROBES_MS}, ${reason}, 1)
    ON CONFLICT (id) DO UPDATE SET held_until = excluded.held_until, held_reason = excluded.held_reason`;

/**
 * Lifts the hold on a workspace's deliveries.
 *
 * @param probeAt when to try one delivery, if we don't know yet whether Slack accepts the token
 */
export const liftHold = (workspaceId: string, probeAt?: number): Sql =>
  sql`UPDATE workspaces SET held_until = ${probeAt ?? null}
    WHERE id = ${workspaceId} AND held_until IS NOT NULL`;

/** Whether a workspace is on hold. @param workspaceId the column that names it */
export const isOnHold = (workspaceId: Sql): Sql =>
  sql`EXISTS (SELECT 1 FROM workspaces WHERE workspaces.id = ${workspaceId} AND held_until IS NOT NULL)`;

/** Lets one process find out whether Slack accepts a token again. Returns the workspace's id. */
export const beginProbe = (time: number): Sql =>
  sql`UPDATE workspaces SET held_until = ${time + BETWEEN_PROBES_MS}
    WHERE id = (SELECT id FROM workspaces
      WHERE ${hasComeIn(sql`held_until`, time, BETWEEN_PROBES_MS)} ORDER BY held_until LIMIT 1)
      AND ${hasComeIn(sql`held_until`, time, BETWEEN_PROBES_MS)}
    RETURNING id`;

/** Slack methods that a workspace can't call for a while. In memory, since every process hears it from Slack itself. */
export interface MethodHolds {
  /** When a method can be called again, milliseconds since 1970; undefined means now. */
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
      return until === undefined || hasCome(until, now(), mostMs) ? undefined : until;
    },
    hold: (workspaceId, method, until) => void held.set(`${workspaceId} ${method}`, until),
    lift(workspaceId) {
      for (const key of held.keys()) if (key.startsWith(`${workspaceId} `)) held.delete(key);
    },
  };
}

/**
 * Looks for posts, one after the other in a workspace, but not while Slack makes it wait: one answer to try later counts
 * for everything that is looked for.
 */
export function findUnlessHeld(find: FindPosts, methods: MethodHolds, now: () => number): FindPosts {
  /** The latest look in each workspace where one is under way. */
  const latest = new Map<string, Promise<Sighting>>();

  async function look(...[to, messageId, since]: Parameters<FindPosts>): Promise<Sighting> {
    const { workspaceId } = to;
    const heldUntil = methods.until(workspaceId, 'history');
    if (heldUntil !== undefined)
      return { outcome: 'later', reason: 'ratelimited', afterMs: heldUntil - now() };
    const seen = await find(to, messageId, since);
    if ('outcome' in seen && seen.outcome === 'later' && seen.afterMs !== undefined)
      methods.hold(workspaceId, 'history', now() + Math.min(seen.afterMs, LONGEST_WAIT_MS));
    return seen;
  }

  async function lookAfter(before: Promise<Sighting> | undefined, ...wanted: Parameters<FindPosts>) {
    const seen = await before;
    return seen !== undefined && 'outcome' in seen && seen.outcome === 'later' ? seen : look(...wanted);
  }

  return async function findPosts(to, messageId, since) {
    const { workspaceId } = to;
    const looking = lookAfter(latest.get(workspaceId), to, messageId, since);
    latest.set(workspaceId, looking);
    try {
      return await looking;
    } finally {
      if (latest.get(workspaceId) === looking) latest.delete(workspaceId);
    }
  };
}
