import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { toStorageError } from './sqlite-errors.ts';

const TRIES = 50;
const BETWEEN_TRIES_MS = 20;

/**
 * Makes the connection durable and the table of all records, where it is not there yet.
 * @throws StorageError (by rejecting) when the file is no database or stays locked for a second.
 */
export async function prepareSchema(connection: DatabaseSync): Promise<void> {
  await turnOnWal(connection);
  // FULL waits for the disk at every commit: in WAL mode anything less may lose the last ones at a power cut.
  connection.exec('PRAGMA synchronous = FULL');
  connection.exec(`
    CREATE TABLE IF NOT EXISTS records (
      namespace TEXT NOT NULL,
      key TEXT NOT NULL,
      value TEXT NOT NULL,
      expires_at INTEGER,
      PRIMARY KEY (namespace, key)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX IF NOT EXISTS records_by_expiry ON records (expires_at) WHERE expires_at IS NOT NULL;
  `);
}

/** SQLite does not wait for the lock when two processes turn WAL on in a new file at once: one is refused. */
async function turnOnWal(connection: DatabaseSync): Promise<void> {
  for (let triesLeft = TRIES - 1; ; triesLeft -= 1) {
    try {
      connection.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (cause) {
      const failure = toStorageError(cause);
      if (failure.kind !== 'locked' || triesLeft === 0) throw failure;
      await pause(BETWEEN_TRIES_MS);
    }
  }
}
