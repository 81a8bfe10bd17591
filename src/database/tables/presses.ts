import { sql } from '../sql.ts';

/**
 * Presses that Slack told of, each good for one link, and other ids that are good once. A row without `press_key` was never
 * a press to be met, only spent. `expires_at` says until when a row counts; then the same press can't come again.
 */
export const pressesTable = [
  sql`CREATE TABLE presses (
    workspace_id ORDERED_TEXT NOT NULL, id ORDERED_TEXT NOT NULL, press_key ORDERED_TEXT, pressed_at INTEGER64,
    told_at INTEGER64, refused TEXT, spent_at INTEGER64, expires_at INTEGER64 NOT NULL,
    PRIMARY KEY (workspace_id, id)) STRICTLY`,
  sql`CREATE INDEX presses_to_meet ON presses (workspace_id, press_key, pressed_at)
    WHERE press_key IS NOT NULL AND spent_at IS NULL`,
  sql`CREATE INDEX presses_by_expiry ON presses (expires_at)`,
];

/** What happened to a button's address: how often it waited in vain, and until when its owner is not written to again. */
export const ticketUsesTable = [
  sql`CREATE TABLE ticket_uses (
    workspace_id ORDERED_TEXT NOT NULL, ticket_id ORDERED_TEXT NOT NULL, failed_openings INTEGER64 NOT NULL,
    sent TEXT, sent_until INTEGER64, expires_at INTEGER64 NOT NULL, PRIMARY KEY (workspace_id, ticket_id)) STRICTLY`,
  sql`CREATE INDEX ticket_uses_by_expiry ON ticket_uses (expires_at)`,
];
