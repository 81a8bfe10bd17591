import { createHmac } from 'node:crypto';
import { z } from 'zod';
import { sql, type Database, type Sql } from '../database/database.ts';
import { createNewestFirst, isOneOf, type Position } from '../database/newest-first.ts';
import { createLateEntries } from './late-entries.ts';

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
] as const;

/**
 * Who did what to whom, where, when, and how it turned out. Holds ids and our own words only: never a link, a ticket, a
 * token or what somebody typed, except the host that a proxy session starts at.
 */
export const AuditEntry = z.object({
  at: z.iso.datetime(),
  workspaceId: z.string(),
  userId: z.string(),
  action: z.enum(ACTIONS),
  /** One of our words: `given`, `refused`, `done`, or the kind of a failure. */
  outcome: z.string(),
  channelId: z.string().optional(),
  visitorId: z.string().optional(),
  /** More about it, in our own words and numbers. */
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.undefined()])).optional(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** A new entry; the audit adds the time. */
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
  /** What was done then isn't part of it. */
  readonly until?: Date;
}

/** The entries that match a filter, newest first. */
export interface EntriesPage {
  readonly entries: readonly AuditEntry[];
  /** Where the older ones start; undefined if there aren't any. */
  readonly next: Position<number> | undefined;
}

/** Who did what. Entries can't be changed or removed until their time is over. */
export interface Audit {
  /**
   * The log has it at once, and the database now or, where it fails, once it's back. Never rejects with a DatabaseError: what
   * is recorded has happened.
   */
  readonly record: (entry: NewEntry) => Promise<void>;
  /** For what isn't done unless it's on record. Resolves once that's durable, and rejects with a DatabaseError. */
  announce(entry: NewEntry): Promise<void>;
  /** For a write of several statements, so that the entry is written if and only if the change is. */
  readonly prepare: (entry: NewEntry) => PreparedEntry;
  /**
   * At most `limit` entries older than a position. It may return few or none along with a `next`, if the search was cut
   * short because so little matches.
   */
  page(workspaceId: string, filter: AuditFilter, from: Position<number>, limit: number): Promise<EntriesPage>;
  /** How many match, among the newest; all are counted if `isAll`. */
  count(
    workspaceId: string,
    filter: AuditFilter,
    from: Position<number>,
  ): Promise<{ readonly others: number; readonly isAll: boolean }>;
  /** All of them, page by page; stops reading when the reader has enough. */
  read(workspaceId: string, filter: AuditFilter, from: Position<number>): AsyncGenerator<AuditEntry>;
  /**
   * A keyed hash of what was typed: the same search is recognized, and can't be guessed without the key. With another
   * key, for example after the newest of SECRET_KEYS changed, the same search gets another hash.
   */
  hashOf(typed: string): string;
  /** Removes entries whose time is over, some at a time. @param now milliseconds since 1970 */
  readonly removals: readonly ((now: number, limit: number) => Sql)[];
  /** Writes what waits for the database, or logs what can't be written. Call it before the database is closed. */
  close(): Promise<void>;
}

interface AuditParts {
  readonly database: Pick<Database, 'read' | 'write' | 'inBackground'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly keptDays: number;
  readonly secret: string;
  readonly report: AuditReports;
  /** How soon what the database didn't take is tried again, milliseconds. */
  readonly againAfterMs?: number;
}

interface AuditReports {
  /** Logs each entry. */
  readonly entry: (entry: AuditEntry) => void;
  /** Called when the database doesn't take an entry: it waits, and those after it. */
  readonly waiting: (error: unknown) => void;
  /** Called when none waits any more. */
  readonly written: () => void;
  /** Called with each entry that waits no longer, since the app stops or too many wait. */
  readonly lost: (entry: AuditEntry) => void;
}

const Row = z.object({
  id: z.number(),
  at: z.number(),
  user_id: z.string(),
  channel_id: z.string().nullable(),
  visitor_id: z.string().nullable(),
  action: z.string(),
  outcome: z.string(),
  detail: z.string(),
});
type Row = z.infer<typeof Row>;

const Detail = z.preprocess((text) => (text === '' ? undefined : parseJson(text)), AuditEntry.shape.detail);

function parseJson(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return null;
  }
}

/** An unreadable entry, perhaps from a newer version of the app running beside this one, must not hide the others. */
function entryOf(workspaceId: string, row: Row): readonly AuditEntry[] {
  const detail = Detail.safeParse(row.detail).data;
  const entry = AuditEntry.safeParse({
    at: new Date(row.at).toISOString(),
    workspaceId,
    userId: row.user_id,
    action: row.action,
    outcome: row.outcome,
    ...(row.channel_id === null ? {} : { channelId: row.channel_id }),
    ...(row.visitor_id === null ? {} : { visitorId: row.visitor_id }),
    detail,
  });
  return entry.success ? [entry.data] : [];
}

/** @param at milliseconds since 1970 */
const timed = (entry: NewEntry, at: number): AuditEntry => ({ at: new Date(at).toISOString(), ...entry });

/** @param at milliseconds since 1970 */
function insertEntry(entry: NewEntry, at: number): Sql {
  const { workspaceId, userId, channelId, visitorId, action, outcome, detail } = entry;
  return sql`INSERT INTO audit (workspace_id, at, user_id, channel_id, visitor_id, action, outcome, detail)
    SELECT ${workspaceId}, CAST(${at} AS BIGINT), ${userId}, ${channelId ?? null}, ${visitorId ?? null}, ${action},
      ${outcome}, ${detail === undefined ? '' : JSON.stringify(detail)}`;
}

/** The same, unless it's there: nobody does the same twice in a millisecond. */
function insertOnce(entry: NewEntry, at: number): Sql {
  const { workspaceId, userId, visitorId, action, outcome } = entry;
  return sql`${insertEntry(entry, at)} WHERE NOT EXISTS (SELECT 1 FROM audit WHERE workspace_id = ${workspaceId}
    AND user_id = ${userId} AND at = CAST(${at} AS BIGINT) AND COALESCE(visitor_id, '') = ${visitorId ?? ''}
    AND action = ${action} AND outcome = ${outcome})`;
}

/**
 * Makes a change together with its entry, or neither.
 *
 * @param write undefined, or none, where there was nothing to change
 */
export async function recorded<Written>(
  { statement, report }: PreparedEntry,
  write: (entry: Sql) => Promise<Written | undefined>,
): Promise<Written | undefined> {
  const written = await write(statement);
  if (written !== undefined) report();
  return written;
}

/** The position just after everything written up to then. */
export const positionBefore = (time: Date): Position<number> => ({ at: time.getTime(), id: 0 });

export function createAudit(parts: AuditParts): Audit {
  const { database, now, keptDays, secret, report } = parts;
  const late = createLateEntries(parts);

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

  function searchFor(workspaceId: string, filter: AuditFilter, from: Position<number>) {
    const after = Math.round(now()) - keptDays * DAY_MS;
    const conditions = [
      isOneOf(sql`visitor_id`, filter.visitorIds),
      isOneOf(sql`user_id`, filter.userIds),
      isOneOf(sql`channel_id`, filter.channelIds),
      isOneOf(sql`action`, filter.actions),
    ].filter((condition) => condition !== undefined);
    const since = Math.max(after + 1, filter.since?.getTime() ?? 0);
    const end = filter.until && positionBefore(filter.until);
    return { workspaceId, conditions, since, from: end !== undefined && end.at < from.at ? end : from };
  }

  return {
    async record(entry) {
      const at = Math.round(now());
      report.entry(timed(entry, at));
      await late.write({
        statement: insertEntry(entry, at),
        onceMore: insertOnce(entry, at),
        lost: () => report.lost(timed(entry, at)),
      });
    },
    async announce(entry) {
      const prepared = prepare(entry);
      prepared.report();
      await database.write(prepared.statement);
    },
    prepare,
    removals: [
      (time, limit) =>
        sql`DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE id > 0 AND at <= ${time - keptDays * DAY_MS} LIMIT ${limit})`,
    ],
    close: () => late.close(),
    async page(workspaceId, filter, from, limit) {
      const { found, next } = await newestFirst.page(searchFor(workspaceId, filter, from), limit);
      return { entries: found.flatMap((row) => entryOf(workspaceId, row)), next };
    },
    count: (workspaceId, filter, from) => newestFirst.count(searchFor(workspaceId, filter, from), sql`1 = 0`),
    async *read(workspaceId, filter, from) {
      for await (const row of newestFirst.read(searchFor(workspaceId, filter, from)))
        yield* entryOf(workspaceId, row);
    },

    hashOf: (typed) =>
      createHmac('sha256', secret)
        .update(`audit ${typed.trim().toLowerCase()}`)
        .digest('base64url')
        .slice(0, 22),
  };
}
