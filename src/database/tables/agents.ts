import { sql } from '../sql.ts';

/**
 * Slack users as the agents that links were asked for, and when each one's sessions are looked up next. `looks` is JSON:
 * what earlier look-ups said. `version` counts the links, so that a look-up never forgets one that was issued meanwhile.
 */
export const agentsTable = [
  sql`CREATE TABLE agents (
    workspace_id ORDERED_TEXT NOT NULL, user_id ORDERED_TEXT NOT NULL, agent_id ORDERED_TEXT NOT NULL,
    looks TEXT, next_check_at INTEGER64, claimed_until INTEGER64, version INTEGER64 NOT NULL,
    PRIMARY KEY (workspace_id, user_id, agent_id)) STRICTLY`,
  sql`CREATE INDEX agents_to_check ON agents (next_check_at) WHERE next_check_at IS NOT NULL`,
  sql`CREATE INDEX agents_by_agent ON agents (workspace_id, agent_id)`,
];
