import { LRUCache } from 'lru-cache';
import type { AgentKey, CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError, type CobrowseErrorKind } from '../cobrowse/errors.ts';
import type { Session } from '../cobrowse/schemas.ts';
import { createConcurrentByKey } from '../lifecycle/concurrency.ts';
import type { EndSource } from '../messages/link-request.ts';
import type { App, OfWorkspace } from '../parts.ts';
import { createAlarm } from '../lifecycle/repeating.ts';
import {
  createPollSchedule,
  dueOf,
  earliest,
  usualWaits,
  waitAfterFailures,
  type DueAgent,
  type LinkAgent,
  type LookUpWaits,
  type LookUps,
  type PollSchedule,
} from './poll-schedule.ts';
import {
  concludedWithoutAsking,
  createRecordOutcomes,
  startWindow,
  type OnOutcome,
} from './session-links.ts';
import { createWatchLinks, type GivenLink } from './watch-links.ts';

/** No person waits for it, and a history of ninety megabytes takes a while. */
const LOOK_UP_MS = 60_000;
const REST_AFTER_FAILURE_MS = 5_000;
/** The longest pause for a workspace whose service is down, before it gets one look-up, whoever it's for. */
const LONGEST_PAUSE_MS = 5 * 60_000;
const MOST_PAUSED = 1_000;
/** Failures that affect every request to a workspace's service. */
const FOR_EVERYBODY: ReadonlySet<CobrowseErrorKind> = new Set([
  'busy',
  'unreachable',
  'timed-out',
  'refused-key',
]);

interface Service {
  readonly cobrowse: Pick<CobrowseClient, 'lookupAgent' | 'offers'>;
  readonly endSource: EndSource;
  readonly ownAccountId: string | undefined;
}

/** `broken` is a failure of our own. */
export type ReportLookUp = (outcome: 'answered' | 'failed' | 'broken', error?: unknown) => void;

interface PollerParts extends OnOutcome, Pick<App, 'database' | 'now'>, OfWorkspace<Service> {
  readonly keyOf: (agent: LinkAgent) => Promise<AgentKey>;
  readonly waits: Partial<LookUpWaits> | undefined;
  readonly reportLookUp: ReportLookUp;
}

/** Without `hasAsked`, the service wasn't asked. */
interface LookedUp {
  /** Undefined if there is nothing left to ask for. */
  readonly next: number | undefined;
  readonly hasAsked?: boolean;
  readonly failure?: CobrowseError | undefined;
}

const waitsFor = ({ waits }: Pick<PollerParts, 'waits'>, endSource: EndSource): LookUpWaits => ({
  ...usualWaits(endSource),
  ...waits,
});

/** Asks the service about one agent's links, and records what it says of them. */
function createLookUp(parts: PollerParts, schedule: PollSchedule, signal: AbortSignal) {
  const { database, workspaceOf, keyOf, now } = parts;
  const links = createWatchLinks(database, now);
  const recordOutcomes = createRecordOutcomes(parts);

  /** None for an agent that the service doesn't know. */
  async function ask({ lookupAgent }: Service['cobrowse'], key: AgentKey, open: readonly GivenLink[]) {
    try {
      const since = new Date(Math.min(...open.map((one) => startWindow(one).from)));
      const sessions = { since, linkIds: new Set(open.map(({ link }) => link.linkId)) };
      return (await lookupAgent(key, { sessions, timeoutMs: LOOK_UP_MS, signal })).sessions;
    } catch (error) {
      if (!(error instanceof CobrowseError)) throw error;
      return error.kind === 'not-found' ? [] : error;
    }
  }

  /** Asks once for all of an agent's open links. Repeating what was done changes nothing. */
  return async function lookUp(agent: LinkAgent): Promise<LookedUp> {
    const all = await links.lookedFor(agent.workspaceId, agent.userId);
    const theirs = all.filter(({ agentId }) => agentId === agent.agentId);
    if (theirs.length === 0) return { next: undefined };
    const { cobrowse, endSource, ownAccountId } = await workspaceOf(agent.workspaceId);
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
    const answer = await ask(cobrowse, await keyOf(agent), open);
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

/** Of workspaces, until their service answers. */
function createPauses(usual: LookUpWaits, now: () => number) {
  const pauses = new LRUCache<string, { readonly failures: number; readonly until: number }>({
    max: MOST_PAUSED,
  });
  const failuresOf = (workspaceId: string) => pauses.get(workspaceId)?.failures ?? 0;
  return {
    /** After an answer, or a failure. */
    after(workspaceId: string, failure: CobrowseError | undefined): void {
      if (failure === undefined) return void pauses.delete(workspaceId);
      if (!FOR_EVERYBODY.has(failure.kind)) return;
      const failures = failuresOf(workspaceId) + 1;
      const until = now() + waitAfterFailures(failures, LONGEST_PAUSE_MS, usual);
      pauses.set(workspaceId, { failures, until });
    },
    /** After a failure of our own. */
    rest(workspaceId: string): void {
      pauses.set(workspaceId, { failures: failuresOf(workspaceId), until: now() + REST_AFTER_FAILURE_MS });
    },
    has: (workspaceId: string): boolean => (pauses.get(workspaceId)?.until ?? 0) > now(),
    now: () => [...pauses].filter(([, { until }]) => until > now()),
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
  const pauses = createPauses(usual, now);
  let running: Promise<void> | undefined;

  async function lookUpAndPlan(agent: DueAgent): Promise<void> {
    try {
      const { next, hasAsked = false, failure } = await lookUp(agent);
      await schedule.plan(agent, next === undefined || next > now() ? next : now() + usual.leastGapMs);
      if (!hasAsked) return;
      pauses.after(agent.workspaceId, failure);
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
        agent = pauses.has(workspaceId) ? undefined : await schedule.dueIn(workspaceId);
      }
    } catch (error) {
      // The look-up can't be put off either.
      reportLookUp('broken', error);
      pauses.rest(workspaceId);
    }
  }

  /** @returns the time of the next look-up elsewhere */
  async function round(): Promise<number> {
    try {
      // Whoever is done wakes the loop.
      while (!signal.aborted && !concurrentByKey.isFull()) {
        const paused = pauses.now();
        const ids = [...paused.map(([workspaceId]) => workspaceId), ...concurrentByKey.busy()];
        const agent = await schedule.dueOutside(ids);
        if (agent === undefined)
          return Math.min((await schedule.nextAt(ids)) ?? Infinity, ...paused.map(([, { until }]) => until));
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
    /** From a link's issue to its first look-up, milliseconds. */
    firstLookMs: (endSource: EndSource): number => waitsFor(parts, endSource).firstMs,
    /** A look-up was planned. */
    wake: alarm.wake,
  };
}
