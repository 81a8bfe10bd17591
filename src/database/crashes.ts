import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { sql, type Database } from './database.ts';

const KEPT_MS = 60 * 60_000;
/** Of no workspace. */
const NOBODY = '';

const Count = z.object({ count: z.number() });

/**
 * Processes that an error ended which nobody caught, within the last hour: a count in one that ends would be lost with it. Both
 * reject with a DatabaseError.
 */
export const createCrashes = (database: Pick<Database, 'read' | 'write'>, now: () => number) => ({
  record: () =>
    database.write(
      sql`INSERT INTO claims (workspace_id, name, claimed_until)
        VALUES (${NOBODY}, ${`crash:${randomUUID()}`}, ${Math.round(now()) + KEPT_MS})`,
    ),
  async count(): Promise<number> {
    const [row] = await database.read(
      sql`SELECT COUNT(*) AS count FROM claims
        WHERE workspace_id = ${NOBODY} AND name LIKE 'crash:%' AND claimed_until > ${now()}`,
      Count,
    );
    return row?.count ?? 0;
  },
});
