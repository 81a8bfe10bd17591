import { sql } from '../sql.ts';

/**
 * When the database was put back to a backup: what it doesn't know may have been posted by then. While the mark is there,
 * what could have been is looked for in Slack before it's posted.
 */
export const restoresTable = [sql`CREATE TABLE restores (restored_at INTEGER64 PRIMARY KEY) STRICTLY`];
