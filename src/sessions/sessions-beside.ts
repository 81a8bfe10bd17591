import { sql } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { SessionEndRow, endedSessionOf, sessionEndColumns } from './session-ends.ts';
import type { SessionEnd } from './session-ends.ts';

/** More than a summary has room for. */
const MOST_BESIDE = 5;

/** From when to when it ran, both by the service's clock; NaN where that isn't known. */
function timesOf(end: SessionEnd) {
  const { endedAt: until } = endedSessionOf(end);
  const started = Date.parse(end.session?.started_at ?? '');
  return { from: Number.isNaN(started) ? until - (end.seconds ?? Number.NaN) * 1_000 : started, until };
}

function overlap(one: SessionEnd, other: SessionEnd): boolean {
  const [first, second] = [timesOf(one), timesOf(other)];
  // Services may say whole seconds.
  return first.from <= second.until && second.from <= first.until;
}

/**
 * The sessions with the same visitor that ran at the same time, and whose agent was asked to look at this one, or this one's
 * at theirs. Rejects with a DatabaseError.
 */
export type SessionsBeside = (end: SessionEnd) => Promise<readonly SessionEnd[]>;

export const createSessionsBeside =
  (database: Pick<Database, 'read'>): SessionsBeside =>
  async (end) => {
    const { workspaceId, linkId, visitorId } = end.link;
    const own = sql`watch_links AS own WHERE own.workspace_id = ${workspaceId} AND own.id = ${linkId}`;
    const ends = await database.read(
      sql`SELECT id, ${sessionEndColumns} FROM session_ends
        WHERE workspace_id = ${workspaceId} AND visitor_id = ${visitorId} AND session_id <> ${end.sessionId}
          AND link_id IN (SELECT id FROM watch_links WHERE card_id = (SELECT own.asked_card_id FROM ${own})
            UNION SELECT id FROM watch_links WHERE asked_card_id = (SELECT own.card_id FROM ${own}))
        ORDER BY received_at, id LIMIT ${MOST_BESIDE}`,
      SessionEndRow,
    );
    return ends.filter((other) => overlap(end, other));
  };
