import { sql } from '../sql.ts';

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
