import { z } from 'zod';
import { sql } from '../../src/database/database.ts';
import { openUntilTestEnds } from './engines.ts';

const Entry = z.object({ user_id: z.string(), outcome: z.string() });

/** The tables of a running app, and its audit, which can be made to refuse entries. */
export async function openAuditBeside(storeUrl: string) {
  const database = await openUntilTestEnds(storeUrl);
  return {
    database,
    /** What was recorded of some kind, and whose it is, oldest first. */
    recorded: async (action: string): Promise<readonly string[]> => {
      const entries = await database.read(
        sql`SELECT user_id, outcome FROM audit WHERE action = ${action} ORDER BY id`,
        Entry,
      );
      return entries.map(({ user_id: userId, outcome }) => `${outcome} by ${userId}`);
    },
    /** Does something while no entry can be written. */
    whileRefusing: async <T>(work: () => Promise<T>): Promise<T> => {
      await database.write(sql`ALTER TABLE audit RENAME TO audit_elsewhere`);
      try {
        return await work();
      } finally {
        await database.write(sql`ALTER TABLE audit_elsewhere RENAME TO audit`);
      }
    },
  };
}
