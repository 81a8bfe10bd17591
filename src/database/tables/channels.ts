import { sql } from '../sql.ts';

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
