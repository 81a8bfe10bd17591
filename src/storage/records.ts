import { z } from 'zod';
import { hasChanged } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import { createSweep } from '../database/sweep.ts';
import type { Clocks } from '../database/sweep.ts';
import type { Table } from './table.ts';

const Value = z.object({ value: z.string() });
const Key = z.object({ key: z.string() });

const upsert = (namespace: string, key: string, value: string, expiresAt: number | undefined) =>
  sql`INSERT INTO records (namespace, key, value, expires_at)
    VALUES (${namespace}, ${key}, ${value}, ${expiresAt ?? null})
    ON CONFLICT (namespace, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at`;

/**
 * The records of what has no table of its own yet. Expired ones are left out of every answer and never removed by a
 * read: that could remove what another process has just written in their place. Writes remove a few of them now and then.
 */
export function createRecords(database: Database, { now, elapsed }: Clocks): (namespace: string) => Table {
  const alive = () => sql`(expires_at IS NULL OR expires_at > ${now()})`;
  const sweep = createSweep(
    (until, limit) => sql`DELETE FROM records WHERE (namespace, key) IN (
      SELECT namespace, key FROM records WHERE expires_at <= ${until} LIMIT ${limit})`,
    { now, elapsed },
  );

  async function write(statement: ReturnType<typeof upsert>): Promise<boolean> {
    const swept = sweep.next();
    const [first, second] = await database.write(...(swept === undefined ? [] : [swept]), statement);
    if (swept === undefined) return hasChanged(first);
    sweep.removed(first?.changed ?? 0);
    return hasChanged(second);
  }

  return (namespace) => ({
    async get(key) {
      const [row] = await database.read(
        sql`SELECT value FROM records WHERE namespace = ${namespace} AND key = ${key} AND ${alive()}`,
        Value,
      );
      return row?.value;
    },
    async keys(after, limit) {
      const rows = await database.read(
        sql`SELECT key FROM records WHERE namespace = ${namespace} AND key > ${after} AND ${alive()}
          ORDER BY key LIMIT ${limit}`,
        Key,
      );
      return rows.map(({ key }) => key);
    },
    set: async (key, value, expiresAt) => void (await write(upsert(namespace, key, value, expiresAt))),
    delete: (key) =>
      write(sql`DELETE FROM records WHERE namespace = ${namespace} AND key = ${key} AND ${alive()}`),
    // A record without an expiry compares as NULL, so it is never replaced.
    add: (key, value, expiresAt) =>
      write(sql`${upsert(namespace, key, value, expiresAt)} WHERE records.expires_at <= ${now()}`),
  });
}
