import { sql } from '../sql.ts';

/** Who is on it, of visitors who wait for help; colleagues see it until then. */
export const visitorClaimsTable = [
  sql`CREATE TABLE visitor_claims (
    workspace_id ORDERED_TEXT NOT NULL, visitor_id ORDERED_TEXT NOT NULL, user_id TEXT NOT NULL,
    claimed_at INTEGER64 NOT NULL, claimed_until INTEGER64 NOT NULL, PRIMARY KEY (workspace_id, visitor_id)) STRICTLY`,
  sql`CREATE INDEX visitor_claims_by_age ON visitor_claims (claimed_until)`,
];
