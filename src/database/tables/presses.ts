import { sql } from '../sql.ts';

/**
 * Presses and pages that wait for each other, press ids that were spent, and what happened to a button's address.
 * None outlives the address it belongs to by long: `expires_at` says until when a row counts.
 */
export const pressesTables = [
  sql`CREATE TABLE presses (
    workspace_id ORDERED_TEXT NOT NULL, id ORDERED_TEXT NOT NULL, told_at INTEGER64, taken_by TEXT,
    expires_at INTEGER64 NOT NULL, PRIMARY KEY (workspace_id, id)) STRICTLY`,
  sql`CREATE INDEX presses_by_expiry ON presses (expires_at)`,
  sql`CREATE TABLE ticket_uses (
    workspace_id ORDERED_TEXT NOT NULL, ticket_id ORDERED_TEXT NOT NULL, failed_openings INTEGER64 NOT NULL,
    sent_at INTEGER64, expires_at INTEGER64 NOT NULL, PRIMARY KEY (workspace_id, ticket_id)) STRICTLY`,
  sql`CREATE INDEX ticket_uses_by_expiry ON ticket_uses (expires_at)`,
];
