import { z } from 'zod';
import { hasChanged, isNoneOf, jsonOf, rowOf, sql, type Database, type Sql } from '../database/database.ts';
import type { EndSource } from '../messages/link-request.ts';
import { isOnHold } from '../workspaces/holds.ts';
import type { GivenLink } from './watch-links.ts';

/* When the service is asked about an agent's sessions, which all processes on a database share. Times are ms since 1970. */

const MINUTE_MS = 60 * 1_000;
/** The wait between two look-ups, as a share of the link's age. */
const SHARE_OF_AGE = 0.25;
/** The longest wait for an agent whose look-ups keep failing, for example with an answer we can't read. */
const LONGEST_WAIT_MS = 15 * MINUTE_MS;

export interface LookUpWaits {
  /** From the link to the first look-up. */
  readonly firstMs: number;
  /** No agent is looked up more often than this. */
  readonly leastGapMs: number;
  readonly mostGapMs: number;
  /** How long to wait for a webhook before relying on what the service lists. */
  readonly graceMs: number;
}

/** With webhooks, looking up is only for the ones that got lost; without them it's the only way to a summary. */
export function usualWaits(endSource: EndSource): LookUpWaits {
  const gaps = { leastGapMs: MINUTE_MS, mostGapMs: 60 * MINUTE_MS };
  return endSource === 'webhook'
    ? { ...gaps, firstMs: 10 * MINUTE_MS, graceMs: MINUTE_MS }
    : { ...gaps, firstMs: 2 * MINUTE_MS, graceMs: 0 };
}

const LookUps = z.object({
  lookedAt: z.number().optional(),
  /** How many in a row failed. */
  failures: z.number(),
  /** When the latest answers came, oldest first; two are enough for a conclusion. */
  answered: z.array(z.number()).default([]),
  /** Ids of the open links for which a session was listed. */
  seen: z.array(z.string()),
  /** Whether to ask again soon after the latest answer, however old the links are. */
  isSoon: z.boolean(),
});
export type LookUps = z.infer<typeof LookUps>;

const NONE: LookUps = { failures: 0, answered: [], seen: [], isSoon: false };

/** When to ask about a link's session next. `lookedAt` is undefined if its agent was never looked up. */
function nextLookUp(issuedAt: number, lookedAt: number | undefined, waits: LookUpWaits): number {
  const { firstMs, leastGapMs, mostGapMs } = waits;
  const first = issuedAt + firstMs;
  if (lookedAt === undefined) return first;
  if (lookedAt < first) return Math.max(first, lookedAt + leastGapMs);
  // The tables take whole milliseconds only.
  const share = Math.round((lookedAt - issuedAt) * SHARE_OF_AGE);
  return lookedAt + Math.min(mostGapMs, Math.max(leastGapMs, share));
}

/** How long to leave the service, or one agent, alone; it doubles with each failure in a row. */
export function waitAfterFailures(
  failures: number,
  mostMs: number,
  { leastGapMs }: Pick<LookUpWaits, 'leastGapMs'>,
): number {
  return Math.min(Math.max(mostMs, leastGapMs), leastGapMs * 2 ** Math.min(failures - 1, 20));
}

export const earliest = (times: readonly number[]): number | undefined =>
  times.length === 0 ? undefined : Math.min(...times);

/** When to ask about any of an agent's links; undefined if none is left. */
export function dueOf(waits: LookUpWaits, open: readonly GivenLink[], lookUps: LookUps): number | undefined {
  const { lookedAt, failures, isSoon } = lookUps;
  if (open.length === 0) return undefined;
  if (lookedAt !== undefined && failures > 0)
    return lookedAt + waitAfterFailures(failures, LONGEST_WAIT_MS, waits);
  const due = open.map(({ issuedAt }) => nextLookUp(issuedAt, lookedAt, waits));
  if (lookedAt !== undefined && isSoon) due.push(lookedAt + Math.max(waits.graceMs, waits.leastGapMs));
  return earliest(due);
}

export interface LinkAgent {
  readonly workspaceId: string;
  readonly userId: string;
  /** As sent to the service. */
  readonly agentId: string;
}

export interface DueAgent extends LinkAgent {
  readonly readAt: number;
}

const Row = rowOf({ looks: jsonOf(LookUps).optional() });
const Due = rowOf({ workspaceId: z.string(), userId: z.string(), agentId: z.string() });
const NextAt = rowOf({ nextAt: z.number().optional() });

const one = ({ workspaceId, userId, agentId }: LinkAgent): Sql =>
  sql`workspace_id = ${workspaceId} AND user_id = ${userId} AND agent_id = ${agentId}`;

const isNotOnHold = sql`NOT ${isOnHold(sql`watch_links.workspace_id`)}`;
const isOutside = (workspaceIds: readonly string[]): Sql =>
  sql`${isNotOnHold} AND ${isNoneOf(sql`workspace_id`, workspaceIds)}`;

export type PollSchedule = ReturnType<typeof createPollSchedule>;

export function createPollSchedule(database: Database, now: () => number) {
  async function firstDue(where: Sql): Promise<DueAgent | undefined> {
    const readAt = now();
    const [agent] = await database.read(
      sql`SELECT workspace_id, user_id, agent_id FROM watch_links WHERE look_at <= ${readAt} AND ${where}
        ORDER BY look_at LIMIT 1`,
      Due,
    );
    return agent && { ...agent, readAt };
  }

  return {
    async of(agent: LinkAgent): Promise<LookUps> {
      const [row] = await database.read(sql`SELECT looks FROM agent_looks WHERE ${one(agent)}`, Row);
      return row?.looks ?? NONE;
    },
    async write(agent: LinkAgent, lookUps: LookUps): Promise<void> {
      await database.write(
        sql`UPDATE agent_looks SET looks = ${JSON.stringify(lookUps)} WHERE ${one(agent)}`,
      );
    },
    /** True for one process: no one else may ask about this agent for `leaseMs`. */
    async claim({ workspaceId, userId, agentId }: LinkAgent, leaseMs: number): Promise<boolean> {
      const time = now();
      const [claimed] = await database.write(
        // By user: another agent id with the same user is the same agent, and two users may be one agent.
        sql`INSERT INTO agent_looks (workspace_id, user_id, agent_id, claimed_until, version)
          SELECT ${workspaceId}, ${userId}, ${agentId}, CAST(${time + leaseMs} AS BIGINT), 0
          WHERE NOT EXISTS (SELECT 1 FROM agent_looks AS other
            WHERE other.workspace_id = ${workspaceId} AND (other.user_id = ${userId} OR other.agent_id = ${agentId})
              AND other.claimed_until > ${time})
          ON CONFLICT (workspace_id, user_id, agent_id) DO UPDATE SET claimed_until = excluded.claimed_until
          WHERE agent_looks.claimed_until IS NULL OR agent_looks.claimed_until <= ${time}`,
      );
      return hasChanged(claimed);
    },
    dueIn: (workspaceId: string) => firstDue(sql`workspace_id = ${workspaceId} AND ${isNotOnHold}`),
    dueOutside: (workspaceIds: readonly string[]) => firstDue(isOutside(workspaceIds)),
    async nextAt(workspaceIds: readonly string[]): Promise<number | undefined> {
      const [row] = await database.read(
        sql`SELECT MIN(look_at) AS next_at FROM watch_links WHERE look_at IS NOT NULL AND ${isOutside(workspaceIds)}`,
        NextAt,
      );
      return row?.nextAt;
    },
    /** For the links that were due. A link issued since then has its own time. */
    async plan({ readAt, ...agent }: DueAgent, next: number | undefined): Promise<void> {
      await database.write(
        sql`UPDATE watch_links SET look_at = ${next ?? null} WHERE ${one(agent)} AND look_at <= ${readAt}`,
      );
    },
  };
}
