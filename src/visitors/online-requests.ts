import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { hasChanged, rowsOf, sql, type Database, type Sql } from '../database/database.ts';
import { wakeChannelOf } from '../outbox/channels.ts';
import { insertDelivery, type NewId } from '../outbox/delivery.ts';
import { isOnHold } from '../workspaces/holds.ts';

/** What came of asking for a message when a visitor comes online. */
export type OnlineRequestOutcome =
  | { readonly is: 'set' | 'already'; readonly until: Date }
  /** The workspace already waits for as many visitors as we can look up. */
  | { readonly is: 'full'; readonly most: number };

/** Visitors who are looked up for a workspace each minute. */
const MOST_WATCHED = 50;
/** Who wants to know when a visitor comes online. All reject with a DatabaseError. */
export interface OnlineRequests {
  /** @param until when it ends, milliseconds since 1970 */
  ask(workspaceId: string, visitorId: string, userId: string, until: number): Promise<OnlineRequestOutcome>;
  /** False where there was nothing to cancel. */
  cancel(workspaceId: string, visitorId: string, userId: string): Promise<boolean>;
  /** The visitors somebody asked for, at most {@link MOST_WATCHED} of a workspace; in each, the one asked for first comes first. */
  watched(): Promise<readonly Watched[]>;
  /** The visitor is online: queues a message for each person who asked, and forgets the requests, in one commit. */
  queue(workspaceId: string, visitorId: string): Promise<void>;
}

const Asked = z.object({ until_at: z.number() });
const Watched = z
  .object({ workspace_id: z.string(), visitor_id: z.string() })
  .transform(({ workspace_id, visitor_id }) => ({ workspaceId: workspace_id, visitorId: visitor_id }));
export type Watched = z.output<typeof Watched>;
const Taken = z.object({
  user_id: z.string(),
  message_id: z.string(),
  asked_at: z.number(),
  until_at: z.number(),
  attempts: z.number(),
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
  database: Pick<Database, 'read' | 'write' | 'writeThen'>,
  newId: NewId,
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
      const [removed, dropped] = await database.write(
        sql`DELETE FROM online_requests WHERE ${one(workspaceId, visitorId, userId)}`,
        sql`UPDATE deliveries SET state = 'dropped', settled_by = ${userId}, settled_at = ${Math.round(now())}
          WHERE workspace_id = ${workspaceId} AND channel_id = ${userId} AND state = 'waiting'
            AND attempted_at IS NULL AND kind = 'online' AND payload = ${JSON.stringify({ visitorId })}`,
      );
      return hasChanged(removed) || hasChanged(dropped);
    },
    watched: () =>
      database.read(
        // Two who ask at the same moment can each be the last one: those beyond wait for room.
        sql`SELECT workspace_id, visitor_id FROM (
            SELECT workspace_id, visitor_id,
              ROW_NUMBER() OVER (PARTITION BY workspace_id ORDER BY MIN(asked_at), visitor_id) AS place
            FROM online_requests WHERE until_at > ${Math.round(now())} AND NOT ${isOnHold(sql`online_requests.workspace_id`)}
            GROUP BY workspace_id, visitor_id) AS asked
          WHERE place <= ${MOST_WATCHED} ORDER BY place, workspace_id`,
        Watched,
      ),
    async queue(workspaceId, visitorId) {
      const time = Math.round(now());
      await database.writeThen(
        [
          sql`DELETE FROM online_requests
            WHERE workspace_id = ${workspaceId} AND visitor_id = ${visitorId} AND until_at > ${time}
            RETURNING user_id, message_id, asked_at, until_at, attempts`,
        ],
        ([taken]) =>
          rowsOf(taken, Taken).flatMap(
            ({ user_id: channelId, message_id: messageId, asked_at, until_at, attempts }) => {
              const id = newId();
              const delivery = {
                id,
                workspaceId,
                key: `online ${messageId}`,
                kind: 'online',
                messageId,
                since: asked_at,
                channelId,
                acceptedAt: time,
                notAfter: until_at,
                payload: { visitorId },
              };
              // The version of the app that posted these itself may have done so, and not heard of it.
              const doubt = sql`UPDATE deliveries SET attempted_at = ${asked_at} WHERE id = ${id}`;
              return [insertDelivery(delivery), ...(attempts > 0 ? [doubt] : []), wakeChannelOf(id)];
            },
          ),
      );
    },
  };
}
