import type { AgentKey, WantedSessions } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Agent, Session } from '../cobrowse/schemas.ts';
import type { WatchLinks } from './watch-links.ts';
import { formToAsk, withAnswer, withFailure, withoutFuture } from './agent-looks.ts';
import type { AgentLooks, LookRecords, LookedAgent, LookupForm } from './agent-looks.ts';
import { concludedWithoutAsking, decidableFrom } from './link-state.ts';
import { nextLook, waitAfterFailures } from './look-times.ts';
import type { LookWaits } from './look-times.ts';
import { startWindow } from './match.ts';
import type { Outcomes, Sighting, Waiting } from './link-outcomes.ts';

/** An agent whose look-ups keep failing, for example with an answer we can't read, is tried again within this time. */
const LONGEST_WAIT_MS = 15 * 60 * 1_000;

/** Looks up an agent with those of their sessions that are wanted. */
type LookUpSessions = (key: AgentKey, sessions: WantedSessions) => Promise<Pick<Agent, 'sessions'>>;

export interface LookUpParts {
  readonly links: Pick<WatchLinks, 'lookedFor'>;
  readonly looks: LookRecords;
  /** How to ask a workspace's service, and when. */
  readonly serviceOf: (workspaceId: string) => Promise<LookedService>;
  /** The email in a Slack profile now. Rejects if Slack can't be asked. */
  readonly emailOf: (workspaceId: string, userId: string) => Promise<string | undefined>;
  readonly recordOutcomes: (sighting: Sighting) => Promise<Outcomes>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

interface LookedService {
  /** One request, never repeated by itself; undefined if this deployment can't look up agents. */
  readonly lookupAgent: LookUpSessions | undefined;
  readonly waits: LookWaits;
}

/** When to look again, undefined if there is nothing left to look for; and how the look-up failed, if it did. */
export interface Look {
  readonly next: number | undefined;
  /** Whether the service was asked. */
  readonly hasAsked: boolean;
  readonly failure?: CobrowseError;
}

/** What to ask, and by which form. */
interface Question {
  readonly key: AgentKey;
  readonly form: LookupForm;
  readonly hasEmail: boolean;
}

interface OpenLinks {
  readonly waiting: readonly Waiting[];
  readonly elsewhere: readonly Waiting[];
}

const earliest = (times: readonly number[]) => (times.length === 0 ? undefined : Math.min(...times));

/** Every session that can belong to one of these links. */
function sessionsOf(waiting: readonly Waiting[]): WantedSessions {
  const since = Math.min(...waiting.map(({ open }) => startWindow(open).from));
  return { since: new Date(since), linkIds: new Set(waiting.map(({ open }) => open.link.linkId)) };
}

/** The sessions that the service lists; none for an agent it doesn't know. */
async function ask(lookUp: LookUpSessions, key: AgentKey, waiting: readonly Waiting[]) {
  try {
    return { sessions: (await lookUp(key, sessionsOf(waiting))).sessions };
  } catch (error) {
    if (!(error instanceof CobrowseError)) throw error;
    return error.kind === 'not-found' ? { sessions: [] } : { failure: error };
  }
}

function dueOf(waits: LookWaits, waiting: readonly Waiting[], looks: AgentLooks): number | undefined {
  const { lookedAt, failures, isSoon } = looks;
  if (waiting.length === 0) return undefined;
  if (lookedAt !== undefined && failures > 0)
    return lookedAt + waitAfterFailures(failures, LONGEST_WAIT_MS, waits);
  const due = waiting.map(({ open }) => nextLook(open.issuedAt, lookedAt, waits));
  if (lookedAt !== undefined && isSoon) due.push(lookedAt + Math.max(waits.graceMs, waits.leastGapMs));
  return earliest(due);
}

/**
 * Looks for ended sessions of one agent's open links that no webhook reported, with one look-up for all of them.
 * Rejects if the database fails; repeating what was done changes nothing.
 */
export function createLookUp(parts: LookUpParts): (agent: LookedAgent) => Promise<Look> {
  const { links, looks: records, serviceOf, emailOf, recordOutcomes, now } = parts;

  async function openLinksOf({ workspaceId, userId, agentId }: LookedAgent): Promise<OpenLinks> {
    const [waiting, elsewhere]: [Waiting[], Waiting[]] = [[], []];
    for (const open of await links.lookedFor(workspaceId, userId)) {
      // A link concluded to be unused may turn out to be used after all.
      const one = { open, isUnused: open.result !== undefined };
      (open.agentId === agentId ? waiting : elsewhere).push(one);
    }
    return { waiting, elsewhere };
  }

  async function questionFor(
    { workspaceId, userId, agentId }: LookedAgent,
    looks: AgentLooks,
    waiting: readonly Waiting[],
  ): Promise<Question> {
    const byId: Question = { key: { externalId: agentId }, form: 'externalId', hasEmail: looks.hasEmail };
    const concludable = waiting
      .filter(({ open, isUnused }) => !isUnused && !looks.seen.includes(open.link.linkId))
      .map(({ open }) => decidableFrom(open))
      .filter((time) => time < now());
    if (formToAsk(looks, concludable) === 'externalId') return byId;
    try {
      const email = await emailOf(workspaceId, userId);
      if (email === undefined) return { ...byId, hasEmail: false };
      return { key: { email }, form: 'email', hasEmail: true };
    } catch {
      // Slack can't be asked just now, and the other form doesn't need it.
      return byId;
    }
  }

  async function withoutAsking(found: OpenLinks, { mostGapMs, graceMs }: LookWaits): Promise<Look> {
    const { left } = await recordOutcomes({
      ...found,
      now: now(),
      graceMs,
      sessions: undefined,
      looks: undefined,
    });
    const next = earliest(left.map(({ open }) => concludedWithoutAsking(open)));
    return { next: next && Math.min(next, now() + mostGapMs), hasAsked: false };
  }

  async function answered(
    agent: LookedAgent,
    found: OpenLinks,
    waits: LookWaits,
    about: { readonly looks: AgentLooks; readonly sessions: readonly Session[]; readonly form: LookupForm },
  ): Promise<Look> {
    const { looks, sessions, form } = about;
    const {
      left,
      found: listed,
      isJustEnded,
    } = await recordOutcomes({
      ...found,
      now: now(),
      graceMs: waits.graceMs,
      sessions,
      looks,
    });
    const used = new Set([...looks.seen, ...listed]);
    const seen = left.map(({ open }) => open.link.linkId).filter((id) => used.has(id));
    const worked = listed.length > 0 ? form : looks.worked;
    // While we don't know which form finds this agent's sessions, an answer is complete only with the other one's.
    const isUndecided = left.some(({ isUnused }) => !isUnused);
    const isHalf = isUndecided && worked === undefined && looks.hasEmail && !looks.isHalf;
    const isSoon = isJustEnded || isHalf;
    const kept: AgentLooks = { ...looks, seen, isSoon, isHalf, ...(worked === undefined ? {} : { worked }) };
    await records.write(agent, kept);
    return { next: dueOf(waits, left, kept), hasAsked: true };
  }

  return async function look(agent) {
    const found = await openLinksOf(agent);
    const { waiting } = found;
    if (waiting.length === 0) return { next: undefined, hasAsked: false };
    const { lookupAgent, waits } = await serviceOf(agent.workspaceId);
    if (lookupAgent === undefined) return withoutAsking(found, waits);
    const looks = withoutFuture(await records.of(agent), now());
    const due = dueOf(waits, waiting, looks);
    if (due !== undefined && due > now()) return { next: due, hasAsked: false };
    const isOurs = await records.claim(agent, waits.leastGapMs);
    if (!isOurs) return { next: now() + waits.leastGapMs, hasAsked: false };
    const { key, form, hasEmail } = await questionFor(agent, looks, waiting);
    const reply = await ask(lookupAgent, key, waiting);
    const known = { ...looks, hasEmail };
    if ('sessions' in reply) {
      return answered(agent, found, waits, {
        looks: withAnswer(known, form, now()),
        sessions: reply.sessions,
        form,
      });
    }
    const failed = withFailure(known, form, now());
    await records.write(agent, failed);
    const { left } = await recordOutcomes({
      ...found,
      now: now(),
      graceMs: waits.graceMs,
      sessions: undefined,
      looks: failed,
    });
    return { next: dueOf(waits, left, failed), hasAsked: true, failure: reply.failure };
  };
}
