import { sql } from '../database.ts';

/**
 * What people want to come back to after a session, at most one row a session: whose it is, when it's due, and a line in
 * their words, which is nowhere else. `channel_id` is where it was set, if that was a channel; `handed_by` who handed it on
 * last. `told_at` is when the message that it's due was queued, and `version` counts the changes.
 */
export const followUpsTable = [
  sql`CREATE TABLE follow_ups (
    workspace_id ORDERED_TEXT NOT NULL, session_end_id ORDERED_TEXT NOT NULL, visitor_id TEXT NOT NULL,
    channel_id ORDERED_TEXT, user_id ORDERED_TEXT NOT NULL, handed_by TEXT, line TEXT, due_at INTEGER64 NOT NULL,
    told_at INTEGER64, changed_at INTEGER64 NOT NULL, version INTEGER64 NOT NULL,
    PRIMARY KEY (workspace_id, session_end_id)) STRICTLY`,
  sql`CREATE INDEX follow_ups_to_tell ON follow_ups (due_at) WHERE told_at IS NULL`,
  sql`CREATE INDEX follow_ups_by_person ON follow_ups (workspace_id, user_id, due_at)`,
  sql`CREATE INDEX follow_ups_by_channel ON follow_ups (workspace_id, channel_id, due_at)`,
  sql`CREATE INDEX follow_ups_by_age ON follow_ups (due_at)`,
];
