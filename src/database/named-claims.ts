import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { AnyRow, hasChanged, sql, type Database, type Sql } from './database.ts';

/** Removes expired claims. */
export const removeOldClaims = (until: number, limit: number): Sql =>
  sql`DELETE FROM claims WHERE (workspace_id, name) IN (
    SELECT workspace_id, name FROM claims WHERE claimed_until <= ${until} LIMIT ${limit})`;

/**
 * Claims by name: when several ask for the same one, in any process, one gets it. All reject with a DatabaseError.
 *
 * @param now milliseconds since 1970
 */
export const createNamedClaims = (database: Pick<Database, 'read' | 'write'>, now: () => number) => ({
  /** True for one caller, until this many milliseconds have passed or the claim is released. */
  async claim(workspaceId: string, name: string, forMs: number): Promise<boolean> {
    const time = now();
    const [claimed] = await database.write(
      sql`INSERT INTO claims (workspace_id, name, claimed_until) VALUES (${workspaceId}, ${name}, ${time + forMs})
        ON CONFLICT (workspace_id, name) DO UPDATE SET claimed_until = excluded.claimed_until
        WHERE claims.claimed_until <= ${time}`,
    );
    return hasChanged(claimed);
  },
  async isClaimed(workspaceId: string, name: string): Promise<boolean> {
    const claims = await database.read(
      sql`SELECT 1 FROM claims WHERE workspace_id = ${workspaceId} AND name = ${name} AND claimed_until > ${now()}`,
      AnyRow,
    );
    return claims.length > 0;
  },
  async release(workspaceId: string, name: string): Promise<void> {
    await database.write(sql`DELETE FROM claims WHERE workspace_id = ${workspaceId} AND name = ${name}`);
  },
});

export type NamedClaims = ReturnType<typeof createNamedClaims>;

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
