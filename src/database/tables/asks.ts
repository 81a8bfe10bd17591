import { sql } from '../database.ts';

/**
 * The latest time that each person was asked to look at a visitor's screen: by whom, and why, in their words. `id` is
 * that of the message that says so. `channel_id` and `thread_ts` are where the asked session belongs, `card_id` is its card.
 * Nobody is asked again about the same visitor before `free_at`.
 */
export const asksTable = [
  sql`CREATE TABLE asks (
    workspace_id ORDERED_TEXT NOT NULL, visitor_id ORDERED_TEXT NOT NULL, asked_id ORDERED_TEXT NOT NULL,
    id ORDERED_TEXT NOT NULL, asked_by TEXT NOT NULL, asked_at INTEGER64 NOT NULL, free_at INTEGER64 NOT NULL,
    reason TEXT, channel_id TEXT, thread_ts TEXT, card_id ORDERED_TEXT,
    PRIMARY KEY (workspace_id, visitor_id, asked_id)) STRICTLY`,
  sql`CREATE INDEX asks_by_card ON asks (card_id) WHERE card_id IS NOT NULL`,
  sql`CREATE INDEX asks_by_age ON asks (asked_at)`,
];
