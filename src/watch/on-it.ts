import { z } from 'zod';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { list, sql } from '../database/sql.ts';
import type { Sql } from '../database/sql.ts';
import type { OnItOutcome } from '../model/waiting.ts';

/** As long as somebody may take to open the customer's screen. */
const HELD_MS = 10 * 60 * 1_000;
/** The second press of a double click takes nothing back. */
const SAME_CLICK_MS = 3_000;
/** More than once only where what stood in the way ends between two statements. */
const MOST_TRIES = 3;

/** Who is on it, of visitors who wait for help. One person for each, for ten minutes. All reject with a DatabaseError. */
export interface OnIt {
  /** Takes a visitor, or releases one that the same user took before. */
  toggle(workspaceId: string, visitorId: string, userId: string): Promise<OnItOutcome>;
  /** The users who are on it, by the visitor's id. */
  holders(workspaceId: string, visitorIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
}

const Row = z.object({ visitor_id: z.string(), user_id: z.string(), claimed_until: z.number() });

/** Removes what is over. */
export const removeOldVisitorClaims = (until: number, limit: number): Sql =>
  sql`DELETE FROM visitor_claims WHERE (workspace_id, visitor_id) IN (
    SELECT workspace_id, visitor_id FROM visitor_claims WHERE claimed_until <= ${until} LIMIT ${limit})`;

// One that lasts longer than it could was made by a clock that ran ahead.
const isLive = (time: number) => sql`claimed_until > ${time} AND claimed_until <= ${time + HELD_MS}`;

/** @param now milliseconds since 1970 */
export function createOnIt(database: Pick<Database, 'read' | 'write'>, now: () => number): OnIt {
  const liveOf = (workspaceId: string, visitorIds: readonly string[], time: number) =>
    database.read(
      sql`SELECT visitor_id, user_id, claimed_until FROM visitor_claims
        WHERE workspace_id = ${workspaceId} AND ${isLive(time)}
          AND visitor_id IN (${list(visitorIds.map((id) => sql`${id}`))})`,
      Row,
    );

  /** What the table says after the press; undefined where it is somebody else's. */
  async function press(workspaceId: string, visitorId: string, userId: string, time: number) {
    const [written] = await database.write(
      sql`INSERT INTO visitor_claims (workspace_id, visitor_id, user_id, claimed_at, claimed_until)
        VALUES (${workspaceId}, ${visitorId}, ${userId}, ${time}, ${time + HELD_MS})
        ON CONFLICT (workspace_id, visitor_id) DO UPDATE SET user_id = excluded.user_id,
          claimed_at = CASE WHEN visitor_claims.claimed_until > excluded.claimed_at
              AND visitor_claims.claimed_until <= excluded.claimed_until
            THEN visitor_claims.claimed_at ELSE excluded.claimed_at END,
          claimed_until = CASE
            WHEN visitor_claims.claimed_until <= excluded.claimed_at
              OR visitor_claims.claimed_until > excluded.claimed_until THEN excluded.claimed_until
            WHEN visitor_claims.claimed_at > excluded.claimed_at - ${SAME_CLICK_MS} THEN visitor_claims.claimed_until
            ELSE 0 END
        WHERE visitor_claims.user_id = excluded.user_id OR visitor_claims.claimed_until <= excluded.claimed_at
          OR visitor_claims.claimed_until > excluded.claimed_until
        RETURNING visitor_id, user_id, claimed_until`,
    );
    return rowsOf(written, Row)[0];
  }

  return {
    async toggle(workspaceId, visitorId, userId) {
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const time = Math.round(now());
        const own = await press(workspaceId, visitorId, userId, time);
        if (own !== undefined)
          return own.claimed_until === 0
            ? { is: 'released' }
            : { is: 'taken', until: new Date(own.claimed_until) };
        const [held] = await liveOf(workspaceId, [visitorId], time);
        if (held !== undefined) return { is: 'held', by: held.user_id, until: new Date(held.claimed_until) };
      }
      throw new Error('A visitor is taken and released again and again.');
    },
    async holders(workspaceId, visitorIds) {
      if (visitorIds.length === 0) return new Map();
      const rows = await liveOf(workspaceId, visitorIds, Math.round(now()));
      return new Map(rows.map(({ visitor_id, user_id }) => [visitor_id, user_id]));
    },
  };
}
