import { sql } from '../sql.ts';

/**
 * The watch links that went out: for whom, to whose screen, and what became of them. Never the link itself, and no session:
 * a link may have several. `state` is open, ended, unused or unknown; `looked_for` is 1 while the service is asked how its
 * session ended, which goes on for a while after it was found unused.
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
  sql`CREATE INDEX watch_links_by_workspace ON watch_links (workspace_id, issued_at)`,
  sql`CREATE INDEX watch_links_looked_for ON watch_links (workspace_id, user_id) WHERE looked_for = 1`,
  sql`CREATE INDEX watch_links_by_time ON watch_links (issued_at)`,
];
