import type { AgentKey, CobrowseClient, WantedSessions } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Session } from '../cobrowse/schemas.ts';
import type { EndSource } from '../messages/link-request.ts';
import { concludedWithoutAsking, type RecordOutcomes } from './link-outcomes.ts';
import type { LinkAgent, LookUpRecords, LookUps } from './look-up-records.ts';
import { startWindow } from './session-links.ts';
import type { GivenLink, WatchLinks } from './watch-links.ts';

const MINUTE_MS = 60 * 1_000;
/** The wait between two look-ups, as a share of the link's age: older links are looked up less often. */
const SHARE_OF_AGE = 0.25;
/** An agent whose look-ups keep failing, for example with an answer we can't read, is tried again within this time. */
const LONGEST_WAIT_MS = 15 * MINUTE_MS;
/** No person waits for it, and a history of ninety megabytes takes a while. */
const LOOK_UP_MS = MINUTE_MS;

/** How long the app waits before it asks the service about a link's session, and between two times. Milliseconds. */
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

/**
 * When to ask about a link's session next.
 *
 * @param lookedAt when its agent was last looked up; undefined for never
 */
export function nextLookUp(issuedAt: number, lookedAt: number | undefined, waits: LookUpWaits): number {
  const { firstMs, leastGapMs, mostGapMs } = waits;
  const first = issuedAt + firstMs;
  if (lookedAt === undefined) return first;
  if (lookedAt < first) return Math.max(first, lookedAt + leastGapMs);
  // The tables take whole milliseconds only.
  const share = Math.round((lookedAt - issuedAt) * SHARE_OF_AGE);
  return lookedAt + Math.min(mostGapMs, Math.max(leastGapMs, share));
}

/** How long to leave the service, or one agent, alone after this many failures in a row; it doubles. */
export function waitAfterFailures(
  failures: number,
  mostMs: number,
  { leastGapMs }: Pick<LookUpWaits, 'leastGapMs'>,
): number {
  return Math.min(Math.max(mostMs, leastGapMs), leastGapMs * 2 ** Math.min(failures - 1, 20));
}

/** When to ask again, undefined if there is nothing left to ask for; and how the look-up failed, if it did. */
interface LookedUp {
  readonly next: number | undefined;
  /** Whether the service was asked. */
  readonly hasAsked: boolean;
  readonly failure?: CobrowseError;
}

const earliest = (times: readonly number[]) => (times.length === 0 ? undefined : Math.min(...times));

/** Every session that can belong to one of these links. */
function sessionsOf(open: readonly GivenLink[]): WantedSessions {
  const since = Math.min(...open.map((one) => startWindow(one).from));
  return { since: new Date(since), linkIds: new Set(open.map(({ link }) => link.linkId)) };
}

function dueOf(waits: LookUpWaits, open: readonly GivenLink[], lookUps: LookUps): number | undefined {
  const { lookedAt, failures, isSoon } = lookUps;
  if (open.length === 0) return undefined;
  if (lookedAt !== undefined && failures > 0)
    return lookedAt + waitAfterFailures(failures, LONGEST_WAIT_MS, waits);
  const due = open.map(({ issuedAt }) => nextLookUp(issuedAt, lookedAt, waits));
  if (lookedAt !== undefined && isSoon) due.push(lookedAt + Math.max(waits.graceMs, waits.leastGapMs));
  return earliest(due);
}

/**
 * Asks for ended sessions of one agent's open links that no webhook reported, once for all of them. Rejects if the
 * database fails; repeating what was done changes nothing.
 */
export function createLookUp({
  links,
  records,
  serviceOf,
  waitsFor,
  keyOf,
  recordOutcomes,
  signal,
  now,
}: {
  readonly links: Pick<WatchLinks, 'lookedFor'>;
  readonly records: LookUpRecords;
  /** A workspace's account of the service, and how the app learns there that a session ended. */
  readonly serviceOf: (workspaceId: string) => Promise<{
    readonly cobrowse: Pick<CobrowseClient, 'lookupAgent' | 'offers'>;
    readonly endSource: EndSource;
    readonly ownAccountId: string | undefined;
  }>;
  readonly waitsFor: (endSource: EndSource) => LookUpWaits;
  /** What the service knows the agent by. */
  readonly keyOf: (agent: LinkAgent) => Promise<AgentKey>;
  readonly recordOutcomes: RecordOutcomes;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}) {
  /** The sessions that the service lists; none for an agent it doesn't know. */
  async function ask(
    { lookupAgent }: Pick<CobrowseClient, 'lookupAgent'>,
    key: AgentKey,
    open: readonly GivenLink[],
  ) {
    try {
      const wanted = { sessions: sessionsOf(open), once: true, timeoutMs: LOOK_UP_MS, signal };
      return { sessions: (await lookupAgent(key, wanted)).sessions };
    } catch (error) {
      if (!(error instanceof CobrowseError)) throw error;
      return error.kind === 'not-found' ? { sessions: [] } : { failure: error };
    }
  }

  return async function lookUp(agent: LinkAgent): Promise<LookedUp> {
    const theirs = await links.lookedFor(agent.workspaceId, agent.userId);
    if (theirs.length === 0) return { next: undefined, hasAsked: false };
    const { cobrowse, endSource, ownAccountId } = await serviceOf(agent.workspaceId);
    const waits = waitsFor(endSource);
    const {
      open = [],
      lost = [],
      elsewhere = [],
    } = Object.groupBy(theirs, ({ agentId, accountId }) => {
      if (agentId !== agent.agentId) return 'elsewhere';
      return accountId === ownAccountId ? 'open' : 'lost';
    });
    // The account in force knows nothing of them, and may know somebody else by the same ids.
    if (lost.length > 0) {
      const nothing = { graceMs: 0, lookUps: undefined, sessions: undefined };
      const others = [...open, ...elsewhere];
      await recordOutcomes({ open: lost, elsewhere: others, now: now(), ...nothing, isLost: true });
    }
    if (open.length === 0) return { next: undefined, hasAsked: false };
    const conclude = (lookUps?: LookUps, sessions?: readonly Session[]) =>
      recordOutcomes({ open, elsewhere, now: now(), graceMs: waits.graceMs, lookUps, sessions });
    if (!cobrowse.offers.lookupAgent) {
      const { left } = await conclude();
      const next = earliest(left.map(concludedWithoutAsking));
      return { next: next && Math.min(next, now() + waits.mostGapMs), hasAsked: false };
    }
    const before = await records.of(agent);
    const due = dueOf(waits, open, before);
    if (due !== undefined && due > now()) return { next: due, hasAsked: false };
    if (!(await records.claim(agent, waits.leastGapMs)))
      return { next: now() + waits.leastGapMs, hasAsked: false };
    const answer = await ask(cobrowse, await keyOf(agent), open);
    const lookedAt = now();
    if (answer.sessions === undefined) {
      const failed = { ...before, lookedAt, failures: before.failures + 1 };
      await records.write(agent, failed);
      const { left } = await conclude(failed);
      return { next: dueOf(waits, left, failed), hasAsked: true, failure: answer.failure };
    }
    const answered = [...before.answered, lookedAt].slice(-2);
    const after = { ...before, lookedAt, failures: 0, answered };
    const { left, found, isJustEnded } = await conclude(after, answer.sessions);
    const used = new Set([...before.seen, ...found]);
    const seen = left.map(({ link }) => link.linkId).filter((id) => used.has(id));
    const kept = { ...after, seen, isSoon: isJustEnded };
    await records.write(agent, kept);
    return { next: dueOf(waits, left, kept), hasAsked: true };
  };
}
