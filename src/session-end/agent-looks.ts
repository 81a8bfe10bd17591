import { z } from 'zod';
import { hasChanged } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Sql } from '../database/sql.ts';

/** By what the service is asked for an agent. Source: GET /agents/lookup, which takes exactly one. */
export type LookupForm = 'externalId' | 'email';

/** The latest answers, newest last; two are enough to conclude from. Milliseconds since 1970. */
const Asked = z.object({ at: z.number().optional(), answered: z.array(z.number()) });

/** What is known from earlier looks at an agent. */
export const AgentLooks = z.object({
  lookedAt: z.number().optional(),
  /** Looks in a row that brought no answer. */
  failures: z.number(),
  externalId: Asked,
  email: Asked,
  /** Whether the Slack profile showed an email when one was wanted. */
  hasEmail: z.boolean(),
  /** Ids of the open links for which a session was listed: they were used, whatever the other form lists. */
  seen: z.array(z.string()),
  /** Whether the latest answer is to be followed by another look soon, whatever the age of the links. */
  isSoon: z.boolean(),
  /** Whether only one of the two forms has been asked of late. */
  isHalf: z.boolean(),
  /** The form by which a session was found. */
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

/** A Slack user as the agent that links were asked for. */
export interface LookedAgent {
  readonly workspaceId: string;
  readonly userId: string;
  /** The id that was sent to the service. */
  readonly agentId: string;
}

/** An agent whose links' ends are looked for, and when that was read: milliseconds since 1970. */
export interface DueAgent extends LookedAgent {
  readonly readAt: number;
}

/** The looks at agents, of all processes on one database. */
export interface LookRecords {
  of(agent: LookedAgent): Promise<AgentLooks>;
  write(agent: LookedAgent, looks: AgentLooks): Promise<void>;
  /** True for one process and look: nobody else may ask about this agent, by any form, until `leaseMs` are over. */
  claim(agent: LookedAgent, leaseMs: number): Promise<boolean>;
  /** The agent whose look is due first, where one is. */
  due(): Promise<DueAgent | undefined>;
  /** When the next look is due; undefined where none is planned. */
  nextAt(): Promise<number | undefined>;
  /** Plans the next look for the links that were due, or none: one issued since has a time of its own. */
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

/** What can't be read counts as nothing: one row must not keep the other agents from being looked at. */
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

/** @param longestMs no look is planned further ahead by a clock that is right */
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
        // The email is the user's: with another agent id behind the same user it is still the same agent, and two users may
        // be one agent. A claim that lasts longer than it could was made by a clock that ran ahead.
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
    async due() {
      const time = now();
      const [agent] = await database.read(
        sql`SELECT workspace_id, user_id, agent_id FROM watch_links WHERE ${isDueAt(time)} ORDER BY look_at LIMIT 1`,
        Due,
      );
      return agent && { ...agent, readAt: time };
    },
    async nextAt() {
      const [row] = await database.read(
        sql`SELECT MIN(look_at) AS next_at FROM watch_links WHERE look_at IS NOT NULL`,
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
 * What a clock that ran ahead wrote down would keep an agent from being looked at until it is that late, and conclude what
 * is not over: it is forgotten.
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

/** How many of the latest answers, by whatever form, came since a time. */
export function answersSince({ externalId, email }: AgentLooks, time: number): number {
  return answeredSince(externalId, time) + answeredSince(email, time);
}

/** Whether every form there is has been answered after a time, and at least two answers came. */
export function isAnsweredSince({ externalId, email, hasEmail }: AgentLooks, time: number): boolean {
  const [byId, byEmail] = [answeredSince(externalId, time), answeredSince(email, time)];
  return byId > 0 && (byEmail > 0 || !hasEmail) && byId + byEmail >= 2;
}

/**
 * The form to ask by now. The one that worked is kept, unless something may be concluded once the other has been
 * asked, too; while none has worked they take turns. Which of the two finds a session begun by a watch link is not
 * documented.
 *
 * @param concludable times after which nothing new can have begun, of the links without a session
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

/** The record after a look that failed. */
export function withFailure(looks: AgentLooks, form: LookupForm, at: number): AgentLooks {
  return { ...looks, lookedAt: at, failures: looks.failures + 1, [form]: { ...looks[form], at } };
}
