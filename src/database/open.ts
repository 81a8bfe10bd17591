import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import {
  DatabaseError,
  DatabaseUrlError,
  countBy,
  sql,
  steadyTimeIn,
  type Database,
  type Opening,
  type Sql,
} from './database.ts';
import { repeat, type Repeating } from '../lifecycle/repeating.ts';
import { openSqlite } from './sqlite.ts';
import { closeToOthers, damageIn, isLargeFile, lockForServing, type LockOptions } from './sqlite-file.ts';

/**
 * Opens the database at a `STORE_URL`: `sqlite:<path>` (relative to the working directory, or `sqlite:/absolute`),
 * `postgres://…`, or `memory:`, which is SQLite in memory.
 *
 * @throws DatabaseUrlError (by rejecting) for any other address
 * @throws DatabaseError (by rejecting) when it can't be opened
 */
export async function openDatabase(url: string, options?: Opening): Promise<Database> {
  if (isPostgres(url)) {
    // Loaded only if needed: it costs time at start, and memory.
    const { openPostgres } = await import('./postgres.ts');
    return openPostgres(url, options);
  }
  return openSqlite(sqliteFile(url) ?? ':memory:', options);
}

interface Serving extends LockOptions, Opening {
  /** Called with each file of the database that other users of the machine can open and that we couldn't make private. */
  readonly openToOthers?: (file: string, error: unknown) => void;
  /** Called if the file turns out to be damaged: from then on `check` rejects, and what can still be read is. */
  readonly damaged?: (error: DatabaseError) => void;
  /** Called if that can't be found out. */
  readonly notExamined?: (error: unknown) => void;
  /** Called when hints of other processes stop arriving, as behind a connection pooler, and when they do again. */
  readonly hearing?: (hears: boolean) => void;
}

/**
 * The same for a process that serves Slack. Only one serves a SQLite file, so this waits for another one to stop.
 *
 * @throws DatabaseError `in-use` (by rejecting) if it doesn't stop
 */
export async function openForServing(url: string, serving: Serving): Promise<Database> {
  const file = sqliteFile(url);
  if (file !== undefined) return openFileForServing(file, url, serving);
  const database = await openDatabase(url, serving);
  if (!isPostgres(url)) return database;
  const beside = [heartbeat(database), watchHearing(database, serving.hearing ?? (() => undefined))];
  for (const one of beside) one.start();
  return {
    ...database,
    async close() {
      await Promise.all(beside.map((one) => one.stop()));
      await database.close();
    },
  };
}

async function openFileForServing(file: string, url: string, serving: Serving): Promise<Database> {
  const { openToOthers = () => undefined, notExamined = () => undefined } = serving;
  await closeToOthers(file, openToOthers);
  // First: the tables aren't brought up to date under a process that serves them as they are.
  const release = await lockForServing(file, serving);
  const database = await openDatabase(url, serving).catch((error: unknown) => {
    release();
    throw error;
  });
  const closing = new AbortController();
  let damage: DatabaseError | undefined;
  async function lookForDamage(): Promise<void> {
    try {
      const found = await damageIn(file, closing.signal);
      if (found === undefined) return;
      damage = new DatabaseError('corrupt', new Error(found));
      serving.damaged?.(damage);
    } catch (error) {
      if (!closing.signal.aborted) notExamined(error);
    }
  }
  const looking = lookForDamage();
  // What takes long goes on in the background.
  if (!(await isLargeFile(file))) await looking;
  return {
    ...database,
    async check() {
      if (damage !== undefined) throw damage;
      await database.check();
    },
    async close() {
      closing.abort();
      await database.close();
      release();
    },
  };
}

/** Read as the driver does: without a host it's this machine. */
const readServer = (url: string): URL | null => URL.parse(url) ?? URL.parse(url.replace('@/', '@localhost/'));

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Both as written and as the server gets them, so that no log shows them. */
export function passwordsOf(url: string): readonly string[] {
  const server = isPostgres(url) ? readServer(url) : null;
  if (server === null) return [];
  const { password, searchParams } = server;
  return [password, decoded(password), ...searchParams.getAll('password')].filter((one) => one !== '');
}

const isPostgres = (url: string) => /^postgres(ql)?:\/\//.test(url);

export const isSingleProcess = (url: string): boolean => !isPostgres(url);

/** Undefined if it names none. @throws DatabaseUrlError */
export function sqliteFile(url: string): string | undefined {
  if (isPostgres(url) && readServer(url) === null)
    throw new DatabaseUrlError(
      'isn’t an address that can be read. Write characters such as / # ? @ in its password as %2F %23 %3F %40',
    );
  if (url === 'memory:' || isPostgres(url)) return undefined;
  if (/^rediss?:/.test(url)) throw new DatabaseUrlError('names a Redis server, which can’t hold the tables');
  if (!url.startsWith('sqlite:')) throw new DatabaseUrlError('isn’t an address of a database');
  const path = url.slice('sqlite:'.length);
  if (path === '' || path === ':memory:') throw new DatabaseUrlError('names no file after sqlite:');
  if (/^\/\/[^/]/.test(path)) throw new DatabaseUrlError('names a host: write sqlite: and the path');
  // Once absolute, a path that looks like one of SQLite's own `file:` addresses is just a path.
  return resolve(path);
}

const HEARD_EVERY_MS = 60_000;

/**
 * Finds out now and every minute whether hints arrive (`Database.hears`). Where they don't, everything that waits for one looks
 * for itself, every second or two.
 */
function watchHearing(database: Database, changed: (hears: boolean) => void): Repeating {
  let heard = true;
  return repeat(
    async (stopping) => {
      const hears = await database.hears().catch(() => heard);
      if (hears === heard || stopping.aborted) return;
      heard = hears;
      changed(hears);
    },
    HEARD_EVERY_MS,
    0,
  );
}

const BEAT_EVERY_MS = 15_000;
const GONE_AFTER_MS = 60_000;

const goneSince = (database: Database): Sql => steadyTimeIn(database, -GONE_AFTER_MS);

/**
 * Says in a shared database that this process serves, so that a restore beside it is refused: the server knows only its
 * connections, and behind a pooler not even these.
 */
function heartbeat(database: Database): Repeating {
  const id = randomUUID();
  const say = async (...statements: readonly Sql[]) =>
    void (await database.write(...statements).catch(() => undefined));
  const beats = repeat(
    () =>
      say(
        sql`INSERT INTO serving (id, seen_at) VALUES (${id}, ${database.steadyTime()})
          ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`,
        sql`DELETE FROM serving WHERE seen_at < ${goneSince(database)}`,
      ),
    BEAT_EVERY_MS,
    0,
  );
  return {
    ...beats,
    async stop() {
      await beats.stop();
      await say(sql`DELETE FROM serving WHERE id = ${id}`);
    },
  };
}

/** How many processes serve the database, or did within the last minute and were killed. */
export const countServing = (database: Database): Promise<number> =>
  countBy(database, sql`SELECT COUNT(*) AS count FROM serving WHERE seen_at >= ${goneSince(database)}`);
