import { resolve } from 'node:path';
import { DatabaseUrlError, type Database, type Opening } from './database.ts';
import { openSqlite } from './sqlite.ts';
import { lockForServing, type LockOptions } from './sqlite-file.ts';

/**
 * Opens the database at a `STORE_URL`: `sqlite:<path>` (relative to the working directory, or `sqlite:/absolute`),
 * `postgres://…`, or `memory:`, which is SQLite in memory.
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

/** For a process that serves Slack: waits until no other serves a SQLite file. @throws DatabaseError (by rejecting) `in-use` */
export async function openForServing(url: string, serving: LockOptions & Opening): Promise<Database> {
  const file = sqliteFile(url);
  if (file === undefined) return openDatabase(url, serving);
  // First: the tables aren't brought up to date under a process that serves them as they are.
  const release = await lockForServing(file, serving);
  const database = await openDatabase(url, serving).catch((error: unknown) => {
    release();
    throw error;
  });
  return {
    ...database,
    async close() {
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
