import { sql } from '../database.ts';

/** Who is on it, of visitors who wait for help; colleagues see it until then. */
export const visitorClaimsTable = [
  sql`CREATE TABLE visitor_claims (
    workspace_id ORDERED_TEXT NOT NULL, visitor_id ORDERED_TEXT NOT NULL, user_id TEXT NOT NULL,
    claimed_at INTEGER64 NOT NULL, claimed_until INTEGER64 NOT NULL, PRIMARY KEY (workspace_id, visitor_id)) STRICTLY`,
  sql`CREATE INDEX visitor_claims_by_age ON visitor_claims (claimed_until)`,
];

/**
 * Who wants to hear when a visitor comes online, and until when. `message_id` is what the message can be recognized by.
 * `attempts` is above 0 where an earlier version of the app began to send it; `claimed_until` isn't used any more.
 */
export const onlineRequestsTable = [
  sql`CREATE TABLE online_requests (
    workspace_id ORDERED_TEXT NOT NULL, visitor_id ORDERED_TEXT NOT NULL, user_id ORDERED_TEXT NOT NULL,
    asked_at INTEGER64 NOT NULL, until_at INTEGER64 NOT NULL, message_id TEXT NOT NULL, attempts INTEGER64 NOT NULL,
    claimed_until INTEGER64 NOT NULL, PRIMARY KEY (workspace_id, visitor_id, user_id)) STRICTLY`,
  sql`CREATE INDEX online_requests_by_age ON online_requests (until_at)`,
];
