import { sql } from '../sql.ts';

/** Who Slack users are to the co-browsing service, as it last said, in each account the app was set up with. */
export const agentsTable = [
  sql`CREATE TABLE agents (
    workspace_id ORDERED_TEXT NOT NULL, account_id ORDERED_TEXT NOT NULL, user_id ORDERED_TEXT NOT NULL,
    agent_id TEXT NOT NULL, name TEXT NOT NULL, email TEXT, checked_at INTEGER64 NOT NULL,
    PRIMARY KEY (workspace_id, account_id, user_id)) STRICTLY`,
];

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
