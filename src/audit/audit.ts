import { createHmac } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Sql } from '../database/sql.ts';
import { isLast, searchStatement } from './filter.ts';
import type { AuditFilter, Position } from './filter.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Where a filter leaves out nearly everything, an answer ends after so many statements, and says how far it got. */
const MOST_STEPS = 50;
/** What is read at once for a file. */
const PAGE = 500;

/** What is written down of what people do. */
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
  'on-it',
  'online-notice',
] as const;

/**
 * Who did what to whom, where, when, and what came of it. Ids and words of ours only: never a
 * link, a ticket, a token, or what somebody typed, but for the host that a proxy session starts at.
 */
export const AuditEntry = z.object({
  at: z.iso.datetime(),
  workspaceId: z.string(),
  userId: z.string(),
  action: z.enum(ACTIONS),
  /** A word of ours: `given`, `refused`, `done`, or the kind of a failure. */
  outcome: z.string(),
  channelId: z.string().optional(),
  visitorId: z.string().optional(),
  /** More about it, in words and numbers of ours. */
  detail: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
});
export type AuditEntry = z.infer<typeof AuditEntry>;

/** An entry as it is given: the time is the audit's. */
export type NewEntry = Omit<AuditEntry, 'at'>;

/** An entry as a statement, for the write that changes what it is about. */
export interface PreparedEntry {
  readonly statement: Sql;
  /** Tells the log: once it is durable. */
  readonly report: () => void;
}

/** Entries that a filter finds, newest first. */
export interface EntriesPage {
  readonly entries: readonly AuditEntry[];
  /** Where older ones begin; undefined where there are none. */
  readonly next: Position | undefined;
}

/** Who did what. What was written stays as it is until its time is over: there is no way to change or remove it. */
export interface Audit {
  /** Resolves once it is durable. Rejects with a DatabaseError; the log has the entry even then. */
  record(entry: NewEntry): Promise<void>;
  /** For a write of several: the entry is written exactly where what it tells of is. */
  prepare(entry: NewEntry): PreparedEntry;
  /**
   * At most `limit` entries older than a position. Few or none, and yet a `next`, where the filter finds so little that
   * the search was cut short.
   */
  page(workspaceId: string, filter: AuditFilter, from: Position, limit: number): Promise<EntriesPage>;
  /** All of them, read page by page; stops reading when the reader has enough. */
  read(workspaceId: string, filter: AuditFilter, from: Position): AsyncGenerator<AuditEntry>;
  /**
   * What was typed, as a keyed hash: the same search is recognised, and cannot be guessed back without the key. With
   * another key, as after the newest of SECRET_KEYS was changed, the same search has another hash.
   */
  hashOf(typed: string): string;
}

interface AuditParts {
  readonly database: Pick<Database, 'read' | 'write'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly keptDays: number;
  readonly secret: string;
  /** Told of each entry, for the log. */
  readonly report: (entry: AuditEntry) => void;
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
  is_wanted: z.number(),
  looked_at: z.number(),
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

/** One that cannot be read, as of a later version of the app that runs beside this one, must not hide all others. */
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
    ...(detail === undefined ? {} : { detail }),
  });
  return entry.success ? [entry.data] : [];
}

/** @param at milliseconds since 1970 */
function insertEntry(entry: NewEntry, at: number): Sql {
  const { workspaceId, userId, channelId, visitorId, action, outcome, detail } = entry;
  return sql`INSERT INTO audit (workspace_id, at, user_id, channel_id, visitor_id, action, outcome, detail)
    VALUES (${workspaceId}, ${at}, ${userId}, ${channelId ?? null}, ${visitorId ?? null}, ${action}, ${outcome},
      ${detail === undefined ? '' : JSON.stringify(detail)})`;
}

/** Removes some of the entries whose time is over. @param now milliseconds since 1970 */
export const removeOldEntries = (keptDays: number, now: number, limit: number): Sql =>
  sql`DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at <= ${now - keptDays * DAY_MS} LIMIT ${limit})`;

/** Before all that was written until then. */
export const positionBefore = (time: Date): Position => ({ at: time.getTime(), id: 0 });

export function createAudit({ database, now, keptDays, secret, report }: AuditParts): Audit {
  function prepare(entry: NewEntry): PreparedEntry {
    const at = Math.round(now());
    return {
      statement: insertEntry(entry, at),
      report: () => report({ at: new Date(at).toISOString(), ...entry }),
    };
  }

  async function page(workspaceId: string, filter: AuditFilter, from: Position, limit: number) {
    const after = Math.round(now()) - keptDays * DAY_MS;
    const wanted: Row[] = [];
    let position = from;
    // One more than is shown tells whether there are more.
    const most = limit + 1;
    for (let step = 0; step < MOST_STEPS; step += 1) {
      // SQLite answers without ever waiting: what else the process has to do comes in between.
      if (step > 0) await setImmediate();
      const search = { workspaceId, filter, from: position, after, limit: most };
      const rows = await database.read(searchStatement(search), Row);
      wanted.push(...rows.filter((row) => row.is_wanted === 1));
      const beyond = wanted[limit];
      const last = wanted[limit - 1];
      if (beyond !== undefined && last !== undefined) {
        return { found: wanted.slice(0, limit), next: { at: last.at, id: last.id } };
      }
      const end = rows.at(-1);
      if (end === undefined || isLast(filter, most, end.looked_at)) return { found: wanted, next: undefined };
      position = { at: end.at, id: end.id };
    }
    return { found: wanted, next: position };
  }

  const pageOf: Audit['page'] = async (workspaceId, filter, from, limit) => {
    const { found, next } = await page(workspaceId, filter, from, limit);
    return { entries: found.flatMap((row) => entryOf(workspaceId, row)), next };
  };

  return {
    async record(entry) {
      const prepared = prepare(entry);
      prepared.report();
      await database.write(prepared.statement);
    },
    prepare,
    page: pageOf,

    async *read(workspaceId, filter, from) {
      for (let next: Position | undefined = from; next !== undefined;) {
        const found = await pageOf(workspaceId, filter, next, PAGE);
        yield* found.entries;
        next = found.next;
        await setImmediate();
      }
    },

    hashOf: (typed) =>
      createHmac('sha256', secret)
        .update(`audit ${typed.trim().toLowerCase()}`)
        .digest('base64url')
        .slice(0, 22),
  };
}
