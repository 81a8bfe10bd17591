import { z } from 'zod';
import type { AgentKey, CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Session } from '../cobrowse/schemas.ts';
import { hasChanged, isNoneOf, jsonOf, rowOf, sql, type Database, type Sql } from '../database/database.ts';
import { createConcurrentByKey } from '../lifecycle/concurrency.ts';
import type { EndSource } from '../messages/link-request.ts';
import type { App, OfWorkspace } from '../parts.ts';
import { createAlarm } from '../lifecycle/repeating.ts';
import { isOnHold } from '../workspaces/holds.ts';
import type { Workspace } from '../workspaces/workspaces.ts';
import {
  concludedWithoutAsking,
  createRecordOutcomes,
  startWindow,
  type OnOutcome,
} from './session-links.ts';
import { createWatchLinks, type GivenLink } from './watch-links.ts';

/* When and how the service is asked about an agent's sessions, by a plan in the tables that all processes share. Times are ms since 1970. */

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
function waitsFor({ lookUpWaits }: Pick<PollerParts, 'lookUpWaits'>, endSource: EndSource): LookUpWaits {
  const gaps = { leastGapMs: MINUTE_MS, mostGapMs: 60 * MINUTE_MS };
  const usual =
    endSource === 'webhook'
      ? { ...gaps, firstMs: 10 * MINUTE_MS, graceMs: MINUTE_MS }
      : { ...gaps, firstMs: 2 * MINUTE_MS, graceMs: 0 };
  return { ...usual, ...lookUpWaits };
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
type LookUps = z.infer<typeof LookUps>;

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

const waitAfterFailures = (failures: number, { leastGapMs }: Pick<LookUpWaits, 'leastGapMs'>): number =>
  Math.min(Math.max(LONGEST_WAIT_MS, leastGapMs), leastGapMs * 2 ** Math.min(failures - 1, 20));

const earliest = (times: readonly number[]): number | undefined =>
  times.length === 0 ? undefined : Math.min(...times);

/** When to ask about any of an agent's links; undefined if none is left. */
function dueOf(waits: LookUpWaits, open: readonly GivenLink[], lookUps: LookUps): number | undefined {
  const { lookedAt, failures, isSoon } = lookUps;
  if (open.length === 0) return undefined;
  if (lookedAt !== undefined && failures > 0) return lookedAt + waitAfterFailures(failures, waits);
  const due = open.map(({ issuedAt }) => nextLookUp(issuedAt, lookedAt, waits));
  if (lookedAt !== undefined && isSoon) due.push(lookedAt + Math.max(waits.graceMs, waits.leastGapMs));
  return earliest(due);
}

/** `agentId` is as sent to the service. */
const LinkAgent = rowOf({ workspaceId: z.string(), userId: z.string(), agentId: z.string() });
export type LinkAgent = Readonly<z.infer<typeof LinkAgent>>;
type DueAgent = LinkAgent & { readonly readAt: number };

const Row = rowOf({ looks: jsonOf(LookUps).optional() });
const NextAt = rowOf({ nextAt: z.number().optional() });

const one = ({ workspaceId, userId, agentId }: LinkAgent): Sql =>
  sql`workspace_id = ${workspaceId} AND user_id = ${userId} AND agent_id = ${agentId}`;

const isNotOnHold = sql`NOT ${isOnHold(sql`watch_links.workspace_id`)}`;
const isOutside = (workspaceIds: readonly string[]): Sql =>
  sql`${isNotOnHold} AND ${isNoneOf(sql`workspace_id`, workspaceIds)}`;

type PollSchedule = ReturnType<typeof createPollSchedule>;

export function createPollSchedule(database: Database, now: () => number) {
  async function firstDue(where: Sql): Promise<DueAgent | undefined> {
    const readAt = now();
    const [agent] = await database.read(
      sql`SELECT workspace_id, user_id, agent_id FROM watch_links WHERE look_at <= ${readAt} AND ${where}
        ORDER BY look_at LIMIT 1`,
      LinkAgent,
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

/** What the service knows an agent by. Rejects with a DatabaseError. */
export type KeyOf = (
  workspace: Pick<Workspace, 'id' | 'accountId'>,
  agent: Pick<LinkAgent, 'userId' | 'agentId'>,
) => Promise<AgentKey>;

/** No person waits for it, and a history of ninety megabytes takes a while. */
const LOOK_UP_MS = 60_000;
const REST_AFTER_FAILURE_MS = 5_000;

interface Service {
  readonly id: string;
  readonly accountId: string;
  readonly cobrowse: Pick<CobrowseClient, 'lookupAgent' | 'offers'>;
  readonly endSource: EndSource;
  readonly ownAccountId: string | undefined;
}

/** `broken` is a failure of our own. */
export type ReportLookUp = (outcome: 'answered' | 'failed' | 'broken', error?: unknown) => void;

interface PollerParts extends OnOutcome, Pick<App, 'database' | 'now'>, OfWorkspace<Service> {
  readonly keyOf: KeyOf;
  readonly lookUpWaits: Partial<LookUpWaits> | undefined;
  readonly reportLookUp: ReportLookUp;
}

function createLookUp(parts: PollerParts, schedule: PollSchedule, signal: AbortSignal) {
  const { database, workspaceOf, keyOf, now } = parts;
  const links = createWatchLinks(database, now);
  const recordOutcomes = createRecordOutcomes(parts);

  /** None for an agent that the service doesn't know. */
  async function ask({ lookupAgent }: Service['cobrowse'], key: AgentKey, open: readonly GivenLink[]) {
    try {
      const since = new Date(Math.min(...open.map((link) => startWindow(link).from)));
      const sessions = { since, linkIds: new Set(open.map(({ link }) => link.linkId)) };
      return (await lookupAgent(key, { sessions, timeoutMs: LOOK_UP_MS, signal })).sessions;
    } catch (error) {
      if (!(error instanceof CobrowseError)) throw error;
      return error.kind === 'not-found' ? [] : error;
    }
  }

  /** Asks once for all of an agent's open links; again, it changes nothing. `next` is undefined if nothing is left to ask for. */
  return async function lookUp(agent: LinkAgent) {
    const all = await links.lookedFor(agent.workspaceId, agent.userId);
    const theirs = all.filter(({ agentId }) => agentId === agent.agentId);
    if (theirs.length === 0) return { next: undefined };
    const workspace = await workspaceOf(agent.workspaceId);
    const { cobrowse, endSource, ownAccountId } = workspace;
    const waits = waitsFor(parts, endSource);
    const open = theirs.filter(({ accountId }) => accountId === ownAccountId);
    const lost = theirs.filter(({ accountId }) => accountId !== ownAccountId);
    // The current account knows nothing of them, and may know somebody else by the same ids.
    if (lost.length > 0) await recordOutcomes({ open: lost, graceMs: 0, isLost: true });
    if (open.length === 0) return { next: undefined };
    const conclude = (lookUps?: LookUps, sessions?: readonly Session[]) =>
      recordOutcomes({ open, graceMs: waits.graceMs, lookUps, sessions });
    if (!cobrowse.offers.lookupAgent) {
      const { left } = await conclude();
      const next = earliest(left.map(concludedWithoutAsking));
      return { next: next && Math.min(next, now() + waits.mostGapMs) };
    }
    const before = await schedule.of(agent);
    const due = dueOf(waits, open, before);
    if (due !== undefined && due > now()) return { next: due };
    if (!(await schedule.claim(agent, waits.leastGapMs))) return { next: now() + waits.leastGapMs };
    const answer = await ask(cobrowse, await keyOf(workspace, agent), open);
    const lookedAt = now();
    if (answer instanceof CobrowseError) {
      const failed = { ...before, lookedAt, failures: before.failures + 1 };
      await schedule.write(agent, failed);
      const { left } = await conclude(failed);
      return { next: dueOf(waits, left, failed), hasAsked: true, failure: answer };
    }
    const answered = [...before.answered, lookedAt].slice(-2);
    const after = { ...before, lookedAt, failures: 0, answered };
    const { left, seen, isJustEnded } = await conclude(after, answer);
    const kept = { ...after, seen, isSoon: isJustEnded };
    await schedule.write(agent, kept);
    return { next: dueOf(waits, left, kept), hasAsked: true };
  };
}

/** Finds the ends of sessions that no webhook reported. The plan is in the table: a restart or another process continues it. */
export function createSessionPoller(parts: PollerParts) {
  const { database, now, reportLookUp } = parts;
  const calledOff = new AbortController();
  const { signal } = calledOff;
  const usual = waitsFor(parts, 'webhook');
  const schedule = createPollSchedule(database, now);
  const lookUp = createLookUp(parts, schedule, signal);
  const concurrentByKey = createConcurrentByKey();
  const alarm = createAlarm(now);
  let running: Promise<void> | undefined;

  async function lookUpAndPlan(agent: DueAgent): Promise<void> {
    try {
      const { next, hasAsked = false, failure } = await lookUp(agent);
      await schedule.plan(agent, next === undefined || next > now() ? next : now() + usual.leastGapMs);
      if (!hasAsked) return;
      reportLookUp(failure === undefined ? 'answered' : 'failed', failure);
    } catch (error) {
      // What's open stays open and is tried again.
      reportLookUp('broken', error);
      await schedule.plan(agent, now() + usual.leastGapMs);
    }
  }

  /** Looks up everybody who is due in a workspace, beginning with this agent. */
  async function lookUpFrom(first: DueAgent): Promise<void> {
    const { workspaceId } = first;
    try {
      let agent: DueAgent | undefined = first;
      while (agent !== undefined && !signal.aborted) {
        await lookUpAndPlan(agent);
        agent = await schedule.dueIn(workspaceId);
      }
    } catch (error) {
      // The look-up can't be put off either.
      reportLookUp('broken', error);
      await alarm.pause(REST_AFTER_FAILURE_MS);
    }
  }

  /** @returns the time of the next look-up elsewhere */
  async function round(): Promise<number> {
    try {
      // Whoever is done wakes the loop.
      while (!signal.aborted && !concurrentByKey.isFull()) {
        const busy = concurrentByKey.busy();
        const agent = await schedule.dueOutside(busy);
        if (agent === undefined) return (await schedule.nextAt(busy)) ?? Infinity;
        void concurrentByKey.start(agent.workspaceId, () => lookUpFrom(agent)).then(() => alarm.wake());
      }
      return Infinity;
    } catch (error) {
      reportLookUp('broken', error);
      return now() + REST_AFTER_FAILURE_MS;
    }
  }

  const run = async () => {
    while (!signal.aborted) await alarm.sleep(await round());
  };

  return {
    start: () => void (running ??= run()),
    /** Waits for look-ups under way. */
    async stop(): Promise<void> {
      calledOff.abort();
      alarm.end();
      await running;
      await concurrentByKey.idle();
    },
    firstLookMs: (endSource: EndSource): number => waitsFor(parts, endSource).firstMs,
    wake: alarm.wake,
  };
}
