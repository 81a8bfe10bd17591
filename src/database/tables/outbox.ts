import { sql } from '../database.ts';

/**
 * What to post, in order within each channel. `kind` is summary, card, details, notice, elsewhere, digest, owner,
 * online, ask, unasked, channel-ask, untaken, follow-up, webhook-notice, or one that changes what it replaces: update a
 * summary, asked-card a card, channel-ask-change a post that asks a channel.
 * `state` is asking (somebody has to be asked whether they want it), waiting, sending, posted, failed, skipped or
 * dropped. `deaths` is how many attempts in a row ended with their process: each counts from before it's made until its outcome is written. `post_channel_id` is
 * where Slack says the post is, which for direct messages isn't the id it was sent to. `subscriptions` is JSON, and so
 * is `payload`, for what isn't made from a session end. Ids begin with the time.
 * A query that counts what waits says `accepted_at > 0`, and none may filter by that time alone: an engine would take
 * that index for the shorter way and read everything that waits.
 */
export const deliveriesTable = [
  sql`CREATE TABLE deliveries (
    id ORDERED_TEXT PRIMARY KEY, workspace_id ORDERED_TEXT NOT NULL, dedupe_key ORDERED_TEXT NOT NULL,
    kind TEXT NOT NULL, session_end_id ORDERED_TEXT, subscriptions TEXT, channel_id ORDERED_TEXT NOT NULL,
    thread_ts TEXT, state TEXT NOT NULL, due_at INTEGER64 NOT NULL, not_after INTEGER64, attempts INTEGER64 NOT NULL,
    deaths INTEGER64 NOT NULL, attempted_at INTEGER64, failing_since INTEGER64, claim TEXT, reason TEXT,
    needed_scope TEXT, replaces_id ORDERED_TEXT, taken_by ORDERED_TEXT, is_short INTEGER64 NOT NULL,
    post_channel_id TEXT, post_ts TEXT, recheck_at INTEGER64, accepted_at INTEGER64 NOT NULL, settled_at INTEGER64,
    settled_by TEXT, payload TEXT) STRICTLY`,
  sql`CREATE UNIQUE INDEX deliveries_once ON deliveries (workspace_id, dedupe_key)`,
  sql`CREATE INDEX deliveries_due ON deliveries (workspace_id, channel_id, due_at, id)
    WHERE state IN ('waiting', 'sending')`,
  sql`CREATE INDEX deliveries_to_ask ON deliveries (due_at) WHERE state = 'asking'`,
  sql`CREATE INDEX deliveries_unsettled ON deliveries (workspace_id, accepted_at)
    WHERE settled_at IS NULL AND kind NOT IN ('card', 'update') AND accepted_at > 0`,
  sql`CREATE INDEX deliveries_oldest ON deliveries (accepted_at)
    WHERE settled_at IS NULL AND kind NOT IN ('card', 'update') AND accepted_at > 0`,
  sql`CREATE INDEX deliveries_in_trouble ON deliveries (workspace_id, accepted_at, id)
    WHERE settled_at IS NULL AND reason IS NOT NULL AND kind NOT IN ('card', 'update')`,
  sql`CREATE INDEX deliveries_failed ON deliveries (workspace_id, settled_at) WHERE state = 'failed'`,
  sql`CREATE INDEX deliveries_to_recheck ON deliveries (recheck_at) WHERE recheck_at IS NOT NULL`,
];

/**
 * The id by which its message is recognized in Slack, the same however often the delivery is made: from the session and
 * the place. The delivery's own id where there is none.
 */
export const deliveryMessageIds = [sql`ALTER TABLE deliveries ADD COLUMN message_id TEXT`];

/** For the removal of session ends: those with a delivery that isn't settled are kept. */
export const unsettledOfSessionEnds = [
  sql`CREATE INDEX deliveries_of_session_ends ON deliveries (session_end_id)
    WHERE settled_at IS NULL AND session_end_id IS NOT NULL`,
];

/** Which card belongs to a watch link; links from repeated presses share one. */
export const linkCardsTable = [
  sql`CREATE TABLE link_cards (
    workspace_id ORDERED_TEXT NOT NULL, link_id ORDERED_TEXT NOT NULL, card_id ORDERED_TEXT NOT NULL,
    PRIMARY KEY (workspace_id, link_id)) STRICTLY`,
  sql`CREATE INDEX link_cards_by_card ON link_cards (card_id)`,
];

/** Each link has the id of its card. */
export const linkCardsElsewhere = [sql`DROP TABLE link_cards`];

/**
 * When a channel's next delivery is due, when Slack will accept a post there again, and who has its turn; and where it
 * moved to if Slack gave it another id.
 */
export const channelsTable = [
  sql`CREATE TABLE channels (
    workspace_id ORDERED_TEXT NOT NULL, channel_id ORDERED_TEXT NOT NULL, next_at INTEGER64,
    open_at INTEGER64 NOT NULL, claim ORDERED_TEXT, claimed_until INTEGER64, moved_to ORDERED_TEXT,
    PRIMARY KEY (workspace_id, channel_id)) STRICTLY`,
  sql`CREATE INDEX channels_due ON channels (next_at) WHERE next_at IS NOT NULL`,
  sql`CREATE INDEX channels_claimed ON channels (claim) WHERE claim IS NOT NULL`,
];

/**
 * When the database was put back to a backup: what it doesn't know may have been posted by then. While the mark is there,
 * what could have been is looked for in Slack before it's posted.
 */
export const restoresTable = [sql`CREATE TABLE restores (restored_at INTEGER64 PRIMARY KEY) STRICTLY`];

/** A post whose answer was lost is looked for before it's made again, and not once more afterwards. */
export const noRechecks = [
  sql`DROP INDEX deliveries_to_recheck`,
  sql`ALTER TABLE deliveries DROP COLUMN recheck_at`,
];
