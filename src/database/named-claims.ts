import { AnyRow, hasChanged, sql, type Database, type Sql } from './database.ts';

export const removeOldClaims = (until: number, limit: number): Sql =>
  sql`DELETE FROM claims WHERE (workspace_id, name) IN (
    SELECT workspace_id, name FROM claims WHERE claimed_until <= ${until} LIMIT ${limit})`;

/** When several ask for the same name, in any process, one gets it. All reject with a DatabaseError. */
export const createNamedClaims = (database: Pick<Database, 'read' | 'write'>, now: () => number) => ({
  /** True for one caller, until the time is over or the claim is released. */
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
