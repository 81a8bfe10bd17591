import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { DatabaseError, rowOf, sql, type Database, type Sql } from '../database/database.ts';
import { createNewestFirst, isOneOf, type Position } from '../database/newest-first.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;

const ACTIONS = [
  'search',
  'link',
  'proxy-link',
  'refusal',
  'stop',
  'outcome',
  'note',
  'delete',
  'setting',
  'subscription',
  'delivery',
  'audit',
  'usage',
  'sessions',
  'on-it',
  'online-notice',
  'ask',
  'follow-up',
  'webhook',
  'agent',
  'slackbot',
] as const;

/** Ids and our own words only: never a link, ticket, token or what somebody typed, except the host a proxy session starts at. */
export const AuditEntry = z.object({
  at: z.iso.datetime(),
  workspaceId: z.string(),
  userId: z.string(),
  action: z.enum(ACTIONS),
  /** One of our words: `given`, `refused`, `done`, or the kind of a failure. */
  outcome: z.string(),
  channelId: z.string().optional(),
  visitorId: z.string().optional(),
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.undefined()])).optional(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

export type NewEntry = Omit<AuditEntry, 'at'>;

/** An entry as a statement, to go into the same write as the change it records. */
export interface PreparedEntry {
  readonly statement: Sql;
  /** Logs the entry; call it once the write is durable. */
  readonly report: () => void;
}

/** Which entries to find: those that match every list. An empty list matches all. */
export interface AuditFilter {
  readonly userIds: readonly string[];
  readonly channelIds: readonly string[];
  readonly visitorIds: readonly string[];
  readonly actions: readonly AuditEntry['action'][];
  readonly since: Date | undefined;
  /** Exclusive. */
  readonly until?: Date;
}

interface AuditParts {
  readonly database: Pick<Database, 'read' | 'write' | 'inBackground'>;
  readonly now: () => number;
  readonly keptDays: number;
  readonly secret: string;
  readonly report: {
    readonly entry: (entry: AuditEntry) => void;
    /** Called when the database doesn't take an entry: it waits, and those after it. */
    readonly waiting: (error: unknown) => void;
    readonly written: () => void;
    /** Called with each entry that is given up, since the app stops or too many wait. */
    readonly lost: (entry: AuditEntry) => void;
  };
  /** When to try again what the database didn't take, milliseconds. */
  readonly againAfterMs?: number;
}

const Row = rowOf({
  id: z.number(),
  at: z.number(),
  userId: z.string(),
  channelId: z.string().optional(),
  visitorId: z.string().optional(),
  action: z.string(),
  outcome: z.string(),
  detail: z.string(),
});

/** An entry of a newer version of the app, running beside this one, must not hide the others. */
function entryOf(workspaceId: string, { at, detail, ...row }: z.infer<typeof Row>): readonly AuditEntry[] {
  const known: unknown = detail === '' ? undefined : JSON.parse(detail);
  const entry = AuditEntry.safeParse({ ...row, at: new Date(at).toISOString(), workspaceId, detail: known });
  return entry.success ? [entry.data] : [];
}

const timed = (entry: NewEntry, at: number): AuditEntry => ({ at: new Date(at).toISOString(), ...entry });

/** @param again whether it may be there: an earlier try's answer may be lost, and nobody does the same twice in a millisecond */
function insertEntry(entry: NewEntry, at: number, again = false): Sql {
  const { workspaceId, userId, channelId, visitorId, action, outcome, detail } = entry;
  const ifNew = sql`WHERE NOT EXISTS (SELECT 1 FROM audit WHERE workspace_id = ${workspaceId}
    AND user_id = ${userId} AND at = CAST(${at} AS BIGINT) AND COALESCE(visitor_id, '') = ${visitorId ?? ''}
    AND action = ${action} AND outcome = ${outcome})`;
  return sql`INSERT INTO audit (workspace_id, at, user_id, channel_id, visitor_id, action, outcome, detail)
    SELECT ${workspaceId}, CAST(${at} AS BIGINT), ${userId}, ${channelId ?? null}, ${visitorId ?? null}, ${action},
      ${outcome}, ${detail === undefined ? '' : JSON.stringify(detail)} ${again ? ifNew : sql``}`;
}

/** Makes a change together with its entry, or neither. @param write resolves to undefined if nothing was changed */
export async function recorded<Written>(
  { statement, report }: PreparedEntry,
  write: (entry: Sql) => Promise<Written | undefined>,
): Promise<Written | undefined> {
  const written = await write(statement);
  if (written !== undefined) report();
  return written;
}

/** The position just after everything written up to then, milliseconds since 1970. */
export const positionBefore = (at: number): Position<number> => ({ at, id: 0 });

const AT_ONCE = 100;
/** A few megabytes. What comes after that is in the log alone. */
const MOST = 10_000;

/** Entries that the database didn't take: kept in memory, in order, until it does. */
function createLateEntries({ database, report, againAfterMs = 2_000 }: AuditParts) {
  const waiting: { readonly entry: NewEntry; readonly at: number }[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let isClosed = false;

  async function writeAll(): Promise<void> {
    while (waiting.length > 0) {
      const some = waiting.slice(0, AT_ONCE);
      await database.write(...some.map(({ entry, at }) => insertEntry(entry, at, true)));
      waiting.splice(0, some.length);
    }
    report.written();
  }

  /** One after the other, so that none is written twice. Never rejects. */
  function tryAll(): Promise<void> {
    if (waiting.length === 0) return Promise.resolve();
    writing ??= writeAll()
      .catch(() => undefined)
      .finally(() => {
        writing = undefined;
        if (waiting.length > 0) tryLater();
      });
    return writing;
  }

  function tryLater(): void {
    clearTimeout(timer);
    if (!isClosed) timer = setTimeout(() => void tryAll(), againAfterMs);
  }

  return {
    /** Now or later. Never rejects with a DatabaseError. */
    async write(entry: NewEntry, at: number): Promise<void> {
      if (waiting.length === 0) {
        try {
          await database.write(insertEntry(entry, at));
          return;
        } catch (error) {
          if (!(error instanceof DatabaseError)) throw error;
          if (waiting.length === 0) report.waiting(error);
        }
      }
      if (isClosed || waiting.length === MOST) {
        report.lost(timed(entry, at));
        return;
      }
      waiting.push({ entry, at });
      if (waiting.length === 1) tryLater();
    },
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      await writing;
      await tryAll();
      for (const { entry, at } of waiting) report.lost(timed(entry, at));
    },
  };
}

/** Entries can't be changed, or removed until their time is over. */
export function createAudit(parts: AuditParts) {
  const { database, now, keptDays, secret, report } = parts;
  const late = createLateEntries(parts);

  /** For a write of several statements, so that the entry is written if and only if the change is. */
  function prepare(entry: NewEntry): PreparedEntry {
    const at = Math.round(now());
    return { statement: insertEntry(entry, at), report: () => report.entry(timed(entry, at)) };
  }

  const newestFirst = createNewestFirst(database, {
    table: sql`audit`,
    at: sql`at`,
    columns: sql`user_id, channel_id, visitor_id, action, outcome, detail`,
    every: sql`at > 0`,
    id: z.number(),
    row: Row,
  });

  function searched(workspaceId: string, filter: AuditFilter, from: Position<number>) {
    const conditions = [
      isOneOf(sql`visitor_id`, filter.visitorIds),
      isOneOf(sql`user_id`, filter.userIds),
      isOneOf(sql`channel_id`, filter.channelIds),
      isOneOf(sql`action`, filter.actions),
    ];
    const since = Math.max(Math.round(now()) - keptDays * DAY_MS + 1, filter.since?.getTime() ?? 0);
    return { workspaceId, conditions, since, until: filter.until, from };
  }

  return {
    prepare,

    /** In the log at once, in the database now or once it's back. Never rejects with a DatabaseError: it has happened. */
    record: async (entry: NewEntry): Promise<void> => {
      const at = Math.round(now());
      report.entry(timed(entry, at));
      await late.write(entry, at);
    },

    /** For what isn't done unless it's on record. Resolves once that's durable, and rejects with a DatabaseError. */
    announce: async (entry: NewEntry): Promise<void> => {
      const prepared = prepare(entry);
      prepared.report();
      await database.write(prepared.statement);
    },

    async page(workspaceId: string, filter: AuditFilter, from: Position<number>, limit: number) {
      const { found, next } = await newestFirst.page(searched(workspaceId, filter, from), limit);
      const withId = (row: z.infer<typeof Row>) =>
        entryOf(workspaceId, row).map((entry) => ({ ...entry, id: row.id }));
      return { found: found.flatMap(withId), next };
    },

    count: (workspaceId: string, filter: AuditFilter, from: Position<number>) =>
      newestFirst.count(searched(workspaceId, filter, from), sql`1 = 0`),

    async *read(workspaceId: string, filter: AuditFilter, from: Position<number>) {
      for await (const row of newestFirst.read(searched(workspaceId, filter, from)))
        yield* entryOf(workspaceId, row);
    },

    /** Keyed, so it can't be guessed. Once the newest of SECRET_KEYS changes, the same search has another hash. */
    hashOf: (typed: string): string =>
      createHmac('sha256', secret)
        .update(`audit ${typed.trim().toLowerCase()}`)
        .digest('base64url')
        .slice(0, 22),

    removals: [
      (time: number, limit: number): Sql =>
        sql`DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE id > 0 AND at <= ${time - keptDays * DAY_MS} LIMIT ${limit})`,
    ],

    /** Writes what waits for the database, or logs what can't be written. Call it before the database is closed. */
    close: () => late.close(),
  };
}

export type Audit = ReturnType<typeof createAudit>;
