import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { Table } from './database.ts';
import { StorageError } from './errors.ts';
import type { GroupCommit } from './group-commit.ts';
import { toStorageError } from './sqlite-errors.ts';
import { createSweep, type Clocks } from './sweep.ts';

const alive = '(expires_at IS NULL OR expires_at > :now)';

/**
 * Makes the tables of one connection. Expired records are left out of every answer and never removed by a read: that
 * could remove what another process has just written in their place. Writes remove a few of them now and then.
 */
export function createTables({ connection, writes, now, elapsed }: Connected): (namespace: string) => Table {
  const statements = prepareStatements(connection);
  const sweep = createSweep((until, limit) => statements.sweep.run({ until, limit }).changes, {
    now,
    elapsed,
  });
  const write = <T>(work: () => T): Promise<T> =>
    writes.write(() => {
      sweep();
      return work();
    });
  return (namespace) => ({
    get: async (key) => {
      const row = read(() => statements.get.get({ namespace, key, now: now() }));
      return row && text(row['value']);
    },
    keys: async (after, limit) =>
      read(() => statements.keys.all({ namespace, after, limit, now: now() })).map((row) => text(row['key'])),
    set: (key, value, expiresAt) =>
      write(() => {
        statements.set.run({ namespace, key, value, expiresAt: expiresAt ?? null });
      }),
    delete: (key) => write(() => statements.delete.run({ namespace, key, now: now() }).changes === 1),
    add: (key, value, expiresAt) =>
      write(() => {
        const record = { namespace, key, value, expiresAt: expiresAt ?? null, now: now() };
        return statements.add.run(record).changes === 1;
      }),
  });
}

interface Connected extends Clocks {
  readonly connection: DatabaseSync;
  readonly writes: GroupCommit;
}

function prepareStatements(connection: DatabaseSync) {
  const upsert = `
    INSERT INTO records (namespace, key, value, expires_at) VALUES (:namespace, :key, :value, :expiresAt)
    ON CONFLICT DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`;
  return {
    get: connection.prepare(
      `SELECT value FROM records WHERE namespace = :namespace AND key = :key AND ${alive}`,
    ),
    set: connection.prepare(upsert),
    // A record without an expiry compares as NULL, so it is never replaced.
    add: connection.prepare(`${upsert} WHERE records.expires_at <= :now`),
    delete: connection.prepare(
      `DELETE FROM records WHERE namespace = :namespace AND key = :key AND ${alive}`,
    ),
    // BINARY, the default collation, sorts UTF-8 by code point: by code unit but for characters beyond U+FFFF.
    keys: connection.prepare(
      `SELECT key FROM records WHERE namespace = :namespace AND key > :after AND ${alive} ORDER BY key LIMIT :limit`,
    ),
    sweep: connection.prepare(
      `DELETE FROM records WHERE (namespace, key) IN
        (SELECT namespace, key FROM records WHERE expires_at <= :until LIMIT :limit)`,
    ),
  };
}

function read<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw toStorageError(error);
  }
}

function text(value: SQLOutputValue | undefined): string {
  if (typeof value !== 'string') throw new StorageError('corrupt');
  return value;
}
