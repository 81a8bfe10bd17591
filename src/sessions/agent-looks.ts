import { z } from 'zod';
import { hasChanged } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { list, sql } from '../database/sql.ts';
import type { Sql } from '../database/sql.ts';

/** How the service is asked about an agent. Source: GET /agents/lookup, which takes exactly one. */
export type LookupForm = 'externalId' | 'email';

/** The latest answers, newest last; two are enough for a conclusion. Milliseconds since 1970. */
const Asked = z.object({ at: z.number().optional(), answered: z.array(z.number()) });

/** What earlier look-ups of an agent found. */
export const AgentLooks = z.object({
  lookedAt: z.number().optional(),
  /** How many look-ups in a row failed. */
  failures: z.number(),
  externalId: Asked,
  email: Asked,
  /** Whether the Slack profile showed an email when it was last read. */
  hasEmail: z.boolean(),
  /** Ids of the open links for which a session was listed: those were used, whatever the other form lists. */
  seen: z.array(z.string()),
  /** Whether to look again soon after the latest answer, however old the links are. */
  isSoon: z.boolean(),
  /** Whether only one of the two forms has been used lately. */
  isHalf: z.boolean(),
  /** The form that found a session. */
  worked: z.enum(['externalId', 'email']).optional(),
});
export type AgentLooks = z.infer<typeof AgentLooks>;

const NEVER: AgentLooks = {
  failures: 0,
  externalId: { answered: [] },
  email: { answered: [] },
  hasEmail: true,
  seen: [],
  isSoon: false,
  isHalf: false,
};

/** A Slack user as the agent that links were requested for. */
export interface LookedAgent {
  readonly workspaceId: string;
  readonly userId: string;
  /** The id that was sent to the service. */
  readonly agentId: string;
}

/** An agent to look up, and when this was read: milliseconds since 1970. */
export interface DueAgent extends LookedAgent {
  readonly readAt: number;
}

/** The look-ups of agents, by all processes on one database. */
export interface LookRecords {
  of(agent: LookedAgent): Promise<AgentLooks>;
  write(agent: LookedAgent, looks: AgentLooks): Promise<void>;
  /** True for one process and look-up: no one else may ask about this agent, by either form, for `leaseMs`. */
  claim(agent: LookedAgent, leaseMs: number): Promise<boolean>;
  /** The agent to look up first, if any is due outside these workspaces. */
  due(paused?: readonly string[]): Promise<DueAgent | undefined>;
  /** When the next look-up outside these workspaces is due; undefined if none is planned. */
  nextAt(paused?: readonly string[]): Promise<number | undefined>;
  /** Plans the next look-up for the links that were due, or none. A link issued since then has its own time. */
  plan(agent: DueAgent, next: number | undefined): Promise<void>;
}

const Looks = z.object({ looks: z.string().nullable() });
const Due = z
  .object({ workspace_id: z.string(), user_id: z.string(), agent_id: z.string() })
  .transform(({ workspace_id, user_id, agent_id }): LookedAgent => ({
    workspaceId: workspace_id,
    userId: user_id,
    agentId: agent_id,
  }));
const NextAt = z.object({ next_at: z.number().nullable() });

/** A row that can't be read is empty, so that it doesn't hold up the look-ups of other agents. */
function looksIn(text: string | null | undefined): AgentLooks {
  try {
    return AgentLooks.safeParse(JSON.parse(text ?? 'null')).data ?? NEVER;
  } catch {
    return NEVER;
  }
}

const one = ({ workspaceId, userId, agentId }: LookedAgent): Sql =>
  sql`workspace_id = ${workspaceId} AND user_id = ${userId} AND agent_id = ${agentId}`;

const isClaimed = (table: Sql, time: number, leaseMs: number) =>
  sql`(${table}.claimed_until > ${time} AND ${table}.claimed_until <= ${time + leaseMs})`;

const isOutside = (workspaceIds: readonly string[]): Sql =>
  workspaceIds.length === 0
    ? sql`1 = 1`
    : sql`workspace_id NOT IN (${list(workspaceIds.map((id) => sql`${id}`))})`;

/** @param longestMs a clock that is right never plans a look-up further ahead */
export function createLookRecords(database: Database, now: () => number, longestMs: number): LookRecords {
  const isDueAt = (time: number) => sql`(look_at <= ${time} OR look_at > ${time + longestMs})`;

  return {
    async of(agent) {
      const [row] = await database.read(sql`SELECT looks FROM agent_looks WHERE ${one(agent)}`, Looks);
      return looksIn(row?.looks);
    },
    async write(agent, looks) {
      await database.write(sql`UPDATE agent_looks SET looks = ${JSON.stringify(looks)} WHERE ${one(agent)}`);
    },
    async claim(agent, leaseMs) {
      const time = now();
      const { workspaceId, userId, agentId } = agent;
      const [claimed] = await database.write(
        // The email belongs to the user: another agent id with the same user is the same agent, and two users may be
        // one agent. A claim that lasts longer than possible was made by a clock that was ahead.
        sql`INSERT INTO agent_looks (workspace_id, user_id, agent_id, claimed_until, version)
          SELECT ${workspaceId}, ${userId}, ${agentId}, CAST(${time + leaseMs} AS BIGINT), 0
          WHERE NOT EXISTS (SELECT 1 FROM agent_looks AS other
            WHERE other.workspace_id = ${workspaceId} AND (other.user_id = ${userId} OR other.agent_id = ${agentId})
              AND ${isClaimed(sql`other`, time, leaseMs)})
          ON CONFLICT (workspace_id, user_id, agent_id) DO UPDATE SET claimed_until = excluded.claimed_until
          WHERE agent_looks.claimed_until IS NULL OR NOT ${isClaimed(sql`agent_looks`, time, leaseMs)}`,
      );
      return hasChanged(claimed);
    },
    async due(paused = []) {
      const time = now();
      const [agent] = await database.read(
        sql`SELECT workspace_id, user_id, agent_id FROM watch_links WHERE ${isDueAt(time)} AND ${isOutside(paused)}
          ORDER BY look_at LIMIT 1`,
        Due,
      );
      return agent && { ...agent, readAt: time };
    },
    async nextAt(paused = []) {
      const [row] = await database.read(
        sql`SELECT MIN(look_at) AS next_at FROM watch_links WHERE look_at IS NOT NULL AND ${isOutside(paused)}`,
        NextAt,
      );
      return row?.next_at ?? undefined;
    },
    async plan({ readAt, ...agent }, next) {
      await database.write(
        sql`UPDATE watch_links SET look_at = ${next ?? null} WHERE ${one(agent)} AND ${isDueAt(readAt)}`,
      );
    },
  };
}

/**
 * Forgets what was recorded by a clock that was ahead. It would prevent look-ups until that time, and conclude too
 * much.
 */
export function withoutFuture(looks: AgentLooks, now: number): AgentLooks {
  const { lookedAt = 0, externalId, email } = looks;
  if (lookedAt <= now) return looks;
  const past = ({ answered }: AgentLooks[LookupForm]) => ({ answered: answered.filter((at) => at <= now) });
  return { ...looks, lookedAt: undefined, failures: 0, externalId: past(externalId), email: past(email) };
}

function answeredSince({ answered }: AgentLooks[LookupForm], time: number): number {
  return answered.filter((at) => at >= time).length;
}

/** How many of the latest answers, by either form, came since a time. */
export function answersSince({ externalId, email }: AgentLooks, time: number): number {
  return answeredSince(externalId, time) + answeredSince(email, time);
}

/** Whether each usable form has been answered after a time, with at least two answers in all. */
export function isAnsweredSince({ externalId, email, hasEmail }: AgentLooks, time: number): boolean {
  const [byId, byEmail] = [answeredSince(externalId, time), answeredSince(email, time)];
  return byId > 0 && (byEmail > 0 || !hasEmail) && byId + byEmail >= 2;
}

/**
 * The form to use next. Stays with the one that worked, unless using the other one too allows a conclusion; while
 * neither has worked they take turns. It isn't documented which of the two finds a session started by a watch link.
 *
 * @param concludable for each link without a session, the time after which nothing new can have started
 */
export function formToAsk(looks: AgentLooks, concludable: readonly number[]): LookupForm {
  const { externalId, email, worked } = looks;
  const turn = (email.at ?? -1) < (externalId.at ?? -1) ? 'email' : 'externalId';
  if (worked === undefined) return turn;
  const other = worked === 'email' ? 'externalId' : 'email';
  const isOwed = concludable.some(
    (time) => answeredSince(looks[worked], time) > 0 && answeredSince(looks[other], time) === 0,
  );
  return isOwed ? other : worked;
}

/** The record after an answer. */
export function withAnswer(looks: AgentLooks, form: LookupForm, at: number): AgentLooks {
  const answered = [...looks[form].answered, at].slice(-2);
  return { ...looks, lookedAt: at, failures: 0, [form]: { at, answered } };
}

/** The record after a failed look-up. */
export function withFailure(looks: AgentLooks, form: LookupForm, at: number): AgentLooks {
  return { ...looks, lookedAt: at, failures: looks.failures + 1, [form]: { ...looks[form], at } };
}
