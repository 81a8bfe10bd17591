import type { CobrowseErrorKind } from '../cobrowse/errors.ts';
import type { CobrowseError } from '../cobrowse/errors.ts';
import type { DueAgent, LookRecords, LookedAgent } from './agent-looks.ts';
import { waitAfterFailures } from './look-times.ts';
import type { LookWaits } from './look-times.ts';
import type { Look } from './look-up.ts';

/** The clock may be put forward, and another process may have planned a look-up. */
const LONGEST_NAP_MS = 60_000;
/** How long to leave the database alone when it fails. */
const REST_AFTER_FAILURE_MS = 5_000;
/** A workspace's service that is down gets one look-up within this time, whoever it's for. */
const LONGEST_PAUSE_MS = 5 * 60_000;
/** Failures that affect every request to a workspace's service. */
const FOR_EVERYBODY: ReadonlySet<CobrowseErrorKind> = new Set([
  'busy',
  'unreachable',
  'timed-out',
  'refused-key',
]);

/** How often a workspace's service has failed in a row, and how long it's left alone: milliseconds since 1970. */
interface Pause {
  readonly failures: number;
  readonly until: number;
}

/** Called with the outcome of every look-up, and with failures of our own. */
export type LookReport = (outcome: 'answered' | 'failed' | 'broken', error?: unknown) => void;

interface LookWorkerParts {
  readonly looks: Pick<LookRecords, 'due' | 'nextAt' | 'plan'>;
  readonly look: (agent: LookedAgent) => Promise<Look>;
  readonly waits: Pick<LookWaits, 'leastGapMs'>;
  readonly now: () => number;
  readonly report: LookReport;
}

/**
 * Looks for session ends that no webhook reported, agent by agent, for as long as the process runs. The plan is in the
 * table, so a restart or another process continues it.
 */
export interface LookWorker {
  start(): void;
  /** A look-up is due then, maybe sooner than we knew. Milliseconds since 1970. */
  wakeBy(time: number): void;
  /** Starts no further look-up and waits for the one under way. */
  stop(): Promise<void>;
}

const idsOf = (paused: readonly (readonly [string, Pause])[]) => paused.map(([workspaceId]) => workspaceId);

export function createLookWorker({ looks, look, waits, now, report }: LookWorkerParts): LookWorker {
  /** By workspace, until its service answers. */
  const pauses = new Map<string, Pause>();
  let restMs = 1;
  let sleepsUntil = 0;
  /** A look-up that was planned since the table was last asked, which may not have seen it. */
  let plannedAt = Number.POSITIVE_INFINITY;
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> | undefined;
  let stopped = false;

  /** Whether a time is still to come. One too far away was computed before the clock was put back. */
  const isAhead = (time: number, atMost: number) => time > now() && time - now() <= atMost;
  const paused = () => [...pauses].filter(([, { until }]) => isAhead(until, LONGEST_PAUSE_MS));

  function pauseAfter(workspaceId: string, { kind }: CobrowseError): void {
    if (!FOR_EVERYBODY.has(kind)) return;
    const failures = (pauses.get(workspaceId)?.failures ?? 0) + 1;
    const until = now() + waitAfterFailures(failures, LONGEST_PAUSE_MS, waits);
    pauses.set(workspaceId, { failures, until });
  }

  async function lookAt(agent: DueAgent): Promise<void> {
    try {
      const { next, hasAsked, failure } = await look(agent);
      const time = now();
      await looks.plan(agent, next === undefined || next > time ? next : time + waits.leastGapMs);
      if (failure !== undefined) pauseAfter(agent.workspaceId, failure);
      else if (hasAsked) pauses.delete(agent.workspaceId);
      if (hasAsked) report(failure === undefined ? 'answered' : 'failed', failure);
    } catch (error) {
      // The database failed, or a row in it: what's open stays open and is tried again.
      report('broken', error);
      await looks.plan(agent, now() + waits.leastGapMs);
    }
  }

  async function work(): Promise<void> {
    restMs = 1;
    plannedAt = Number.POSITIVE_INFINITY;
    try {
      for (;;) {
        const agent = stopped ? undefined : await looks.due(idsOf(paused()));
        if (agent === undefined) return;
        await lookAt(agent);
      }
    } catch (error) {
      // The look-up can't be put off either.
      restMs = REST_AFTER_FAILURE_MS;
      report('broken', error);
    }
  }

  async function sleep(): Promise<void> {
    if (stopped) return;
    // Read once: a pause that ends meanwhile would count in neither.
    const left = paused();
    const next =
      (await looks.nextAt(idsOf(left)).catch(() => now() + REST_AFTER_FAILURE_MS)) ??
      Number.POSITIVE_INFINITY;
    if (stopped) return;
    const napMs = Math.min(next, plannedAt, ...left.map(([, { until }]) => until)) - now();
    clearTimeout(timer);
    const restsMs = Math.min(Math.max(restMs, napMs), LONGEST_NAP_MS);
    sleepsUntil = now() + restsMs;
    timer = setTimeout(wake, restsMs);
  }

  function wake(): void {
    if (stopped || underWay !== undefined) return;
    clearTimeout(timer);
    underWay = work()
      .then(sleep)
      .finally(() => {
        underWay = undefined;
      });
  }

  return {
    start: wake,
    wakeBy(time) {
      plannedAt = Math.min(plannedAt, time);
      if (time < sleepsUntil) wake();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await underWay;
    },
  };
}
