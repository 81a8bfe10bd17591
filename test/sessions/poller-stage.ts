import { onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import type { AgentKey, FoundAgent, LookUpOptions, WantedSessions } from '../../src/cobrowse/client.ts';
import { CobrowseError } from '../../src/cobrowse/errors.ts';
import { AgentSchema, SessionSchema, type Agent, type Session } from '../../src/cobrowse/schemas.ts';
import { rowOf, sql, type Database } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import type { EndSource, IssuedLink } from '../../src/messages/link-request.ts';
import { createIds } from '../../src/outbox/delivery.ts';
import { createSessionPoller } from '../../src/sessions/session-poller.ts';
import { createSessionEnds, sessionEndOf } from '../../src/sessions/session-ends.ts';
import { concludeLink, createWatchLinks, recordLink } from '../../src/sessions/watch-links.ts';
import { everything } from '../home/sources.ts';
import { pass } from '../support/fake-time.ts';
import { alexInSupport, endedSession } from './ended-session.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
/** No test starts at the very first millisecond of time: some look back. */
export const START = Date.UTC(2026, 2, 1, 12);

/** What a process sees of the database. */
export type Change = (database: Database) => Database;

type Answer = Agent | Error | undefined;

interface StageOptions {
  /** Default `webhook`. */
  readonly endSource?: EndSource;
  /** How the service answers a look-up in place of what it lists. */
  readonly answer?: (key: AgentKey, at: number) => Answer | Promise<Answer>;
  /** What showing a conclusion on a card does. */
  readonly show?: () => Promise<void>;
  /** What fails. */
  readonly change?: Change;
}

type IssueOptions = Partial<Pick<IssuedLink, 'workspaceId' | 'userId'>> & { readonly agentId?: string };

/** When it happens and to whom, in minutes since the start. */
interface SessionTimes {
  readonly id: string;
  readonly visitorId?: string;
  readonly startMinute: number;
  /** Left out while it runs. */
  readonly endMinute?: number;
  /** The link that the service returns as metadata. */
  readonly linkId?: string;
  /** Left out where the service doesn't say. */
  readonly accepted?: boolean;
}

/** As the client does: nothing else reaches reconciliation. */
function isWanted({ started_at, metadata }: Session, wanted: WantedSessions): boolean {
  if (wanted.since === undefined) throw new Error('Reconciliation asks since a time.');
  if (wanted.linkIds?.has(metadata?.slack_link ?? '') === true) return true;
  return (Date.parse(started_at ?? '') || 0) >= wanted.since.getTime();
}

const iso = (minute: number) => new Date(START + minute * MINUTE_MS).toISOString();

/** Databases in memory on the test's clock, a service that lists what the test says, and reconcilers on both. */
export async function openPollerStage(options: StageOptions = {}) {
  vi.useFakeTimers({ now: START, toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const shared = await openDatabase('memory:');
  const stops: (() => Promise<void>)[] = [];
  onTestFinished(async () => {
    // Not waited for: one that was killed never ends.
    for (const stop of stops) void stop();
    await pass(0);
    vi.useRealTimers();
    await shared.close();
  });
  const { endSource = 'webhook' } = options;
  const lookups: { readonly key: AgentKey; readonly at: number }[] = [];
  const summaries: { readonly link: IssuedLink; readonly session: Session; readonly receivedAt: number }[] =
    [];
  const shown: string[] = [];
  const running: string[] = [];
  const results: string[] = [];
  const reports: string[] = [];
  const newId = createIds(Date.now);
  let sessions: readonly object[] = [];
  const account: { inForce: string | undefined } = { inForce: undefined };
  let issued = 0;

  async function lookupAgent(key: AgentKey, asked: LookUpOptions = {}): Promise<FoundAgent> {
    lookups.push({ key, at: Date.now() });
    const given = await options.answer?.(key, Date.now());
    if (given instanceof Error) throw given;
    if (given !== undefined) return { ...given, sessionCount: given.sessions.length };
    const agent = AgentSchema.parse({ id: 'agent_alex', sessions });
    const listed = agent.sessions.filter((one) => isWanted(one, asked.sessions ?? {}));
    return { ...agent, sessions: listed, sessionCount: agent.sessions.length };
  }

  /** What one process does; `stop` ends it, and leaves the stores. */
  function startProcess(change: Change = options.change ?? ((same) => same)) {
    const database = change(shared);
    async function record(link: IssuedLink, session: Session, recovered: boolean) {
      const receivedAt = Date.now();
      const end = sessionEndOf(newId(), link, session, { receivedAt, recovered });
      const recorded = await createSessionEnds(database).record(end);
      if (recorded !== 'accepted') return 'duplicate';
      summaries.push({ link, session, receivedAt });
      return recorded;
    }
    const poller = createSessionPoller({
      database,
      accept: (link, session) => record(link, session, true),
      async conclude(link, conclusion) {
        shown.push(`${link.linkId} ${conclusion.concluded}`);
        await options.show?.();
        await database.write(concludeLink(link, conclusion));
      },
      showRunning: async ({ linkId }, seenAt) =>
        void running.push(`${linkId} at ${(seenAt - START) / MINUTE_MS}`),
      report: (result, { linkId }) => void results.push(`${linkId} ${result}`),
      keyOf: async (_workspace, { agentId }) => ({ externalId: agentId }),
      workspaceOf: async (id) => ({
        id,
        accountId: 'account',
        cobrowse: { offers: { ...everything, lookupAgent: endSource !== 'never' }, lookupAgent },
        endSource,
        ownAccountId: account.inForce,
      }),
      lookUpWaits: undefined,
      now: Date.now,
      reportLookUp: (outcome, error) =>
        void reports.push(error instanceof CobrowseError ? `${outcome} ${error.kind}` : outcome),
    });
    poller.start();
    stops.push(() => poller.stop());
    return {
      async issueLink(visitorId: string, { agentId = 'agent_alex', ...more }: IssueOptions = {}) {
        const linkId = `grant-${(issued += 1)}`;
        const link = { ...alexInSupport, ...more, visitorId, linkId };
        const issuedAt = Date.now();
        const expiresAt = issuedAt + 5 * MINUTE_MS;
        const lookAt = issuedAt + poller.firstLookMs(endSource);
        const recorded = { link, agentId, accountId: account.inForce, issuedAt, expiresAt };
        await database.write(recordLink(recorded, lookAt));
        poller.wake();
        return link;
      },
      /** As a webhook does. */
      tell: (link: IssuedLink, sessionId: string) =>
        record(link, SessionSchema.parse(endedSession(sessionId)), false),
      stop: () => poller.stop(),
    };
  }

  return {
    ...startProcess(),
    startProcess,
    /** The workspace works with its own account from now on, or with the operator's. */
    connect: (accountId: string | undefined) => void (account.inForce = accountId),
    /** The summaries that would survive. */
    async durable() {
      const ends = await shared.read(
        sql`SELECT workspace_id, session_id FROM session_ends ORDER BY session_id`,
        rowOf({ workspaceId: z.string(), sessionId: z.string() }),
      );
      return ends.map(({ workspaceId, sessionId }) => `${workspaceId}:${sessionId}`);
    },
    /** What is kept, as it is. */
    links: createWatchLinks(shared, Date.now),
    lookups,
    summaries,
    shown,
    /** Links whose session was seen running, with the minute. */
    running,
    results,
    reports,
    /** What the service lists from now on. */
    list(...all: readonly SessionTimes[]): void {
      sessions = all.map(({ id, visitorId = 'jane4821', startMinute, endMinute, linkId, accepted }) =>
        endedSession(id, {
          visitor_id: visitorId,
          started_at: iso(startMinute),
          ended_at: endMinute === undefined ? null : iso(endMinute),
          ...(linkId === undefined ? {} : { metadata: { slack_link: linkId } }),
          session_authorized: accepted,
        }),
      );
    },
    /** The minutes since the start in which the service was asked. */
    minutes: () => lookups.map(({ at }) => Math.round((at - START) / (MINUTE_MS / 100)) / 100),
    /** Session and link of every summary. */
    given: () => summaries.map(({ session, link }) => `${session.id} to ${link.linkId}`),
  };
}

/** The same with a link of Alex's to Jane's screen, and the session that the service lists for it. */
export async function openWithSession(session: Partial<SessionTimes> = {}, options: StageOptions = {}) {
  const stage = await openPollerStage(options);
  const link = await stage.issueLink('jane4821');
  stage.list({ id: 's1', startMinute: 1, endMinute: 4, linkId: link.linkId, ...session });
  return { ...stage, link };
}

/** Lets minutes pass. */
export const passMinutes = (minutes: number, sleepMs?: number) => pass(minutes * MINUTE_MS, sleepMs);
