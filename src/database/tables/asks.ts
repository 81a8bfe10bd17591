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

/**
 * In a channel that was asked, `asked_id` is its id. `open_until` says that nobody has taken it yet, and until when
 * somebody can; `tell_at` when the asker hears that nobody has, until they heard; `taken_by` who did. All are NULL where a
 * person was asked. A link's `asked_card_id` is the card of the session that its agent was asked to look at.
 */
export const channelAsks = [
  sql`ALTER TABLE asks ADD COLUMN open_until INTEGER64`,
  sql`ALTER TABLE asks ADD COLUMN tell_at INTEGER64`,
  sql`ALTER TABLE asks ADD COLUMN taken_by ORDERED_TEXT`,
  sql`CREATE INDEX asks_open ON asks (open_until) WHERE open_until IS NOT NULL`,
  sql`ALTER TABLE watch_links ADD COLUMN asked_card_id ORDERED_TEXT`,
  sql`CREATE INDEX watch_links_by_asked_card ON watch_links (asked_card_id) WHERE asked_card_id IS NOT NULL`,
];
