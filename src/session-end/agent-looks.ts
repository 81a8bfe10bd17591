import { createHash } from 'node:crypto';
import { z } from 'zod';
import { getReadable } from '../storage/readable.ts';
import type { Store } from '../storage/store.ts';

const REMEMBERED_MS = 7 * 24 * 60 * 60 * 1_000;

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
  /** Ids of the open grants for which a session was listed: they were used, whatever the other form lists. */
  seen: z.array(z.string()),
  /** Whether the latest answer is to be followed by another look soon, whatever the age of the grants. */
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

/** The looks at agents, of all processes on one store. */
export interface LookRecords {
  of(agent: LookedAgent): Promise<AgentLooks>;
  write(agent: LookedAgent, looks: AgentLooks): Promise<void>;
  /** True for one process and look: nobody else may ask about this agent, by any form, until `leaseMs` are over. */
  claim(agent: LookedAgent, leaseMs: number): Promise<boolean>;
}

/** The service's ids may be any text; a key of the store may not. */
const keyOf = (agentId: string) => createHash('sha256').update(agentId).digest('base64url');

const own = ({ workspaceId, userId, agentId }: LookedAgent) => `${workspaceId}:${userId}:${keyOf(agentId)}`;

interface LookStores {
  readonly looks: Store;
  readonly claims: Store;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export function createLookRecords({ looks, claims, now }: LookStores): LookRecords {
  async function take(key: string, leaseMs: number): Promise<boolean> {
    const heldAt = await claims.get(key);
    // A clock that ran ahead made it: it would last for as long as that.
    if (typeof heldAt === 'number' && heldAt > now() + leaseMs) await claims.delete(key);
    return claims.add(key, now(), leaseMs);
  }

  return {
    of: async (agent) => AgentLooks.safeParse(await getReadable(looks, own(agent))).data ?? NEVER,
    write: (agent, record) => looks.set(own(agent), record, REMEMBERED_MS),
    async claim({ workspaceId, userId, agentId }, leaseMs) {
      // The email is the user's: with another agent id behind the same user it is still the same agent.
      const isOwn = await take(`user:${workspaceId}:${userId}`, leaseMs);
      return isOwn && take(`agent:${keyOf(agentId)}`, leaseMs);
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
 * @param concludable times after which nothing new can have begun, of the grants without a session
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
