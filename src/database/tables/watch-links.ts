import { sql } from '../sql.ts';

/**
 * The watch links that went out: for whom, to whose screen, and what became of them. Never the link itself, and no session:
 * a link may have several. `state` is open, ended, unused or unknown.
 */
export const watchLinksTable = [
  sql`CREATE TABLE watch_links (
    workspace_id ORDERED_TEXT NOT NULL, id ORDERED_TEXT NOT NULL, account ORDERED_TEXT NOT NULL,
    agent_id ORDERED_TEXT NOT NULL, user_id ORDERED_TEXT NOT NULL, visitor_id ORDERED_TEXT NOT NULL,
    channel_id ORDERED_TEXT, thread_ts TEXT, access TEXT NOT NULL, proof_id ORDERED_TEXT, issued_at INTEGER64 NOT NULL,
    expires_at INTEGER64 NOT NULL, state TEXT NOT NULL, ended_at INTEGER64, seconds INTEGER64, card_id TEXT,
    PRIMARY KEY (workspace_id, id)) STRICTLY`,
  sql`CREATE UNIQUE INDEX watch_links_by_proof ON watch_links (workspace_id, proof_id) WHERE proof_id IS NOT NULL`,
  sql`CREATE INDEX watch_links_by_user ON watch_links (workspace_id, user_id, issued_at)`,
  sql`CREATE INDEX watch_links_by_visitor ON watch_links (workspace_id, visitor_id, issued_at)`,
  sql`CREATE INDEX watch_links_open ON watch_links (workspace_id, account, agent_id) WHERE state = 'open'`,
  sql`CREATE INDEX watch_links_by_time ON watch_links (issued_at)`,
];
