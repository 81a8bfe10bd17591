import { sql } from '../sql.ts';

/** The records of what has no table of its own yet, by namespace and key. */
export const recordsTable = [
  sql`CREATE TABLE records (
    namespace ORDERED_TEXT NOT NULL, key ORDERED_TEXT NOT NULL, value TEXT NOT NULL, expires_at INTEGER64,
    PRIMARY KEY (namespace, key)) STRICTLY`,
  sql`CREATE INDEX records_by_expiry ON records (expires_at) WHERE expires_at IS NOT NULL`,
];
