import type { Database } from '../../src/database/database.ts';

/** The same database but for this, in the background, too. */
export function changedDatabase<Change extends Partial<Database>>(
  database: Database,
  change: Change,
): Database & Change {
  const changed = { ...database, ...change, inBackground: () => changed };
  return changed;
}
