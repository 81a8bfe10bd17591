import { sql } from '../sql.ts';

/** Who stopped a visitor's session, and why, for the summary. */
export const stopsTable = [
  sql`CREATE TABLE stops (
    workspace_id ORDERED_TEXT NOT NULL, visitor_id ORDERED_TEXT NOT NULL, at INTEGER64 NOT NULL, user_id TEXT NOT NULL,
    reason TEXT, PRIMARY KEY (workspace_id, visitor_id, at, user_id)) STRICTLY`,
  sql`CREATE INDEX stops_by_age ON stops (at)`,
];

/** The sessions that ran when they were stopped: the service's ids, as JSON. NULL before there was this column. */
export const stoppedSessions = [sql`ALTER TABLE stops ADD COLUMN sessions TEXT`];
