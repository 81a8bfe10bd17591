import { sql } from '../sql.ts';

/** When a channel's next delivery is due and who has its turn; where it moved to when Slack gave it another id. */
export const channelsTable = [
  sql`CREATE TABLE channels (
    workspace_id ORDERED_TEXT NOT NULL, channel_id ORDERED_TEXT NOT NULL, next_at INTEGER64, claim TEXT,
    claimed_until INTEGER64, moved_to ORDERED_TEXT, PRIMARY KEY (workspace_id, channel_id)) STRICTLY`,
  sql`CREATE INDEX channels_due ON channels (next_at) WHERE next_at IS NOT NULL`,
];
