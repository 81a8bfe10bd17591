import { resolve } from 'node:path';
import type { Database } from './database.ts';
import { DatabaseUrlError } from './errors.ts';
import { lockForServing } from './serving-lock.ts';
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

/** Who may be waited for, and how the wait is told and called off. */
type Serving = Parameters<typeof lockForServing>[1];

/**
 * The same for a process that serves Slack. A SQLite file is served by one process: another one that does is waited for.
 *
 * @throws DatabaseError `in-use` (by rejecting) when it doesn't stop
 */
export async function openForServing(url: string, serving: Serving): Promise<Database> {
  const database = await openDatabase(url);
  const file = sqliteFile(url);
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

const isPostgres = (url: string) => /^postgres(ql)?:\/\//.test(url);

/** Whether one process alone serves the database at a `STORE_URL`. */
export const isServedAlone = (url: string): boolean => !isPostgres(url);

/** The file that a `STORE_URL` names; undefined where it names none. @throws DatabaseUrlError */
export function sqliteFile(url: string): string | undefined {
  if (url === 'memory:' || isPostgres(url)) return undefined;
  if (/^rediss?:/.test(url)) throw new DatabaseUrlError('names a Redis server, which can’t hold the tables');
  if (!url.startsWith('sqlite:')) throw new DatabaseUrlError('isn’t an address of a database');
  const path = url.slice('sqlite:'.length);
  if (path === '' || path === ':memory:') throw new DatabaseUrlError('names no file after sqlite:');
  if (/^\/\/[^/]/.test(path)) throw new DatabaseUrlError('names a host: write sqlite: and the path');
  // Made absolute, a path that looks like one of SQLite's own file: addresses is only a path.
  return resolve(path);
}
