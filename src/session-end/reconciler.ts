import type { CobrowseErrorKind } from '../cobrowse/errors.ts';
import type { CobrowseError } from '../cobrowse/errors.ts';
import type { OpenGrant, OpenGrants } from '../grants/open-grants.ts';
import type { LookedAgent } from './agent-looks.ts';
import { waitAfterFailures } from './look-times.ts';
import type { LookWaits } from './look-times.ts';
import type { Look } from './reconcile.ts';

/** A clock may be put forward, and another process's grants are ours, too, once it is gone. */
const LONGEST_NAP_MS = 60_000;
const SCAN_EVERY_MS = 10 * 60_000;
/** A service that is down is asked by one look within this, whoever it is for. */
const LONGEST_PAUSE_MS = 5 * 60_000;
/** With these the service would answer nobody. */
const FOR_EVERYBODY: ReadonlySet<CobrowseErrorKind> = new Set([
  'busy',
  'unreachable',
  'timed-out',
  'refused-key',
]);

/** Told of every look-up, and of failures of our own. */
export type LookReport = (outcome: 'answered' | 'failed' | 'broken', error?: unknown) => void;

interface ReconcilerParts {
  readonly open: Pick<OpenGrants, 'all'>;
  readonly look: (agent: LookedAgent) => Promise<Look>;
  readonly waits: LookWaits;
  readonly now: () => number;
  readonly report: LookReport;
}

/** Looks for the ends that nobody told of, agent by agent, for as long as the process runs. One timer for all. */
export interface Reconciler {
  /** Takes up what earlier processes left. */
  start(): void;
  /** Takes note of a link that was just given. */
  add(open: OpenGrant): void;
  /** Starts no further look and waits for the one under way. */
  stop(): Promise<void>;
}

interface Planned {
  readonly agent: LookedAgent;
  readonly at: number;
}

const keyOf = ({ workspaceId, userId, agentId }: LookedAgent) =>
  JSON.stringify([workspaceId, userId, agentId]);

function agentOf({ grant: { workspaceId, userId }, agentId }: OpenGrant): LookedAgent {
  return { workspaceId, userId, agentId };
}

export function createReconciler({ open, look, waits, now, report }: ReconcilerParts): Reconciler {
  const plan = new Map<string, Planned>();
  let failures = 0;
  let pausedUntil = 0;
  let scanAt = 0;
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> | undefined;
  let stopped = false;

  /** Whether a time is still to come; one that is too far off was reckoned before the clock was put back. */
  const isAhead = (time: number, atMost: number) => time > now() && time - now() <= atMost;

  function schedule(agent: LookedAgent, at: number): void {
    const known = plan.get(keyOf(agent));
    if (known === undefined || at < known.at) plan.set(keyOf(agent), { agent, at });
  }

  /** A look at an agent that is not due yet costs no look-up: it tells when it is. */
  async function scan(): Promise<void> {
    if (isAhead(scanAt, SCAN_EVERY_MS)) return;
    for await (const page of open.all()) {
      for (const one of page) schedule(agentOf(one), now());
      // Thousands of records: whoever waits for an answer comes first.
      await new Promise((resolve) => setImmediate(resolve));
    }
    scanAt = now() + SCAN_EVERY_MS;
  }

  function pauseAfter({ kind }: CobrowseError): void {
    if (!FOR_EVERYBODY.has(kind)) return;
    failures += 1;
    pausedUntil = now() + waitAfterFailures(failures, LONGEST_PAUSE_MS, waits);
  }

  async function lookAt(agent: LookedAgent): Promise<void> {
    try {
      const { next, hasAsked, failure } = await look(agent);
      const time = now();
      if (next !== undefined) schedule(agent, next > time ? next : time + waits.leastGapMs);
      if (failure !== undefined) pauseAfter(failure);
      else if (hasAsked) failures = 0;
      if (hasAsked) report(failure === undefined ? 'answered' : 'failed', failure);
    } catch (error) {
      // The store, or a record in it: what is open stays open and is looked at again.
      schedule(agent, now() + waits.leastGapMs);
      report('broken', error);
    }
  }

  function firstDue(): Planned | undefined {
    const time = now();
    if (stopped || isAhead(pausedUntil, LONGEST_PAUSE_MS)) return undefined;
    let first: Planned | undefined;
    for (const planned of plan.values()) {
      if (planned.at <= time && (first === undefined || planned.at < first.at)) first = planned;
    }
    return first;
  }

  async function work(): Promise<void> {
    try {
      await scan();
    } catch (error) {
      report('broken', error);
    }
    for (let due = firstDue(); due !== undefined; due = firstDue()) {
      // A link that is given meanwhile plans its agent anew.
      plan.delete(keyOf(due.agent));
      await lookAt(due.agent);
    }
  }

  function wake(): void {
    if (stopped || underWay !== undefined) return;
    clearTimeout(timer);
    underWay = work().finally(() => {
      underWay = undefined;
      sleep();
    });
  }

  function sleep(): void {
    if (stopped) return;
    let next = now() + LONGEST_NAP_MS;
    for (const { at } of plan.values()) next = Math.min(next, at);
    const napMs = Math.max(next, pausedUntil) - now();
    clearTimeout(timer);
    timer = setTimeout(wake, Math.min(Math.max(1, napMs), LONGEST_NAP_MS));
  }

  return {
    start: wake,
    add(one) {
      schedule(agentOf(one), one.issuedAt + waits.firstMs);
      if (underWay === undefined) sleep();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await underWay;
    },
  };
}
