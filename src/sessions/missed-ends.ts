import { LRUCache } from 'lru-cache';
import type { CobrowseError, CobrowseErrorKind } from '../cobrowse/errors.ts';
import { hasCome, type Database, type Sql } from '../database/database.ts';
import type { EndSource, IssuedLink } from '../messages/link-request.ts';
import { createSideBySide } from '../lifecycle/side-by-side.ts';
import { createRecordOutcomes } from './link-outcomes.ts';
import { createLookUpRecords, type DueAgent } from './look-up-records.ts';
import { createLookUp, usualWaits, waitAfterFailures, type LookUpWaits } from './look-up.ts';
import { recordLink, type RecordedLink, type WatchLinks } from './watch-links.ts';

/** The clock may be put forward, and another process may have planned a look-up. */
const LONGEST_NAP_MS = 60_000;
/** How long to leave the database alone when it fails. */
const REST_AFTER_FAILURE_MS = 5_000;
/** A workspace's service that is down gets one look-up within this time, whoever it's for. */
const LONGEST_PAUSE_MS = 5 * 60_000;
/** Workspaces whose failures are remembered. */
const MOST_PAUSED = 1_000;
/** Failures that affect every request to a workspace's service. */
const FOR_EVERYBODY: ReadonlySet<CobrowseErrorKind> = new Set([
  'busy',
  'unreachable',
  'timed-out',
  'refused-key',
]);

/** A link that was just issued. */
export interface NewLink {
  readonly link: IssuedLink;
  readonly agent: { readonly id: string };
  /** The workspace's own account that it was made with; undefined for the operator's. */
  readonly accountId?: string;
  readonly expiresAt: Date | undefined;
  /** The press it was made for; undefined if a ticket is proof enough. */
  readonly proofId?: string;
  /** What the link is recognized by. */
  readonly linkHash?: string;
}

/** Called with the outcome of every look-up, and with failures of our own. */
export type ReportLookUp = (outcome: 'answered' | 'failed' | 'broken', error?: unknown) => void;

/**
 * Finds the ends of sessions that no webhook reported, agent by agent in each workspace, for as long as the process runs.
 * The plan is in the table, so a restart or another process continues it.
 */
export function createMissedEnds(
  parts: Parameters<typeof createRecordOutcomes>[0] &
    Pick<Parameters<typeof createLookUp>[0], 'serviceOf' | 'keyOf'> & {
      readonly database: Database;
      readonly links: WatchLinks;
      /** Instead of the usual ones. */
      readonly waits: Partial<LookUpWaits> | undefined;
      readonly reportLookUp: ReportLookUp;
    },
) {
  const { database, serviceOf, now, reportLookUp } = parts;
  const calledOff = new AbortController();
  const { signal } = calledOff;
  const waitsFor = (endSource: EndSource): LookUpWaits => ({ ...usualWaits(endSource), ...parts.waits });
  const usual = waitsFor('webhook');
  const records = createLookUpRecords(database, now, Math.max(usual.firstMs, usual.mostGapMs));
  const recordOutcomes = createRecordOutcomes(parts);
  const lookUp = createLookUp({ ...parts, records, waitsFor, recordOutcomes, signal });
  const sideBySide = createSideBySide();
  /** By workspace, until its service answers: how often it failed in a row, and until when it's left alone. */
  const pauses = new LRUCache<string, { readonly failures: number; readonly until: number }>({
    max: MOST_PAUSED,
  });
  /** Between two rounds. It ends sooner for what is planned before its end, from the moment the round begins. */
  let nap = { until: 0, ...Promise.withResolvers<void>() };
  let running: Promise<void> | undefined;

  const isOver = ({ until }: { readonly until: number }) => hasCome(until, now(), LONGEST_PAUSE_MS);
  const paused = () => [...pauses].filter(([, pause]) => !isOver(pause));

  function pauseAfter(workspaceId: string, { kind }: CobrowseError): void {
    if (!FOR_EVERYBODY.has(kind)) return;
    const failures = (pauses.get(workspaceId)?.failures ?? 0) + 1;
    const until = now() + waitAfterFailures(failures, LONGEST_PAUSE_MS, usual);
    pauses.set(workspaceId, { failures, until });
  }

  async function lookUpAndPlan(agent: DueAgent): Promise<void> {
    try {
      const { next, hasAsked, failure } = await lookUp(agent);
      const time = now();
      await records.plan(agent, next === undefined || next > time ? next : time + usual.leastGapMs);
      if (failure !== undefined) pauseAfter(agent.workspaceId, failure);
      else if (hasAsked) pauses.delete(agent.workspaceId);
      if (hasAsked) reportLookUp(failure === undefined ? 'answered' : 'failed', failure);
    } catch (error) {
      // The database failed, or a row in it: what's open stays open and is tried again.
      reportLookUp('broken', error);
      await records.plan(agent, now() + usual.leastGapMs);
    }
  }

  /** Looks up everybody who is due in a workspace, beginning with this agent. */
  async function lookUpFrom(first: DueAgent): Promise<void> {
    const { workspaceId } = first;
    try {
      let agent: DueAgent | undefined = first;
      while (agent !== undefined && !signal.aborted) {
        await lookUpAndPlan(agent);
        const pause = pauses.get(workspaceId);
        agent = pause === undefined || isOver(pause) ? await records.dueIn(workspaceId) : undefined;
      }
    } catch (error) {
      // The look-up can't be put off either.
      reportLookUp('broken', error);
      const failures = pauses.get(workspaceId)?.failures ?? 0;
      pauses.set(workspaceId, { failures, until: now() + REST_AFTER_FAILURE_MS });
    }
  }

  /** Starts on each workspace in which somebody is due. Resolves with the time of the next look-up elsewhere. */
  async function round(): Promise<number> {
    try {
      for (;;) {
        if (signal.aborted) return now();
        // Whoever is done ends the nap.
        if (sideBySide.isFull()) return Infinity;
        // Read once: a pause that ends meanwhile would count for neither.
        const left = paused();
        const ids = [...left.map(([workspaceId]) => workspaceId), ...sideBySide.busy()];
        const agent = await records.dueOutside(ids);
        if (agent === undefined)
          return Math.min((await records.nextAt(ids)) ?? Infinity, ...left.map(([, { until }]) => until));
        void sideBySide.start(agent.workspaceId, () => lookUpFrom(agent)).then(() => nap.resolve());
      }
    } catch (error) {
      reportLookUp('broken', error);
      return now() + REST_AFTER_FAILURE_MS;
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      nap = { until: now() + LONGEST_NAP_MS, ...Promise.withResolvers<void>() };
      nap.until = Math.min(nap.until, await round());
      const restsMs = Math.min(Math.max(1, nap.until - now()), LONGEST_NAP_MS);
      const timer = setTimeout(nap.resolve, restsMs);
      await nap.promise;
      clearTimeout(timer);
    }
  }

  return {
    start(): void {
      running ??= run();
    },
    /** Starts no further look-up and waits for those under way. */
    async stop(): Promise<void> {
      calledOff.abort();
      nap.resolve();
      await running;
      await sideBySide.idle();
    },
    /** Records a link, so that its end is found whatever happens to this process. */
    async prepareLink({ link, agent, accountId, expiresAt, proofId, linkHash }: NewLink, cardId: Sql) {
      const { firstMs } = waitsFor((await serviceOf(link.workspaceId)).endSource);
      const issuedAt = now();
      const recorded: RecordedLink = {
        link,
        agentId: agent.id,
        accountId,
        issuedAt,
        expiresAt: expiresAt?.getTime(),
      };
      const lookAt = issuedAt + firstMs;
      return {
        /** For the write that hands it out. */
        statement: recordLink(recorded, { lookAt, cardId, proofId, linkHash }),
        recorded,
        /** Starts looking for its end; call it once the write is durable. */
        planned: () => {
          if (lookAt < nap.until) nap.resolve();
        },
      };
    },
  };
}
