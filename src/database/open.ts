import { randomUUID } from 'node:crypto';
import { resolve } from 'node:path';
import { lookForDamage } from './damage.ts';
import type { Database, Opening } from './database.ts';
import { DatabaseError, DatabaseUrlError } from './errors.ts';
import { closeToOthers } from './file-mode.ts';
import { watchHearing } from './hearing.ts';
import { startHeartbeat } from './serving-heartbeat.ts';
import { lockForServing, type LockOptions } from './serving-lock.ts';
import { openSqlite } from './sqlite.ts';

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

/** Who hears about a wait, and how to cancel the start. */
interface Serving extends LockOptions, Opening {
  /**
   * Called with each file of the database that other users of the machine can open and that we couldn't make private.
   */
  readonly openToOthers?: (file: string, error: unknown) => void;
  /** Called if the file turns out to be damaged: from then on `check` rejects, and what can still be read is. */
  readonly damaged?: (error: DatabaseError) => void;
  /** Called if that can't be found out. */
  readonly notExamined?: (error: unknown) => void;
  /** Called when hints of other processes don't arrive, as behind a connection pooler, and when they do again. */
  readonly hearing?: (hears: boolean) => void;
}

/**
 * The same for a process that serves Slack. Only one process serves a SQLite file, so this waits for another one to
 * stop.
 *
 * @throws DatabaseError `in-use` (by rejecting) if it doesn't stop
 */
export async function openForServing(url: string, serving: Serving): Promise<Database> {
  const file = sqliteFile(url);
  if (file !== undefined) await closeToOthers(file, serving.openToOthers ?? (() => undefined));
  // First: the tables aren't brought up to date under a process that serves them as they are.
  const release = file === undefined ? () => undefined : await lockForServing(file, serving);
  const database = await openDatabase(url, serving).catch((error: unknown) => {
    release();
    throw error;
  });
  if (file === undefined) {
    if (!isPostgres(url)) return database;
    const stopHeartbeat = startHeartbeat(database);
    const stopHearing = watchHearing(database, serving.hearing ?? (() => undefined));
    return {
      ...database,
      async close() {
        await Promise.all([stopHeartbeat(), stopHearing()]);
        await database.close();
      },
    };
  }
  try {
    const closing = new AbortController();
    let damage: DatabaseError | undefined;
    await lookForDamage(file, {
      found(words) {
        damage = new DatabaseError('corrupt', new Error(words));
        serving.damaged?.(damage);
      },
      failed: serving.notExamined ?? (() => undefined),
      signal: closing.signal,
    });
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
  } catch (error) {
    await database.close();
    release();
    throw error;
  }
}

/** A database for what must be decided once and is useless a few minutes later. */
export interface Momentary {
  readonly database: Database;
  /** Whether it's the one that all processes share. */
  readonly isShared: boolean;
  /** Decisions from before this time may be forgotten. Milliseconds since 1970. */
  readonly since: number;
  /** Another one after each start where decisions are forgotten, by which what was issued before is known. */
  readonly run: string;
  close(): Promise<void>;
}

/**
 * In memory if only one process serves, so that nothing waits for the disk; otherwise the database that all processes
 * share.
 */
export async function openMomentary(url: string, shared: Database, now: () => number): Promise<Momentary> {
  if (isPostgres(url))
    return { database: shared, isShared: true, since: 0, run: '', close: async () => undefined };
  const database = await openDatabase('memory:');
  // Slack gives the time of a press in whole seconds.
  const since = Math.floor(now() / 1_000) * 1_000;
  return { database, isShared: false, since, run: randomUUID(), close: () => database.close() };
}

/** The address of a server, read as its driver does: without a host it's this machine. */
const readServer = (url: string): URL | null => URL.parse(url) ?? URL.parse(url.replace('@/', '@localhost/'));

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The passwords in a `STORE_URL`, both as written and as the server gets them, so that no log shows them. */
export function passwordsOf(url: string): readonly string[] {
  const server = isPostgres(url) ? readServer(url) : null;
  if (server === null) return [];
  const { password, searchParams } = server;
  return [password, decoded(password), ...searchParams.getAll('password')].filter((one) => one !== '');
}

const isPostgres = (url: string) => /^postgres(ql)?:\/\//.test(url);

/** Whether only one process can serve the database at a `STORE_URL`. */
export const isServedAlone = (url: string): boolean => !isPostgres(url);

/** The file that a `STORE_URL` names; undefined if it names none. @throws DatabaseUrlError */
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
