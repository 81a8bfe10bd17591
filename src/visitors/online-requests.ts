import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { hasChanged, rowsOf, sql } from '../database/database.ts';
import type { Database, Sql } from '../database/database.ts';
import { hasComeIn } from '../database/row-times.ts';

/** What came of asking for a message when a visitor comes online. */
export type OnlineRequestOutcome =
  | { readonly is: 'set' | 'already'; readonly until: Date }
  /** The workspace already waits for as many visitors as we can look up. */
  | { readonly is: 'full'; readonly most: number };

/** Visitors who are looked up for a workspace each minute. */
const MOST_WATCHED = 50;
/** Longer than a look and a post take. */
const CLAIM_MS = 60_000;

/** Somebody to notify now, by this process alone. */
export interface OnlineNotice {
  readonly workspaceId: string;
  readonly visitorId: string;
  readonly userId: string;
  readonly messageId: string;
  /** Milliseconds since 1970: no message of it was sent before. */
  readonly askedAt: number;
  /** How long it's this caller's, milliseconds since 1970. */
  readonly claimedUntil: number;
  /** Whether it was begun before, and nobody knows what came of it. */
  readonly isAgain: boolean;
}

/** Who wants to know when a visitor comes online. All reject with a DatabaseError. */
export interface OnlineRequests {
  /** @param until when it ends, milliseconds since 1970 */
  ask(workspaceId: string, visitorId: string, userId: string, until: number): Promise<OnlineRequestOutcome>;
  /** False where there was nothing to cancel. */
  cancel(workspaceId: string, visitorId: string, userId: string): Promise<boolean>;
  /** The visitors somebody asked for, at most {@link MOST_WATCHED} of a workspace; in each, the one asked for first comes first. */
  watched(): Promise<readonly { readonly workspaceId: string; readonly visitorId: string }[]>;
  /** The people to notify about a visitor: each goes to one caller, and to another later unless it's finished by then. */
  take(workspaceId: string, visitorId: string): Promise<readonly OnlineNotice[]>;
  /**
   * Certainly nothing was sent this time: it can be taken again at once, as if this try had never begun. Not where somebody
   * else has taken it since.
   */
  release(notice: OnlineNotice): Promise<void>;
  /** The person was notified, or never will be. */
  finish(notice: OnlineNotice): Promise<void>;
}

const Asked = z.object({ until_at: z.number() });
const Watched = z
  .object({ workspace_id: z.string(), visitor_id: z.string() })
  .transform(({ workspace_id, visitor_id }) => ({ workspaceId: workspace_id, visitorId: visitor_id }));
const Taken = z.object({
  user_id: z.string(),
  message_id: z.string(),
  asked_at: z.number(),
  attempts: z.number(),
  claimed_until: z.number(),
});

/** Removes what is over. */
export const removeOldOnlineRequests = (until: number, limit: number): Sql =>
  sql`DELETE FROM online_requests WHERE (workspace_id, visitor_id, user_id) IN (
    SELECT workspace_id, visitor_id, user_id FROM online_requests WHERE until_at <= ${until} LIMIT ${limit})`;

const text = (value: string) => sql`CAST(${value} AS TEXT)`;
const whole = (value: number) => sql`CAST(${value} AS BIGINT)`;

const one = (workspaceId: string, visitorId: string, userId: string) =>
  sql`workspace_id = ${workspaceId} AND visitor_id = ${visitorId} AND user_id = ${userId}`;

/** @param now milliseconds since 1970 */
export function createOnlineRequests(
  database: Pick<Database, 'read' | 'write'>,
  now: () => number,
): OnlineRequests {
  return {
    async ask(workspaceId, visitorId, userId, until) {
      const time = Math.round(now());
      const [written] = await database.write(
        sql`INSERT INTO online_requests
            (workspace_id, visitor_id, user_id, asked_at, until_at, message_id, attempts, claimed_until)
          SELECT ${text(workspaceId)}, ${text(visitorId)}, ${text(userId)}, ${whole(time)}, ${whole(until)},
            ${text(`online:${randomUUID()}`)}, ${whole(0)}, ${whole(0)}
          WHERE (SELECT count(DISTINCT visitor_id) FROM online_requests
            WHERE workspace_id = ${workspaceId} AND until_at > ${time} AND visitor_id <> ${visitorId}) < ${MOST_WATCHED}
          ON CONFLICT (workspace_id, visitor_id, user_id) DO UPDATE SET asked_at = excluded.asked_at,
            until_at = excluded.until_at, message_id = excluded.message_id, attempts = 0, claimed_until = 0
          WHERE online_requests.until_at <= excluded.asked_at`,
      );
      if (hasChanged(written)) return { is: 'set', until: new Date(until) };
      const [there] = await database.read(
        sql`SELECT until_at FROM online_requests
          WHERE ${one(workspaceId, visitorId, userId)} AND until_at > ${time}`,
        Asked,
      );
      return there === undefined
        ? { is: 'full', most: MOST_WATCHED }
        : { is: 'already', until: new Date(there.until_at) };
    },
    async cancel(workspaceId, visitorId, userId) {
      const [removed] = await database.write(
        sql`DELETE FROM online_requests WHERE ${one(workspaceId, visitorId, userId)}`,
      );
      return hasChanged(removed);
    },
    watched: () =>
      database.read(
        // Two who ask at the same moment can each be the last one: those beyond wait for room.
        sql`SELECT workspace_id, visitor_id FROM (
            SELECT workspace_id, visitor_id,
              ROW_NUMBER() OVER (PARTITION BY workspace_id ORDER BY MIN(asked_at), visitor_id) AS place
            FROM online_requests WHERE until_at > ${Math.round(now())} GROUP BY workspace_id, visitor_id) AS asked
          WHERE place <= ${MOST_WATCHED} ORDER BY place, workspace_id`,
        Watched,
      ),
    async take(workspaceId, visitorId) {
      const time = Math.round(now());
      const [written] = await database.write(
        sql`UPDATE online_requests SET claimed_until = ${time + CLAIM_MS}, attempts = attempts + 1
          WHERE workspace_id = ${workspaceId} AND visitor_id = ${visitorId} AND until_at > ${time}
            AND ${hasComeIn(sql`claimed_until`, time, CLAIM_MS)}
          RETURNING user_id, message_id, asked_at, attempts, claimed_until`,
      );
      return rowsOf(written, Taken).map(({ user_id, message_id, asked_at, attempts, claimed_until }) => ({
        workspaceId,
        visitorId,
        userId: user_id,
        messageId: message_id,
        askedAt: asked_at,
        claimedUntil: claimed_until,
        isAgain: attempts > 1,
      }));
    },
    async release({ workspaceId, visitorId, userId, messageId, claimedUntil }) {
      await database.write(
        sql`UPDATE online_requests SET claimed_until = 0, attempts = attempts - 1
          WHERE ${one(workspaceId, visitorId, userId)} AND message_id = ${messageId}
            AND claimed_until = ${claimedUntil}`,
      );
    },
    async finish({ workspaceId, visitorId, userId, messageId }) {
      await database.write(
        sql`DELETE FROM online_requests
          WHERE ${one(workspaceId, visitorId, userId)} AND message_id = ${messageId}`,
      );
    },
  };
}
