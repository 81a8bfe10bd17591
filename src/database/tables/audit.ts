import { sql } from '../database.ts';

/**
 * Who did what, append-only, kept for AUDIT_DAYS. What people filter by has a column; `detail` is JSON, or empty.
 * Newest first means by `(at, id)`. A query without a filter says `at > 0`, after the times it asks for, since SQLite
 * reads as far as the first bound it's given. "By age" is for the removal of old entries alone, which says `id > 0`: a
 * search that PostgreSQL answers by the time of all entries reads everything newer than what it's looking for.
 */
export const auditTable = [
  sql`CREATE TABLE audit (
    id GROWING_ID, workspace_id ORDERED_TEXT NOT NULL, at INTEGER64 NOT NULL, user_id ORDERED_TEXT NOT NULL,
    channel_id ORDERED_TEXT, visitor_id ORDERED_TEXT, action ORDERED_TEXT NOT NULL, outcome TEXT NOT NULL,
    detail TEXT NOT NULL) STRICTLY`,
  sql`CREATE INDEX audit_by_time ON audit (workspace_id, at, id) WHERE at > 0`,
  sql`CREATE INDEX audit_by_user ON audit (workspace_id, user_id, at, id)`,
  sql`CREATE INDEX audit_by_channel ON audit (workspace_id, channel_id, at, id) WHERE channel_id IS NOT NULL`,
  sql`CREATE INDEX audit_by_visitor ON audit (workspace_id, visitor_id, at, id) WHERE visitor_id IS NOT NULL`,
  sql`CREATE INDEX audit_by_action ON audit (workspace_id, action, at, id)`,
  sql`CREATE INDEX audit_by_age ON audit (at) WHERE id > 0`,
];
