import { onTestFinished, vi } from 'vitest';
import { z } from 'zod';
import { changedDatabase } from '../database/changed-database.ts';
import { blockKitProblems } from '../../sandbox/slack/block-kit.ts';
import type { CobrowseClient } from '../../src/cobrowse/client.ts';
import { SessionSchema, type Session } from '../../src/cobrowse/schemas.ts';
import { createNamedClaims } from '../../src/database/named-claims.ts';
import { sql, type Database, type Sql } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { createLocalHints } from '../../src/database/sqlite.ts';
import type { IssuedLink } from '../../src/messages/link-request.ts';
import { wakeChannelOf } from '../../src/outbox/channels.ts';
import { createIds, insertDelivery, type Told } from '../../src/outbox/delivery.ts';
import {
  createBlockRefusals,
  createSlackTransport,
  type Destination,
  type FindPosts,
  type PostOutcome,
} from '../../src/outbox/transport.ts';
import { createOutbox, type Outbox } from '../../src/outbox/outbox.ts';
import type { EntryOf } from '../../src/outbox/retry-and-drop.ts';
import { cardOf, conclusionStatements, inSessionStatements } from '../../src/sessions/cards.ts';
import { createAsks } from '../../src/team/asks.ts';
import { createSessionKinds } from '../../src/sessions/session-deliveries.ts';
import { addFanOut, createSessionEnds, sessionEndOf } from '../../src/sessions/session-ends.ts';
import { createOutcomes } from '../../src/team/after-session.ts';
import type { SessionEvents, Subscribers } from '../../src/sessions/subscribers.ts';
import { concludeLink, recordLink } from '../../src/sessions/watch-links.ts';
import { auditOf } from '../audit/unheard.ts';
import { alexInSupport, endedSession } from '../sessions/ended-session.ts';
import { nobodyTold } from '../sessions/nobody-told.ts';
import { pass as passTime } from '../support/fake-time.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
const PACE_MS = 1_000;
/** No test starts at the very first millisecond of time. */
export const START = Date.UTC(2026, 2, 1, 12);

/** A post that Slack was asked for. */
export interface Asked extends Destination {
  readonly id: string;
  readonly text: string;
  /** Whether it has no blocks. */
  readonly isBare: boolean;
  /** Milliseconds since the test's start. */
  readonly at: number;
  /** The process that asked. */
  readonly by: string;
}

export type Answer = (asked: Asked, times: number) => PostOutcome | Promise<PostOutcome>;

let posted = 0;
export const took = (): PostOutcome => ({
  outcome: 'posted',
  ts: `1700000000.${String((posted += 1)).padStart(6, '0')}`,
});
export const lost: PostOutcome = { outcome: 'later', reason: 'no_answer', outcomeUnknown: true };
export const down: PostOutcome = { outcome: 'later', reason: 'service_unavailable' };
export const archived: PostOutcome = { outcome: 'never', reason: 'is_archived' };
export const revoked: PostOutcome = { outcome: 'never', reason: 'token_revoked' };
export const limited = (seconds: number): PostOutcome => ({
  outcome: 'later',
  reason: 'ratelimited',
  afterMs: seconds * 1_000,
});

/** What a database is asked, and what fails in it. */
export interface Watched {
  /** The words of each statement, in order. */
  readonly statements: string[];
  /** How many writes there were. */
  commits: number;
  underWay: number;
  /** Throws if a statement should fail. */
  fail: (statement: string) => void;
}

const known = new Map<string, string>();
const wordsOf = ({ sql: text }: Sql): string => {
  const words = known.get(text) ?? text.replaceAll(/\s+/g, ' ').trim();
  known.set(text, words);
  return words;
};

/** The same database, watched, and failing by statement. */
function watch(database: Database): Database & { readonly watched: Watched } {
  const watched: Watched = { statements: [], commits: 0, underWay: 0, fail: () => undefined };
  async function run<T>(statements: readonly Sql[], isWrite: boolean, work: () => Promise<T>): Promise<T> {
    const texts = statements.map(wordsOf);
    watched.statements.push(...texts);
    if (isWrite) watched.commits += 1;
    watched.underWay += 1;
    try {
      for (const text of texts) watched.fail(text);
      return await work();
    } finally {
      watched.underWay -= 1;
    }
  }
  return changedDatabase(database, {
    watched,
    // Of the test's time, which runs on when its clock is set.
    steadyTime: () => sql`${Math.floor(performance.now())}`,
    read: (query, row) => run([query], false, () => database.read(query, row)),
    write: (...statements) => run(statements, true, () => database.write(...statements)),
    writeThen: (statements, next) =>
      run(statements, true, () =>
        database.writeThen(statements, (written) => {
          const others = next(written);
          const texts = (others ?? []).map(wordsOf);
          watched.statements.push(...texts);
          for (const text of texts) watched.fail(text);
          return others;
        }),
      ),
    writeIf: (condition, ...statements) =>
      run([condition, ...statements], true, () => database.writeIf(condition, ...statements)),
  });
}

interface ProcessOptions {
  readonly answer?: Answer;
  readonly find?: FindPosts;
  /** What other rooms register. */
  readonly also?: (outbox: Outbox, database: Database) => void;
  /** Who is told besides people in Slack. */
  readonly events?: (outbox: Outbox, database: Database) => SessionEvents;
  readonly acceptsToken?: (workspaceId: string) => Promise<boolean>;
  readonly subscribers?: Partial<Subscribers>;
  readonly name?: string;
  readonly summaryChannel?: string;
  readonly visitor?: CobrowseClient['visitor'];
  readonly isInChannel?: (
    workspaceId: string,
    userId: string,
    channelId: string,
  ) => Promise<boolean | undefined>;
}

interface StageOptions {
  /** The `STORE_URL`; in memory if not given. */
  readonly url?: string;
  /** Whether several processes share the tables. */
  readonly isShared?: boolean;
}

const DeliveryState = z.object({
  id: z.string(),
  kind: z.string(),
  state: z.string(),
  reason: z.string().nullable(),
  channel_id: z.string(),
  attempts: z.number(),
  post_ts: z.string().nullable(),
  subscriptions: z.string().nullable(),
  session_id: z.string().nullable(),
});

/** Read as the app reads it. */
export const sessionOf = (id: string, fields: Readonly<Record<string, unknown>> = {}): Session =>
  SessionSchema.parse(endedSession(id, fields));

/** A delivery of a kind, due now. */
export function deliveryOf(kind: string, id: string) {
  const { workspaceId, channelId = '' } = alexInSupport;
  return [
    insertDelivery({ id, workspaceId, key: id, kind, channelId, acceptedAt: Date.now() }),
    wakeChannelOf(id),
  ];
}

/** The session that a post is about, recognized by its agent's name. */
export const sessionIn = ({ text }: Pick<Asked, 'text'>): string =>
  / with Agent of (.+?)(?: · |$)/m.exec(text)?.[1] ?? text.split('\n')[0] ?? '';

const now = () => Date.now();

/** Tables on the test's clock with processes on them, each with a Slack that answers as the test says. */
export async function openStage({ url = 'memory:', isShared = false }: StageOptions = {}) {
  // A server’s hints come in their own time, and the test’s may be over by then.
  const opened = { ...(await openDatabase(url)), ...createLocalHints() };
  vi.useFakeTimers({
    now: START,
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  });
  const databases: (Database & { readonly watched: Watched })[] = [];
  const stops: (() => Promise<void>)[] = [];
  const asked: Asked[] = [];
  const finds: string[] = [];
  const reports: string[] = [];
  const blind: string[] = [];
  const told: (readonly [string, Told])[] = [];
  const newId = createIds(now);
  const newLink = createIds(now);

  /** Waits until all work that was started is done, while time stands still. */
  async function settle(): Promise<void> {
    for (let quiet = 0; quiet < 20; quiet += 1) {
      await new Promise((resolve) => setImmediate(resolve));
      if (databases.some(({ watched }) => watched.underWay > 0)) quiet = 0;
    }
  }

  const pass = (ms: number, sleepMs?: number) => passTime(ms, sleepMs, settle);

  onTestFinished(async () => {
    const stopped = Promise.all(stops.map((stop) => stop()));
    await pass(1_000);
    vi.useRealTimers();
    await Promise.race([stopped, new Promise((resolve) => setTimeout(resolve, 1_000))]);
    await opened.close();
  });

  function processOver(options: ProcessOptions = {}) {
    const { answer = took, name = '' } = options;
    const database = watch(opened);
    databases.push(database);
    const sessionEnds = createSessionEnds(database);
    const audit = auditOf(database);
    const entryOf =
      (workspaceId: string): EntryOf =>
      (outcome) =>
        audit.prepare({ workspaceId, userId: 'U0ADA000005', action: 'delivery', outcome });
    const subscribers: Subscribers = {
      candidates: async () => [],
      formNow: async () => ({ form: 'full' }),
      onOutcome: async (_workspaceId, channelId, outcome) => void told.push([channelId, outcome]),
      ...options.subscribers,
    };
    const outbox = createOutbox({
      database,
      transport: createSlackTransport(
        {
          async post(place, { text, blocks }, id) {
            const problems = blocks.length === 0 ? [] : blockKitProblems('message', { text, blocks });
            if (problems.length > 0) throw new Error(problems.join('\n'));
            const times = asked.filter((earlier) => earlier.id === id).length;
            const one = { ...place, id, text, isBare: blocks.length === 0, at: now() - START, by: name };
            asked.push(one);
            return answer(one, times);
          },
          async find(place, id, since) {
            finds.push(`${id} in ${place.to}`);
            return options.find?.(place, id, since) ?? { found: [], channelId: place.to };
          },
        },
        createBlockRefusals(createNamedClaims(database, now)),
        now,
        PACE_MS,
      ),
      askAboutToken: async (workspaceId) =>
        (await (options.acceptsToken?.(workspaceId) ?? true)) ? 'good' : 'refused',
      changed: () => undefined,
      singleProcess: !isShared,
      now,
      reports: {
        delivery: (outcome) => void reports.push(outcome),
        blind: (_workspaceId, reason, scope) => void blind.push(`${reason} ${scope}`),
      },
    });
    const asks = createAsks({ database, outbox, prepare: (entry) => audit.prepare(entry), now });
    const kinds = createSessionKinds(
      {
        database,
        outbox,
        now,
        isInChannel: options.isInChannel ?? (async () => true),
        isShared: async () => false,
        installedAs: async () => ({ url: 'https://acme.slack.com/' }),
        workspaceOf: async () => ({
          cobrowse: {
            offers: { stopSession: true },
            visitor: options.visitor ?? (() => Promise.reject(new Error('not asked here'))),
          },
          endSource: 'webhook',
          linkHosts: [],
          settings: async () => ({ recordLinks: [] }),
        }),
      },
      { asks, subscribers },
    );
    for (const kind of kinds) outbox.register(kind);
    options.also?.(outbox, database);
    const events = options.events?.(outbox, database) ?? nobodyTold;
    addFanOut(
      { database, summaryChannelOf: async () => options.summaryChannel, outbox, now },
      {
        subscribers,
        events,
        onFanOut: () => undefined,
        fanOutFailed: () => void reports.push('broken'),
      },
    );
    stops.push(() => outbox.stop());

    /** Tells of a session's end as the webhook does. */
    async function tell(sessionId: string, changes: Partial<IssuedLink> = {}, fields = {}) {
      const link = { ...alexInSupport, linkId: newLink(), ...changes };
      const end = sessionEndOf(newId(), link, sessionOf(sessionId, fields), {
        receivedAt: now(),
        recovered: false,
      });
      return sessionEnds.record(end).finally(outbox.wake);
    }

    return {
      database,
      watched: database.watched,
      outbox,
      sessionEnds,
      tell,
      overview: outbox.overview,
      /** As an admin does. */
      acts: {
        retry: (workspaceId: string, id: string) =>
          outbox.retryAndDrop.retry(workspaceId, id, entryOf(workspaceId)),
        drop: (workspaceId: string, id: string, userId: string) =>
          outbox.retryAndDrop.drop(workspaceId, id, userId, entryOf(workspaceId)),
      },
      /** A card. */
      announce: async (link: IssuedLink): Promise<void> => {
        const id = newId();
        const card = cardOf(link, 'Alex', { id, time: now() });
        const recorded = { link, agentId: 'agent_alex', issuedAt: now() };
        const recording = recordLink(recorded, now(), card.id);
        await database.write(...card.wake, recording, ...card.insert);
        outbox.wake();
      },
      conclude: async (link: IssuedLink, concluded: 'unused' | 'unknown' = 'unused'): Promise<void> => {
        const shown = conclusionStatements(link, concluded, { id: newId(), time: now() });
        await database.writeIf(concludeLink(link, { concluded, at: now() }), ...shown);
        outbox.wake();
      },
      /** Asks somebody to look at the screen of a link, from its card. */
      ask: async ({ workspaceId, visitorId, userId: askedBy, linkId }: IssuedLink, askedId: string) => {
        const entry = { workspaceId, userId: askedBy, visitorId, action: 'ask', outcome: 'asked' } as const;
        await asks.ask({ workspaceId, visitorId, askedBy, askedId, linkId, reason: undefined }, entry);
      },
      /** As a look-up does that sees the session run. */
      seeRunning: async (link: IssuedLink): Promise<void> => {
        await database.write(...inSessionStatements(link, now(), { id: newId(), time: now() }));
        outbox.wake();
      },
      outcomes: createOutcomes(
        { database, outbox, prepare: (entry) => audit.prepare(entry), now },
        sessionEnds,
        events,
      ),
    };
  }

  /** A process that has started. */
  async function start(options: ProcessOptions = {}) {
    const process = processOver(options);
    await process.outbox.start();
    await settle();
    return process;
  }

  /** Deliveries as they are in the table, by id. */
  const deliveries = () =>
    opened.read(
      sql`SELECT d.id, d.kind, d.state, d.reason, d.channel_id, d.attempts, d.post_ts, d.subscriptions, e.session_id
        FROM deliveries AS d LEFT JOIN session_ends AS e ON e.id = d.session_end_id ORDER BY d.id`,
      DeliveryState,
    );

  return {
    database: opened,
    processOver,
    start,
    settle,
    pass,
    asked,
    finds,
    reports,
    blind,
    told,
    deliveries,
    /** Who was posted when, in milliseconds since the start. */
    order: () => asked.map((one) => `${sessionIn(one)} at ${one.at}`),
    /** The state of the delivery of a session to its own place. */
    summaryOf: async (sessionId: string) => {
      const all = await deliveries();
      return all.find(
        (one) => one.session_id === sessionId && one.kind === 'summary' && one.subscriptions === null,
      );
    },
  };
}

/** A stage with one process that has started. */
export async function startStage(options: ProcessOptions & StageOptions = {}) {
  const stage = await openStage(options);
  return { ...stage, ...(await stage.start(options)) };
}
