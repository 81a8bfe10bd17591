import { sql } from '../sql.ts';

/** Who people are to the co-browsing service, and when each agent's sessions are looked up next. */
export const agentsTable = [
  sql`CREATE TABLE agents (
    workspace_id ORDERED_TEXT NOT NULL, account ORDERED_TEXT NOT NULL, agent_id ORDERED_TEXT NOT NULL,
    user_id ORDERED_TEXT NOT NULL, email TEXT, name TEXT NOT NULL, is_current INTEGER64 NOT NULL,
    refreshed_at INTEGER64 NOT NULL, next_check_at INTEGER64, last_checked_at INTEGER64,
    failures INTEGER64 NOT NULL, claim TEXT, claimed_until INTEGER64,
    PRIMARY KEY (workspace_id, account, agent_id, user_id)) STRICTLY`,
  sql`CREATE UNIQUE INDEX agents_current ON agents (workspace_id, account, user_id) WHERE is_current = 1`,
  sql`CREATE INDEX agents_to_check ON agents (next_check_at) WHERE next_check_at IS NOT NULL`,
];
