import { sql } from '../database.ts';

/**
 * Presses that Slack reported, each good for one link, and other ids that can be used once. A row without `press_key`
 * was never a press, only used. `double_of` is the press that this one repeated within the same second. A row is kept
 * until `good_until` by the clock, when the same press can't come again, and until `expires_at` by the steady time.
 */
export const pressesTable = [
  sql`CREATE TABLE presses (
    workspace_id ORDERED_TEXT NOT NULL, id ORDERED_TEXT NOT NULL, press_key ORDERED_TEXT, pressed_at INTEGER64,
    received_at INTEGER64, refused TEXT, spent_at INTEGER64, double_of TEXT, expires_at INTEGER64 NOT NULL,
    PRIMARY KEY (workspace_id, id)) STRICTLY`,
  sql`CREATE INDEX presses_to_meet ON presses (workspace_id, press_key, pressed_at)
    WHERE press_key IS NOT NULL AND spent_at IS NULL`,
  sql`CREATE INDEX presses_by_expiry ON presses (expires_at)`,
];

/** The latest press of each button, for recognizing a double click. Nothing reads or writes `outcome` any more. */
export const pressActsTable = [
  sql`CREATE TABLE press_acts (
    workspace_id ORDERED_TEXT NOT NULL, press_key ORDERED_TEXT NOT NULL, press_id TEXT NOT NULL,
    pressed_at INTEGER64 NOT NULL, outcome TEXT, expires_at INTEGER64 NOT NULL,
    PRIMARY KEY (workspace_id, press_key)) STRICTLY`,
  sql`CREATE INDEX press_acts_by_expiry ON press_acts (expires_at)`,
];

/** Until when no page of a button waits any more. Such a row may have no press yet: then its `press_id` is empty. */
export const pressActsGivenUp = [sql`ALTER TABLE press_acts ADD COLUMN given_up_until INTEGER64`];

/**
 * What happened to a button's address: how often it waited for a press that never came, and until when, by the clock,
 * not to message its owner again. Kept as long as a press.
 */
export const ticketUsesTable = [
  sql`CREATE TABLE ticket_uses (
    workspace_id ORDERED_TEXT NOT NULL, ticket_id ORDERED_TEXT NOT NULL, failed_openings INTEGER64 NOT NULL,
    sent TEXT, sent_until INTEGER64, expires_at INTEGER64 NOT NULL, PRIMARY KEY (workspace_id, ticket_id)) STRICTLY`,
  sql`CREATE INDEX ticket_uses_by_expiry ON ticket_uses (expires_at)`,
];

/** When what a row keeps from being used again has expired by the clock, which somebody may set back. */
export const goodUntil = [
  sql`ALTER TABLE presses ADD COLUMN good_until INTEGER64 NOT NULL DEFAULT 0`,
  sql`ALTER TABLE ticket_uses ADD COLUMN good_until INTEGER64 NOT NULL DEFAULT 0`,
];

/** Who opened a page without a press, and whose Slack, for 30 days, is known not to report presses of such buttons. */
export const lostPressesTable = [
  sql`CREATE TABLE lost_presses (
    workspace_id ORDERED_TEXT NOT NULL, user_id ORDERED_TEXT NOT NULL, suspected_until INTEGER64 NOT NULL,
    remembered_until INTEGER64 NOT NULL, expires_at INTEGER64 NOT NULL, PRIMARY KEY (workspace_id, user_id)) STRICTLY`,
  sql`CREATE INDEX lost_presses_by_expiry ON lost_presses (expires_at)`,
];

/** Who Slack users are to the co-browsing service, as it last said, in each account the app was set up with. */
export const agentsTable = [
  sql`CREATE TABLE agents (
    workspace_id ORDERED_TEXT NOT NULL, account_id ORDERED_TEXT NOT NULL, user_id ORDERED_TEXT NOT NULL,
    agent_id TEXT NOT NULL, name TEXT NOT NULL, email TEXT, checked_at INTEGER64 NOT NULL,
    PRIMARY KEY (workspace_id, account_id, user_id)) STRICTLY`,
];
