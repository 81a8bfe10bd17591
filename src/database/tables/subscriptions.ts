import { sql } from '../database.ts';

/**
 * What is posted to a channel and when. `filter` and `schedule` are JSON. For a digest, `next_at` is when it's due
 * next, and `digests` how many there have been. `notice_due` is what the person who set it up is due to hear: paused or
 * resumed. The other `notice_…` and `done_until` aren't used any more. A number is used only once in a workspace.
 */
export const subscriptionsTable = [
  sql`CREATE TABLE subscriptions (
    workspace_id ORDERED_TEXT NOT NULL, number INTEGER64 NOT NULL, channel_id ORDERED_TEXT NOT NULL,
    set_up_by TEXT NOT NULL, set_up_at INTEGER64 NOT NULL, filter TEXT NOT NULL, form TEXT NOT NULL, schedule TEXT,
    next_at INTEGER64, done_until INTEGER64, digests INTEGER64 NOT NULL, paused_reason TEXT, paused_since INTEGER64,
    notice_due TEXT, notice_about TEXT, notice_id TEXT, notice_since INTEGER64, notice_until INTEGER64, version INTEGER64 NOT NULL, PRIMARY KEY (workspace_id, number)) STRICTLY`,
  sql`CREATE INDEX subscriptions_by_channel ON subscriptions (workspace_id, channel_id)`,
  sql`CREATE INDEX subscriptions_due ON subscriptions (next_at) WHERE next_at IS NOT NULL`,
  sql`CREATE INDEX subscriptions_done ON subscriptions (done_until) WHERE done_until IS NOT NULL`,
  sql`CREATE INDEX subscriptions_paused ON subscriptions (paused_since) WHERE paused_since IS NOT NULL`,
  sql`CREATE INDEX subscriptions_notice_due ON subscriptions (workspace_id, number) WHERE notice_due IS NOT NULL`,
  sql`CREATE TABLE subscription_numbers (
    workspace_id ORDERED_TEXT PRIMARY KEY, last INTEGER64 NOT NULL) STRICTLY`,
];
