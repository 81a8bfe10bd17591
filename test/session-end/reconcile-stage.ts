import { onTestFinished, vi } from 'vitest';
import type { AgentKey, WantedSessions } from '../../src/cobrowse/client.ts';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { AgentSchema } from '../../src/cobrowse/schemas.ts';
import type { Agent, Session } from '../../src/cobrowse/schemas.ts';
import type { EndNews } from '../../src/grants/fate.ts';
import type { SessionEndGrant } from '../../src/grants/grant.ts';
import { createWatchLinks, recordLink } from '../../src/grants/watch-links.ts';
import { createLookRecords, planLook } from '../../src/session-end/agent-looks.ts';
import { createGrantEnds } from '../../src/session-end/grant-ends.ts';
import { longestLook, usualWaits } from '../../src/session-end/look-times.ts';
import { createReconcile } from '../../src/session-end/reconcile.ts';
import { createReconciler } from '../../src/session-end/reconciler.ts';
import { createSettle } from '../../src/session-end/settle.ts';
import type { ShowConclusion } from '../../src/session-end/settle.ts';
import type { Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { createStorage } from '../../src/storage/open.ts';
import type { Storage } from '../../src/storage/store.ts';
import { pass } from '../support/fake-time.ts';
import { alexInSupport, endedSession } from '../deliveries/ended-session.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
/** No test begins at the very first millisecond of time: some look back. */
const START = Date.UTC(2026, 2, 1, 12);

/** What a process sees of the database. */
export type Change = (database: Database) => Database;

interface StageOptions {
  /** Default `told`. */
  readonly news?: EndNews;
  /** The email that the Slack profile shows. Default alex@acme.com. */
  readonly email?: string | undefined;
  /** How the service answers a look-up in place of what it lists. */
  readonly answer?: (key: AgentKey, at: number) => Agent | Error | undefined;
  /** The form that finds the agent; the other finds nobody. Default `externalId`. */
  readonly foundBy?: 'externalId' | 'email' | 'nothing';
  readonly show?: ShowConclusion;
  /** In place of `email`. */
  readonly emailOf?: () => Promise<string | undefined>;
  /** What every look-up waits for. */
  readonly before?: () => Promise<void>;
  /** What fails. */
  readonly change?: Change;
}

/** What one process does; `stop` ends it, and leaves the stores. */
export interface StageProcess {
  readonly give: (visitorId: string, more?: GiveOptions) => Promise<SessionEndGrant>;
  /** As a webhook does. */
  readonly tell: (grant: SessionEndGrant, sessionId: string) => Promise<'accepted' | 'duplicate'>;
  readonly stop: () => Promise<void>;
}

interface GiveOptions {
  readonly userId?: string;
  readonly agentId?: string;
  /** Milliseconds the link lives; null where the service does not say. */
  readonly livesMs?: number | null;
}

/** When it happens and to whom, in minutes since the start. */
interface SessionTimes {
  readonly id: string;
  readonly visitorId?: string;
  readonly startMinute: number;
  /** Left out while it runs. */
  readonly endMinute?: number;
  /** The grant that the service gives back as metadata. */
  readonly grantId?: string;
}

/** As the client does: nothing else reaches reconciliation. */
function isWanted({ started_at, metadata }: Session, wanted: WantedSessions): boolean {
  if (wanted === 'none' || 'newest' in wanted) throw new Error('Reconciliation asks since a time.');
  if (wanted.grantIds.has(metadata?.slack_grant ?? '')) return true;
  return (Date.parse(started_at ?? '') || 0) >= wanted.since.getTime();
}

const iso = (minute: number) => new Date(START + minute * MINUTE_MS).toISOString();

/** Stores in memory on the test's clock, a service that lists what the test says, and reconcilers over both. */
export async function openReconcileStage(options: StageOptions = {}) {
  vi.useFakeTimers({ now: START, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const shared = await openDatabase('memory:');
  const storage: Storage = createStorage(shared, { now: Date.now });
  const processes: StageProcess[] = [];
  onTestFinished(async () => {
    // Not waited for: one that was killed never ends.
    for (const process of processes) void process.stop();
    await pass(0);
    vi.useRealTimers();
    await storage.close();
  });
  const { news = 'told', foundBy = 'externalId' } = options;
  const lookups: { readonly key: AgentKey; readonly at: number }[] = [];
  const summaries: {
    readonly grant: SessionEndGrant;
    readonly session: Session;
    readonly receivedAt: number;
  }[] = [];
  const shown: string[] = [];
  const findings: string[] = [];
  const reports: string[] = [];
  const waits = usualWaits(news);
  let sessions: readonly object[] = [];
  let issued = 0;

  async function lookupAgent(key: AgentKey, wanted: WantedSessions): Promise<Agent> {
    lookups.push({ key, at: Date.now() });
    await options.before?.();
    const given = options.answer?.(key, Date.now());
    if (given instanceof Error) throw given;
    if (given !== undefined) return given;
    const form = 'email' in key ? 'email' : 'externalId';
    if (form !== foundBy) throw new CobrowseError('not-found', 'GET /agents/lookup: answered 404');
    const agent = AgentSchema.parse({ id: 'agent_alex', sessions });
    return { ...agent, sessions: agent.sessions.filter((one) => isWanted(one, wanted)) };
  }

  const { emailOf = async () => ('email' in options ? options.email : 'alex@acme.com') } = options;
  const show: ShowConclusion = async (grant, concluded, others) => {
    shown.push(`${grant.grantId} ${concluded}`);
    return options.show === undefined || options.show(grant, concluded, others);
  };

  function startProcess(change: Change = options.change ?? ((same) => same)): StageProcess {
    const database = change(shared);
    const own = createStorage(database, { now: Date.now });
    const store = (namespace: string) => own.store(namespace);
    const links = createWatchLinks(database, Date.now);
    const ends = createGrantEnds({ owners: store('owners'), database });
    async function accept(grant: SessionEndGrant, session: Session) {
      const isNew = await store('w').add(`${grant.workspaceId}:${session.id}`, true);
      if (isNew) summaries.push({ grant, session, receivedAt: Date.now() });
      return isNew ? 'accepted' : 'duplicate';
    }
    const settle = createSettle({
      links,
      ends,
      accept,
      show,
      graceMs: waits.graceMs,
      report: (finding, { grantId }) => void findings.push(`${grantId} ${finding}`),
    });
    const looks = createLookRecords(database, Date.now, longestLook(waits, news !== 'never'));
    const look = createReconcile({
      links,
      looks,
      lookupAgent: news === 'never' ? undefined : lookupAgent,
      emailOf,
      settle,
      waits,
      now: Date.now,
    });
    const reconciler = createReconciler({
      looks,
      look,
      waits,
      now: Date.now,
      report: (outcome, error) =>
        void reports.push(error instanceof CobrowseError ? `${outcome} ${error.kind}` : outcome),
    });
    reconciler.start();
    const process: StageProcess = {
      async give(visitorId, { userId, agentId = 'agent_alex', livesMs = 5 * MINUTE_MS } = {}) {
        const grantId = `grant-${(issued += 1)}`;
        const grant = { ...alexInSupport, ...(userId === undefined ? {} : { userId }), visitorId, grantId };
        const issuedAt = Date.now();
        const expiresAt = livesMs === null ? {} : { expiresAt: issuedAt + livesMs };
        const record = { grant, agentId, issuedAt, ...expiresAt };
        const looked = { workspaceId: grant.workspaceId, userId: grant.userId, agentId };
        await database.write(recordLink(record), planLook(looked, issuedAt + waits.firstMs));
        reconciler.wake();
        return grant;
      },
      async tell(grant, sessionId) {
        const session = { ...endedSession(sessionId), features_used: [], quality_feedback: [] };
        const accepted = await accept(
          grant,
          AgentSchema.parse({ id: 'a', sessions: [session] }).sessions[0] ?? never(),
        );
        await ends.end(grant, { sessionId, endedAt: Date.now() }, true);
        return accepted;
      },
      stop: () => reconciler.stop(),
    };
    processes.push(process);
    return process;
  }

  return {
    ...startProcess(),
    startProcess,
    /** The summaries that would survive. */
    durable: () => storage.store('w').keys('', 1_000),
    /** What is kept, as it is. */
    links: createWatchLinks(shared, Date.now),
    database: shared,
    lookups,
    summaries,
    shown,
    findings,
    reports,
    /** What the service lists from now on. */
    list(...all: readonly SessionTimes[]): void {
      sessions = all.map(({ id, visitorId = 'jane4821', startMinute, endMinute, grantId }) =>
        endedSession(id, {
          visitor_id: visitorId,
          started_at: iso(startMinute),
          ended_at: endMinute === undefined ? null : iso(endMinute),
          ...(grantId === undefined ? {} : { metadata: { slack_grant: grantId } }),
        }),
      );
    },
    /** The minutes since the start in which the service was asked. */
    minutes: () => lookups.map(({ at }) => (at - START) / MINUTE_MS),
    forms: () => lookups.map(({ key }) => ('email' in key ? 'email' : 'externalId')),
    /** Session and grant of every summary. */
    given: () => summaries.map(({ session, grant }) => `${session.id} to ${grant.grantId}`),
  };
}

function never(): never {
  throw new Error('The session cannot be read.');
}

/** Lets minutes pass. */
export const passMinutes = (minutes: number, stepMs = 15_000) => pass(minutes * MINUTE_MS, stepMs);
