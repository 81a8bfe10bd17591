import { resolve } from 'node:path';
import type { Database } from './database.ts';
import { StorageError, StorageSettingError } from './errors.ts';
import { createKeyvStore } from './keyv-store.ts';
import { openSqlite } from './sqlite.ts';
import type { Storage } from './store.ts';
import type { Clocks } from './sweep.ts';

/**
 * Opens the storage at a `STORE_URL`: `sqlite:<path>` (relative to the working directory, or `sqlite:/absolute`) or
 * `memory:`, which is the same over a database in memory.
 *
 * @param clocks the system's where not given
 * @throws StorageSettingError (by rejecting) for any other address.
 * @throws StorageError (by rejecting) when the file cannot be opened or is damaged.
 */
export async function openStorage(
  url: string,
  { now = Date.now, elapsed = () => performance.now() }: Partial<Clocks> = {},
): Promise<Storage> {
  const database = await openSqlite(sqlitePath(url), { now, elapsed });
  return {
    store: (namespace) => createKeyvStore(database.table(namespace), now),
    check: () => probe(database, now),
    close: () => database.close(),
  };
}

/** Where a store keeps its records; undefined for one in memory. @throws StorageSettingError */
export function storeFile(url: string): string | undefined {
  const path = sqlitePath(url);
  return path === ':memory:' ? undefined : path;
}

function sqlitePath(url: string): string {
  if (url === 'memory:') return ':memory:';
  if (/^rediss?:/.test(url))
    throw new StorageSettingError('names a Redis server, which is not supported yet');
  if (!url.startsWith('sqlite:')) throw new StorageSettingError('is not an address of a store');
  const path = url.slice('sqlite:'.length);
  if (path === '' || path === ':memory:') throw new StorageSettingError('names no file after sqlite:');
  if (/^\/\/[^/]/.test(path)) throw new StorageSettingError('names a host: write sqlite: and the path');
  // Made absolute, a path that looks like one of SQLite's own file: addresses is only a path.
  return resolve(path);
}

/** Any process may write the same probe at the same time, so what comes back need not be what was written here. */
async function probe(database: Database, now: () => number): Promise<void> {
  const table = database.table('storage-check');
  await table.set('probe', String(now()), undefined);
  if ((await table.get('probe')) === undefined) throw new StorageError('failed');
}
