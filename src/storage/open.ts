import type { Database } from '../database/database.ts';
import { openDatabase } from '../database/open.ts';
import { createKeyvStore } from './keyv-store.ts';
import { createRecords } from './records.ts';
import type { Storage } from './store.ts';
import type { Clocks } from './sweep.ts';

const usual: Clocks = { now: Date.now, elapsed: () => performance.now() };

/** The stores of what has no table of its own yet, in the same database. */
export function createStorage(database: Database, clocks: Partial<Clocks> = {}): Storage {
  const { now, elapsed } = { ...usual, ...clocks };
  const records = createRecords(database, { now, elapsed });
  return {
    database,
    store: (namespace) => createKeyvStore(records(namespace), now),
    check: () => database.check(),
    close: () => database.close(),
  };
}

/**
 * Opens the storage at a `STORE_URL`.
 *
 * @param clocks the system's where not given
 * @throws DatabaseUrlError, DatabaseError (by rejecting) when it can't be opened
 */
export async function openStorage(url: string, clocks: Partial<Clocks> = {}): Promise<Storage> {
  return createStorage(await openDatabase(url), clocks);
}
