import { sql } from '../sql.ts';

/** What is posted to a channel and when. `filter` and `schedule` are JSON; `next_at` is a digest's next time. */
export const subscriptionsTable = [
  sql`CREATE TABLE subscriptions (
    workspace_id ORDERED_TEXT NOT NULL, number INTEGER64 NOT NULL, channel_id ORDERED_TEXT NOT NULL,
    set_up_by TEXT NOT NULL, set_up_at INTEGER64 NOT NULL, filter TEXT NOT NULL, form TEXT NOT NULL, schedule TEXT,
    next_at INTEGER64, done_until INTEGER64, paused_reason TEXT, paused_since INTEGER64, version INTEGER64 NOT NULL,
    PRIMARY KEY (workspace_id, number)) STRICTLY`,
  sql`CREATE INDEX subscriptions_by_channel ON subscriptions (workspace_id, channel_id)`,
  sql`CREATE INDEX subscriptions_due ON subscriptions (next_at) WHERE next_at IS NOT NULL`,
];
