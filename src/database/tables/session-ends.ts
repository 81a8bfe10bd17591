import { sql } from '../sql.ts';

/**
 * Sessions that ended, once each. `claimant` is empty if the session certainly belongs to the ticket that reported it,
 * and otherwise names the ticket's link, so that one ticket can never take another's place. The row copies what the
 * link's ticket says. `features` and `payload` are JSON. `outcome` is how it went, as people said afterwards: solved,
 * follow-up or other. Ids begin with the time.
 */
export const sessionEndsTable = [
  sql`CREATE TABLE session_ends (
    id ORDERED_TEXT PRIMARY KEY, workspace_id ORDERED_TEXT NOT NULL, session_id ORDERED_TEXT NOT NULL,
    claimant ORDERED_TEXT NOT NULL, link_id ORDERED_TEXT NOT NULL, user_id ORDERED_TEXT NOT NULL,
    visitor_id ORDERED_TEXT NOT NULL, channel_id ORDERED_TEXT, thread_ts TEXT, access TEXT NOT NULL,
    seconds INTEGER64, features TEXT NOT NULL, received_at INTEGER64 NOT NULL, recovered INTEGER64 NOT NULL,
    fanned_out_at INTEGER64, outcome TEXT, outcome_by ORDERED_TEXT, outcome_at INTEGER64, payload TEXT NOT NULL) STRICTLY`,
  sql`CREATE UNIQUE INDEX session_ends_once ON session_ends (workspace_id, session_id, claimant)`,
  sql`CREATE INDEX session_ends_to_fan_out ON session_ends (received_at) WHERE fanned_out_at IS NULL`,
  sql`CREATE INDEX session_ends_by_time ON session_ends (workspace_id, received_at)`,
  sql`CREATE INDEX session_ends_by_link ON session_ends (workspace_id, link_id)`,
];

/** Whether the customer accepted, 0 or 1; NULL where the service didn't say, or before there was this column. */
export const acceptedSessions = [
  sql`ALTER TABLE session_ends ADD COLUMN accepted INTEGER64`,
  sql`ALTER TABLE watch_links ADD COLUMN accepted INTEGER64`,
  // The links that are counted apart, and no others.
  sql`CREATE INDEX watch_links_not_accepted ON watch_links (workspace_id, issued_at) WHERE accepted = 0`,
];

/** Which link a session belongs to, decided once, so that two links never get the same summary. */
export const sessionOwnersTable = [
  sql`CREATE TABLE session_owners (
    workspace_id ORDERED_TEXT NOT NULL, session_id ORDERED_TEXT NOT NULL, link_id ORDERED_TEXT NOT NULL,
    expires_at INTEGER64 NOT NULL, PRIMARY KEY (workspace_id, session_id)) STRICTLY`,
  sql`CREATE INDEX session_owners_by_expiry ON session_owners (expires_at)`,
];
