import { resolve } from 'node:path';
import type { Database } from './database.ts';
import { DatabaseUrlError } from './errors.ts';
import { closeToOthers } from './file-mode.ts';
import { lockForServing } from './serving-lock.ts';
import type { LockOptions } from './serving-lock.ts';
import { openSqlite } from './sqlite.ts';

/**
 * Opens the database at a `STORE_URL`: `sqlite:<path>` (relative to the working directory, or `sqlite:/absolute`),
 * `postgres://…`, or `memory:`, which is SQLite in memory.
 *
 * @throws DatabaseUrlError (by rejecting) for any other address
 * @throws DatabaseError (by rejecting) when it can't be opened
 */
export async function openDatabase(url: string): Promise<Database> {
  if (isPostgres(url)) {
    // Loaded only where it is used: it costs start and memory.
    const { openPostgres } = await import('./postgres.ts');
    return openPostgres(url);
  }
  return openSqlite(sqliteFile(url) ?? ':memory:');
}

/** What is told and how the start is called off. */
interface Serving extends LockOptions {
  /** Called with each file of the database that other users of the machine can open, and that can't be closed to them. */
  readonly openToOthers?: (file: string, error: unknown) => void;
}

/**
 * The same for a process that serves Slack. A SQLite file is served by one process: another one that does is waited for.
 *
 * @throws DatabaseError `in-use` (by rejecting) when it doesn't stop
 */
export async function openForServing(url: string, serving: Serving): Promise<Database> {
  const file = sqliteFile(url);
  if (file !== undefined) await closeToOthers(file, serving.openToOthers ?? (() => undefined));
  const database = await openDatabase(url);
  if (file === undefined) return database;
  try {
    const release = await lockForServing(file, serving);
    return {
      ...database,
      async close() {
        await database.close();
        release();
      },
    };
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** A database for what must be decided once, and is of no use to anyone a few minutes later. */
export interface Momentary {
  readonly database: Database;
  /** Whether it's the one that all processes share. */
  readonly isShared: boolean;
  /** What was decided before this time may be forgotten. Milliseconds since 1970. */
  readonly since: number;
  close(): Promise<void>;
}

/** In memory where one process serves: nothing of it waits for the disk. Else the database that all processes share. */
export async function openMomentary(url: string, shared: Database, now: () => number): Promise<Momentary> {
  if (isPostgres(url)) return { database: shared, isShared: true, since: 0, close: async () => undefined };
  const database = await openDatabase('memory:');
  // Slack tells the time of a press in whole seconds.
  const since = Math.floor(now() / 1_000) * 1_000;
  return { database, isShared: false, since, close: () => database.close() };
}

/** The address of a server, read as its driver does: one without a host is the machine itself. */
const readServer = (url: string): URL | null => URL.parse(url) ?? URL.parse(url.replace('@/', '@localhost/'));

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The passwords in a `STORE_URL`, as they're written there and as the server gets them: what no log may show. */
export function passwordsOf(url: string): readonly string[] {
  const server = isPostgres(url) ? readServer(url) : null;
  if (server === null) return [];
  const { password, searchParams } = server;
  return [password, decoded(password), ...searchParams.getAll('password')].filter((one) => one !== '');
}

const isPostgres = (url: string) => /^postgres(ql)?:\/\//.test(url);

/** Whether one process alone serves the database at a `STORE_URL`. */
export const isServedAlone = (url: string): boolean => !isPostgres(url);

/** The file that a `STORE_URL` names; undefined where it names none. @throws DatabaseUrlError */
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
  // Made absolute, a path that looks like one of SQLite's own file: addresses is only a path.
  return resolve(path);
}
