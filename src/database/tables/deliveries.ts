import { sql } from '../sql.ts';

/**
 * What is to be posted, in order, a channel at a time. `kind` is summary, card, details, notice or digest; `state` is
 * waiting, sending, posted, failed, skipped or dropped. `subscriptions` is JSON, and `payload`, for what is not made from a
 * session's end.
 */
export const deliveriesTable = [
  sql`CREATE TABLE deliveries (
    id ORDERED_TEXT PRIMARY KEY, workspace_id ORDERED_TEXT NOT NULL, dedupe_key ORDERED_TEXT NOT NULL,
    kind TEXT NOT NULL, session_end_id ORDERED_TEXT, subscriptions TEXT, channel_id ORDERED_TEXT NOT NULL,
    thread_ts TEXT, state TEXT NOT NULL, due_at INTEGER64 NOT NULL, not_after INTEGER64, attempts INTEGER64 NOT NULL,
    attempted_at INTEGER64, failing_since INTEGER64, claim TEXT, reason TEXT, needed_scope TEXT, replaces_id TEXT,
    taken_by TEXT, post_channel_id TEXT, post_ts TEXT, recheck_at INTEGER64, accepted_at INTEGER64 NOT NULL,
    settled_at INTEGER64, settled_by TEXT, payload TEXT) STRICTLY`,
  sql`CREATE UNIQUE INDEX deliveries_once ON deliveries (workspace_id, dedupe_key)`,
  sql`CREATE INDEX deliveries_due ON deliveries (workspace_id, channel_id, due_at, id) WHERE state = 'waiting'`,
  sql`CREATE INDEX deliveries_failed ON deliveries (workspace_id, settled_at) WHERE state = 'failed'`,
  sql`CREATE INDEX deliveries_to_recheck ON deliveries (recheck_at) WHERE recheck_at IS NOT NULL`,
  sql`CREATE INDEX deliveries_by_session ON deliveries (session_end_id) WHERE session_end_id IS NOT NULL`,
];
