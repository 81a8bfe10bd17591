import { sql } from '../database.ts';

/**
 * The watch links that were issued: for whom, to whose screen, and what became of them. Never the link itself, and no
 * session, since a link may have several. `state` is open, ended, unused or unknown. `looked_for` is 1 while we ask the
 * service how its session ended, which goes on for a while even after it was found unused.
 * A query that counts links over time says `issued_at > 0`, after the times it asks for, since SQLite reads from the first
 * bound it's given. None may filter by the time alone: an engine would take that index for the shorter way and read
 * everything newer.
 */
export const watchLinksTable = [
  sql`CREATE TABLE watch_links (
    workspace_id ORDERED_TEXT NOT NULL, id ORDERED_TEXT NOT NULL, agent_id ORDERED_TEXT NOT NULL,
    user_id ORDERED_TEXT NOT NULL, visitor_id ORDERED_TEXT NOT NULL, channel_id ORDERED_TEXT, thread_ts TEXT,
    access TEXT NOT NULL, proof_id ORDERED_TEXT, issued_at INTEGER64 NOT NULL, expires_at INTEGER64,
    state TEXT NOT NULL, ended_at INTEGER64, seconds FRACTION, looked_for INTEGER64 NOT NULL,
    PRIMARY KEY (workspace_id, id)) STRICTLY`,
  sql`CREATE UNIQUE INDEX watch_links_by_proof ON watch_links (workspace_id, proof_id) WHERE proof_id IS NOT NULL`,
  sql`CREATE INDEX watch_links_by_user ON watch_links (workspace_id, user_id, issued_at)`,
  sql`CREATE INDEX watch_links_by_visitor ON watch_links (workspace_id, visitor_id, issued_at)`,
  sql`CREATE INDEX watch_links_by_workspace ON watch_links (workspace_id, issued_at, state)
    WHERE issued_at > 0`,
  sql`CREATE INDEX watch_links_looked_for ON watch_links (workspace_id, user_id, issued_at, id) WHERE looked_for = 1`,
  sql`CREATE INDEX watch_links_by_time ON watch_links (issued_at)`,
];

/** The card of a link, which links of one press after another share, and when its session is looked for next. */
export const watchLinkCardsAndLooks = [
  sql`ALTER TABLE watch_links ADD COLUMN card_id ORDERED_TEXT`,
  sql`ALTER TABLE watch_links ADD COLUMN look_at INTEGER64`,
  sql`UPDATE watch_links SET card_id = (SELECT card_id FROM link_cards
    WHERE link_cards.workspace_id = watch_links.workspace_id AND link_cards.link_id = watch_links.id)`,
  sql`UPDATE watch_links SET look_at = (SELECT next_check_at FROM agent_looks
      WHERE agent_looks.workspace_id = watch_links.workspace_id AND agent_looks.user_id = watch_links.user_id
        AND agent_looks.agent_id = watch_links.agent_id)
    WHERE looked_for = 1`,
  sql`CREATE INDEX watch_links_by_card ON watch_links (card_id) WHERE card_id IS NOT NULL`,
  sql`CREATE INDEX watch_links_to_look_for ON watch_links (look_at) WHERE look_at IS NOT NULL`,
];

/** The workspace's own account that the link was made with, as `service_accounts` has it; NULL for the operator's. */
export const watchLinkAccounts = [sql`ALTER TABLE watch_links ADD COLUMN account_id ORDERED_TEXT`];

/**
 * The address of the helpdesk's ticket that a link, and so its session, is about; NULL without one. An ended session has its own,
 * since it's kept for longer.
 */
export const ticketLinks = [
  sql`ALTER TABLE watch_links ADD COLUMN ticket_url TEXT`,
  sql`ALTER TABLE session_ends ADD COLUMN ticket_url TEXT`,
];

/** What a link is recognized by where the service sends it back, as `linkHashes` says; NULL for those made before. */
export const watchLinkHashes = [
  sql`ALTER TABLE watch_links ADD COLUMN link_hash ORDERED_TEXT`,
  sql`CREATE INDEX watch_links_by_hash ON watch_links (workspace_id, link_hash) WHERE link_hash IS NOT NULL`,
];

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

/** Until when one without deliveries is being turned into them by a process, by the time that claims go by. */
export const claimedSessionEnds = [sql`ALTER TABLE session_ends ADD COLUMN claimed_until INTEGER64`];

/**
 * Where the session's own summary is: the channel by the id it had when it was posted, and the message's `ts`; NULL until
 * then. The indexes are for lists of ended sessions, newest first, which means by `(received_at, id)`. Those without an outcome
 * have an empty one there: PostgreSQL would sort all of them.
 */
export const postedSummaries = [
  sql`ALTER TABLE session_ends ADD COLUMN summary_channel_id ORDERED_TEXT`,
  sql`ALTER TABLE session_ends ADD COLUMN summary_ts TEXT`,
  sql`UPDATE session_ends SET summary_channel_id = posted.post_channel_id, summary_ts = posted.post_ts
    FROM deliveries AS posted WHERE session_ends.id = posted.session_end_id AND posted.state = 'posted'
      AND posted.dedupe_key = 'summary:' || session_ends.id || ':'`,
  sql`CREATE INDEX session_ends_by_user ON session_ends (workspace_id, user_id, received_at, id)`,
  sql`CREATE INDEX session_ends_by_visitor ON session_ends (workspace_id, visitor_id, received_at, id)`,
  sql`CREATE INDEX session_ends_by_outcome ON session_ends (workspace_id, COALESCE(outcome, ''), received_at, id)`,
  sql`CREATE INDEX session_ends_by_summary ON session_ends (workspace_id, summary_channel_id, received_at, id)
    WHERE summary_channel_id IS NOT NULL`,
];

/** Which link a session belongs to, decided once, so that two links never get the same summary. */
export const sessionOwnersTable = [
  sql`CREATE TABLE session_owners (
    workspace_id ORDERED_TEXT NOT NULL, session_id ORDERED_TEXT NOT NULL, link_id ORDERED_TEXT NOT NULL,
    expires_at INTEGER64 NOT NULL, PRIMARY KEY (workspace_id, session_id)) STRICTLY`,
  sql`CREATE INDEX session_owners_by_expiry ON session_owners (expires_at)`,
];

/** Who stopped a visitor's session, and why, for the summary. */
export const stopsTable = [
  sql`CREATE TABLE stops (
    workspace_id ORDERED_TEXT NOT NULL, visitor_id ORDERED_TEXT NOT NULL, at INTEGER64 NOT NULL, user_id TEXT NOT NULL,
    reason TEXT, PRIMARY KEY (workspace_id, visitor_id, at, user_id)) STRICTLY`,
  sql`CREATE INDEX stops_by_age ON stops (at)`,
];

/** The sessions that ran when they were stopped: the service's ids, as JSON. NULL before there was this column. */
export const stoppedSessions = [sql`ALTER TABLE stops ADD COLUMN sessions TEXT`];

/**
 * The agents that links were requested for, and until when one process looks up their sessions. `looks` is JSON: what
 * earlier look-ups found. `version` means nothing any more, but programs still write it.
 */
export const agentLooksTable = [
  sql`CREATE TABLE agent_looks (
    workspace_id ORDERED_TEXT NOT NULL, user_id ORDERED_TEXT NOT NULL, agent_id ORDERED_TEXT NOT NULL,
    looks TEXT, next_check_at INTEGER64, claimed_until INTEGER64, version INTEGER64 NOT NULL,
    PRIMARY KEY (workspace_id, user_id, agent_id)) STRICTLY`,
  sql`CREATE INDEX agent_looks_due ON agent_looks (next_check_at) WHERE next_check_at IS NOT NULL`,
  sql`CREATE INDEX agent_looks_by_agent ON agent_looks (workspace_id, agent_id)`,
];

/** Each link has the time of its own look-up. */
export const agentLooksPlannedElsewhere = [
  sql`DROP INDEX agent_looks_due`,
  sql`ALTER TABLE agent_looks DROP COLUMN next_check_at`,
];
