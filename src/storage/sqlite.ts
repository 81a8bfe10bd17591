import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from './database.ts';
import { createGroupCommit, type GroupCommit } from './group-commit.ts';
import { toStorageError } from './sqlite-errors.ts';
import { prepareSchema } from './sqlite-schema.ts';
import { createTables } from './sqlite-tables.ts';
import type { Clocks } from './sweep.ts';

/** Waiting for another process holds up the event loop, and Slack wants an answer within 3 s. */
const BUSY_TIMEOUT_MS = 2_000;

/**
 * Opens the database in the file at `path`, made with its folder where they are missing, and then for this user only;
 * `:memory:` is one that ends with the connection. Several processes may have the same file open.
 *
 * @throws StorageError (by rejecting) when the file cannot be opened or is no such database.
 */
export async function openSqlite(path: string, clocks: Clocks): Promise<Database> {
  try {
    if (path !== ':memory:') await createFile(path);
    const connection = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
    try {
      await prepareSchema(connection);
      const writes = createGroupCommit(connection);
      const table = createTables({ connection, writes, ...clocks });
      return { table, close: () => close(connection, writes) };
    } catch (error) {
      connection.close();
      throw error;
    }
  } catch (error) {
    throw toStorageError(error);
  }
}

async function createFile(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // SQLite gives the files it puts beside this one the same mode.
  const file = await open(path, 'a', 0o600);
  await file.close();
}

async function close(connection: DatabaseSync, writes: GroupCommit): Promise<void> {
  // A write that was begun just before may still be on its way to the group.
  await nextTurn();
  if (!connection.isOpen) return;
  try {
    writes.drain();
    // PASSIVE does not wait for other processes; what it leaves is safe in the WAL file.
    connection.exec('PRAGMA wal_checkpoint(PASSIVE)');
  } catch (error) {
    throw toStorageError(error);
  } finally {
    connection.close();
  }
}
