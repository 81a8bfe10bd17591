import { z } from 'zod';
import { hasChanged, sql, type Database } from '../../src/database/database.ts';

const Value = z.object({ press_key: z.string() });
const Key = z.object({ id: z.string() });

const insert = (key: string, value: unknown) =>
  sql`INSERT INTO presses (workspace_id, id, press_key, expires_at) VALUES ('notes', ${key}, ${JSON.stringify(value)}, 0)`;

/** Notes in one of the app's tables, for tests of the database itself. */
export function notesIn(database: Database) {
  return {
    async get(key: string): Promise<unknown> {
      const [row] = await database.read(
        sql`SELECT press_key FROM presses WHERE workspace_id = 'notes' AND id = ${key}`,
        Value,
      );
      return row && JSON.parse(row.press_key);
    },
    async set(key: string, value: unknown): Promise<void> {
      await database.write(
        sql`${insert(key, value)} ON CONFLICT (workspace_id, id) DO UPDATE SET press_key = excluded.press_key`,
      );
    },
    async delete(key: string): Promise<void> {
      await database.write(sql`DELETE FROM presses WHERE workspace_id = 'notes' AND id = ${key}`);
    },
    /** True for one of all who add the same. */
    async add(key: string, value: unknown): Promise<boolean> {
      const [added] = await database.write(sql`${insert(key, value)} ON CONFLICT DO NOTHING`);
      return hasChanged(added);
    },
    async keys(): Promise<readonly string[]> {
      const rows = await database.read(
        sql`SELECT id FROM presses WHERE workspace_id = 'notes' ORDER BY id`,
        Key,
      );
      return rows.map(({ id }) => id);
    },
  };
}
