import { sql } from '../database.ts';

/** The processes that serve the app on this database, and when each last said so, by the database's clock. */
export const servingTable = [
  sql`CREATE TABLE serving (id ORDERED_TEXT PRIMARY KEY, seen_at INTEGER64 NOT NULL) STRICTLY`,
];
