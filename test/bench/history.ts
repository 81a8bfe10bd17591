import { open } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { join, sql, type Sql } from '../../src/database/database.ts';
import { openDatabase, sqliteFile } from '../../src/database/open.ts';
import { idsFrom } from '../../src/outbox/delivery.ts';
import { createSubscriptionRepository } from '../../src/subscriptions/repository.ts';
import type { NewSubscription } from '../../src/subscriptions/subscription.ts';
import { VISITORS, WORKSPACE } from './tickets.ts';
import { sessionText } from './webhook-request.ts';

/* What a store holds before a program starts: written by few large statements through the tables of today. SQLite only. */

const DAY_MS = 24 * 3_600_000;

/** Whose audit entries all lie at the very beginning. */
export const LEFT_LONG_AGO = 'U0LEFT00001';
/** Fills a page of the audit. */
const LONG_AGO = 30;

/** How much there is of it: so many days, up to now. */
interface History {
  readonly days: number;
  readonly sessionsADay: number;
  readonly auditADay: number;
}

/** 500,000 audit records and 100,000 sessions. */
export const livedIn: History = { days: 90, sessionsADay: 1_112, auditADay: 5_556 };
/** What the same people have on their second day: as much as an answer shows. */
export const secondDay: History = { ...livedIn, days: 1 };

/** Sessions that ended and what came of them. */
interface Ended {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  readonly channels: number;
  /** Whether their summaries still wait for their channel's turn. */
  readonly areWaiting: boolean;
  /** Over how many workspaces they spread, `T000000000` and on; all in one of its own where it isn't given. */
  readonly workspaces?: number;
}

const numbersTo = (count: number): Sql =>
  sql`WITH RECURSIVE numbers(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count - 1})`;

const user = sql`printf('U0BENCH%04d', n % 100)`;
const visitor = sql`printf('visitor-%d', n % ${VISITORS})`;

function endedSessions({ from, to, count, channels, areWaiting, workspaces }: Ended): readonly Sql[] {
  const workspace = workspaces === undefined ? sql`${WORKSPACE}` : sql`printf('T%09d', n % ${workspaces})`;
  const person = sql`printf('U0BENCH%04d', n / ${workspaces ?? 1} % 100)`;
  // Not each at its own moment: all of them begin with the same time, and sort by their number.
  const id = (kind: string) => sql`printf('%s%07d%s', ${idsFrom(from)}, n, ${kind})`;
  const at = sql`CAST(${from} + n * ${(to - from) / count} AS INTEGER)`;
  const channel = sql`printf('C0PAST%05d', n % ${channels})`;
  const state = areWaiting ? 'waiting' : 'posted';
  const settled = areWaiting ? sql`NULL` : at;
  return [
    sql`INSERT INTO session_ends (id, workspace_id, session_id, claimant, link_id, user_id, visitor_id, channel_id, access,
        seconds, features, received_at, recovered, fanned_out_at, payload)
      ${numbersTo(count)} SELECT ${id('e')}, ${workspace}, ${id('s')}, '', ${id('l')}, ${person}, ${visitor}, ${channel},
        'full', 60 + n % 600, json_array('cobrowse', printf('tool-%d', n % 5)), ${at}, 0, ${at},
        replace(${sessionText}, '{n}', n) FROM numbers`,
    sql`INSERT INTO watch_links (workspace_id, id, agent_id, user_id, visitor_id, channel_id, access, proof_id, issued_at,
        expires_at, state, ended_at, seconds, looked_for, card_id)
      ${numbersTo(count)} SELECT ${workspace}, ${id('l')}, '17', ${person}, ${visitor}, ${channel}, 'full', ${id('p')}, ${at},
        ${at} + 600000, 'ended', ${at}, 60, 0, ${id('card')} FROM numbers`,
    ...(['card', 'summary'] as const).map(
      (kind) =>
        sql`INSERT INTO deliveries (id, workspace_id, dedupe_key, kind, session_end_id, channel_id, state, due_at, attempts,
          deaths, is_short, post_ts, accepted_at, settled_at)
        ${numbersTo(count)} SELECT ${id(kind)}, ${workspace}, ${id(kind)}, ${kind}, ${id('e')}, ${channel},
          ${kind === 'card' ? 'posted' : state}, ${at}, 1, 0, 0, '1700000000.000100', ${at},
          ${kind === 'card' ? at : settled} FROM numbers`,
    ),
    sql`INSERT INTO channels (workspace_id, channel_id, next_at, open_at)
      ${numbersTo(channels)} SELECT ${workspace}, ${channel}, ${areWaiting ? from : null}, 0 FROM numbers
      WHERE 1 = 1 ON CONFLICT DO NOTHING`,
  ];
}

function audit(from: number, count: number, isFirstDay: boolean): Sql {
  const actions = ['search', 'link', 'search', 'note', 'refusal', 'usage'];
  const isLongAgo = isFirstDay ? sql`n < ${LONG_AGO}` : sql`1 = 0`;
  return sql`INSERT INTO audit (workspace_id, at, user_id, channel_id, visitor_id, action, outcome, detail)
    ${numbersTo(count)} SELECT ${WORKSPACE}, CAST(${from} + n * ${DAY_MS / count} AS INTEGER),
      CASE WHEN ${isLongAgo} THEN ${LEFT_LONG_AGO} ELSE ${user} END, printf('C0PAST%05d', n % 50), ${visitor},
      CASE WHEN ${isLongAgo} THEN 'delete' ELSE json_array(${join(actions)}) ->> (n / 7 % 6) END, 'done', '{"found":3}'
    FROM numbers`;
}

const Values = z.array(z.union([z.string(), z.number(), z.null()]));
const Index = z.object({ name: z.string(), sql: z.string() });

/** Makes a store with today's tables, and has their indexes built once all is in them. */
async function write(url: string, statements: readonly Sql[]): Promise<void> {
  const database = await openDatabase(url);
  await database.close();
  const connection = new DatabaseSync(sqliteFile(url) ?? '');
  connection.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -500000');
  const indexes = z
    .array(Index)
    .parse(
      connection.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql <> ''").all(),
    );
  connection.exec('BEGIN');
  for (const { name } of indexes) connection.exec(`DROP INDEX ${name}`);
  for (const { sql: text, values } of statements) connection.prepare(text).run(...Values.parse(values));
  for (const index of indexes) connection.exec(index.sql);
  connection.exec('COMMIT');
  connection.close();
  // Otherwise the first checkpoint of the measured program would wait until all of it is on the disk.
  const file = await open(sqliteFile(url) ?? '', 'r+');
  await file.sync();
  await file.close();
}

/** Fills a new store. */
export async function fillHistory(url: string, { days, sessionsADay, auditADay }: History): Promise<void> {
  const start = Date.now() - days * DAY_MS;
  const statements = Array.from({ length: days }, (_, day) => {
    const from = start + day * DAY_MS;
    const ended = { from, to: from + DAY_MS, count: sessionsADay, channels: 300, areWaiting: false };
    return [...endedSessions(ended), audit(from, auditADay, day === 0)];
  });
  await write(url, statements.flat());
}

/** When everything of {@link fillOld} lies, and a little more. */
export const OLD_UNTIL = 1_000_000_000_000;

/** Fills a new store with so many rows that are long out of date: of each five, one is an audit entry. */
export async function fillOld(url: string, rows: number): Promise<void> {
  const from = OLD_UNTIL - 2 * DAY_MS;
  const ended = { from, to: from + DAY_MS, count: rows / 5, channels: 300, areWaiting: false };
  await write(url, [...endedSessions(ended), audit(from, rows / 5, false)]);
}

/** Fills a new store with sessions that ended within a time, and subscriptions, each with the time its digest is due. */
export async function fillWith(
  url: string,
  sessions: Ended | undefined,
  subscriptions: readonly (readonly [NewSubscription, nextAt?: number])[] = [],
): Promise<void> {
  await write(url, sessions === undefined ? [] : endedSessions(sessions));
  const database = await openDatabase(url);
  const repository = createSubscriptionRepository(database);
  for (const [subscription, nextAt] of subscriptions)
    if ((await repository.add(subscription, 1_000, nextAt)) === undefined)
      throw new Error('A subscription was not added.');
  await database.close();
}
