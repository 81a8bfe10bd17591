import { z } from 'zod';
import { hasChanged, isNoneOf, sql, hasComeIn, type Database, type Sql } from '../database/database.ts';
import { isOnHold } from '../workspaces/holds.ts';

/** What earlier look-ups of an agent said. Times are milliseconds since 1970. */
const LookUps = z.object({
  /** When the latest one ended. */
  lookedAt: z.number().optional(),
  /** How many in a row failed. */
  failures: z.number(),
  /** The latest answers, oldest first; two are enough for a conclusion. Earlier versions kept them elsewhere. */
  answered: z.array(z.number()).default([]),
  /** Ids of the open links for which a session was listed: those were used. */
  seen: z.array(z.string()),
  /** Whether to ask again soon after the latest answer, however old the links are. */
  isSoon: z.boolean(),
});
export type LookUps = z.infer<typeof LookUps>;

const NONE: LookUps = { failures: 0, answered: [], seen: [], isSoon: false };

/** A Slack user as the agent that links were requested for. */
export interface LinkAgent {
  readonly workspaceId: string;
  readonly userId: string;
  /** The id that was sent to the service. */
  readonly agentId: string;
}

/** An agent to look up, and when this was read: milliseconds since 1970. */
export interface DueAgent extends LinkAgent {
  readonly readAt: number;
}

export type LookUpRecords = ReturnType<typeof createLookUpRecords>;

const Row = z.object({ looks: z.string().nullable() });
const Due = z
  .object({ workspace_id: z.string(), user_id: z.string(), agent_id: z.string() })
  .transform(({ workspace_id, user_id, agent_id }): LinkAgent => ({
    workspaceId: workspace_id,
    userId: user_id,
    agentId: agent_id,
  }));
const NextAt = z.object({ next_at: z.number().nullable() });

/** A row that can't be read is empty, so that it doesn't hold up the look-ups of other agents. */
function lookUpsIn(text: string | null | undefined): LookUps {
  try {
    return LookUps.safeParse(JSON.parse(text ?? 'null')).data ?? NONE;
  } catch {
    return NONE;
  }
}

/**
 * Forgets what was recorded by a clock that was ahead. It would prevent look-ups until that time, and conclude too
 * much.
 */
function withoutFuture(lookUps: LookUps, now: number): LookUps {
  const { lookedAt = 0, answered } = lookUps;
  if (lookedAt <= now) return lookUps;
  return { ...lookUps, lookedAt: undefined, failures: 0, answered: answered.filter((at) => at <= now) };
}

const one = ({ workspaceId, userId, agentId }: LinkAgent): Sql =>
  sql`workspace_id = ${workspaceId} AND user_id = ${userId} AND agent_id = ${agentId}`;

const isIn = (workspaceId: string): Sql =>
  sql`workspace_id = ${workspaceId} AND NOT ${isOnHold(sql`watch_links.workspace_id`)}`;
const isOutside = (workspaceIds: readonly string[]): Sql =>
  sql`NOT ${isOnHold(sql`watch_links.workspace_id`)} AND ${isNoneOf(sql`workspace_id`, workspaceIds)}`;

/**
 * The look-ups of agents, by all processes on one database.
 *
 * @param longestMs a clock that is right never plans a look-up further ahead
 */
export function createLookUpRecords(database: Database, now: () => number, longestMs: number) {
  const isDueAt = (time: number) => hasComeIn(sql`look_at`, time, longestMs);
  async function firstDue(where: Sql): Promise<DueAgent | undefined> {
    const time = now();
    const [agent] = await database.read(
      sql`SELECT workspace_id, user_id, agent_id FROM watch_links WHERE ${isDueAt(time)} AND ${where}
        ORDER BY look_at LIMIT 1`,
      Due,
    );
    return agent && { ...agent, readAt: time };
  }

  return {
    async of(agent: LinkAgent): Promise<LookUps> {
      const [row] = await database.read(sql`SELECT looks FROM agent_looks WHERE ${one(agent)}`, Row);
      return withoutFuture(lookUpsIn(row?.looks), now());
    },
    async write(agent: LinkAgent, lookUps: LookUps): Promise<void> {
      await database.write(
        sql`UPDATE agent_looks SET looks = ${JSON.stringify(lookUps)} WHERE ${one(agent)}`,
      );
    },
    /** True for one process and look-up: no one else may ask about this agent for `leaseMs`. */
    async claim(agent: LinkAgent, leaseMs: number): Promise<boolean> {
      const time = now();
      const { workspaceId, userId, agentId } = agent;
      const [claimed] = await database.write(
        // The email belongs to the user: another agent id with the same user is the same agent, and two users may be
        // one agent.
        sql`INSERT INTO agent_looks (workspace_id, user_id, agent_id, claimed_until, version)
          SELECT ${workspaceId}, ${userId}, ${agentId}, CAST(${time + leaseMs} AS BIGINT), 0
          WHERE NOT EXISTS (SELECT 1 FROM agent_looks AS other
            WHERE other.workspace_id = ${workspaceId} AND (other.user_id = ${userId} OR other.agent_id = ${agentId})
              AND NOT ${hasComeIn(sql`other.claimed_until`, time, leaseMs)})
          ON CONFLICT (workspace_id, user_id, agent_id) DO UPDATE SET claimed_until = excluded.claimed_until
          WHERE agent_looks.claimed_until IS NULL OR ${hasComeIn(sql`agent_looks.claimed_until`, time, leaseMs)}`,
      );
      return hasChanged(claimed);
    },
    /** The agent to look up first, if any is due there. */
    dueIn: (workspaceId: string) => firstDue(isIn(workspaceId)),
    dueOutside: (workspaceIds: readonly string[]) => firstDue(isOutside(workspaceIds)),
    /** When the next look-up outside these workspaces is due; undefined if none is planned. */
    async nextAt(workspaceIds: readonly string[]): Promise<number | undefined> {
      const [row] = await database.read(
        sql`SELECT MIN(look_at) AS next_at FROM watch_links WHERE look_at IS NOT NULL AND ${isOutside(workspaceIds)}`,
        NextAt,
      );
      return row?.next_at ?? undefined;
    },
    /** Plans the next look-up for the links that were due, or none. A link issued since then has its own time. */
    async plan({ readAt, ...agent }: DueAgent, next: number | undefined): Promise<void> {
      await database.write(
        sql`UPDATE watch_links SET look_at = ${next ?? null} WHERE ${one(agent)} AND ${isDueAt(readAt)}`,
      );
    },
  };
}
