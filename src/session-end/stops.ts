import { z } from 'zod';
import type { Session } from '../cobrowse/schemas.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Sql } from '../database/sql.ts';

/** A late webhook may report the end days later. */
const REMEMBERED_MS = 7 * 24 * 60 * 60 * 1_000;
/** Between a stop here and the end by the service's clock. */
const CLOCKS_APART_MS = 2 * 60 * 1_000;

const Row = z.object({ user_id: z.string(), reason: z.string().nullable() });

/** Who stopped a session from Slack, and the reason they gave, if any. */
export interface StoppedBy {
  readonly userId: string;
  readonly reason?: string | undefined;
}

interface Stopping {
  readonly workspaceId: string;
  readonly userId: string;
  readonly reason?: string | undefined;
}

/** Who stopped which visitor's session from Slack, so that its summary can say so. */
export interface StopRecords {
  /** Stops the session. The record is there before the service can report the end. */
  around(visitorId: string, stopping: Stopping, stop: () => Promise<void>): Promise<void>;
  /** Who stopped this session, if somebody did. */
  stoppedBy(workspaceId: string, visitorId: string, session: Session): Promise<StoppedBy | undefined>;
}

/** Removes some of the stops that no summary needs any more. @param now milliseconds since 1970 */
export const removeOldStops = (now: number, limit: number): Sql =>
  sql`DELETE FROM stops WHERE (workspace_id, visitor_id, at, user_id) IN (
    SELECT workspace_id, visitor_id, at, user_id FROM stops WHERE at <= ${now - REMEMBERED_MS} LIMIT ${limit})`;

export function createStopRecords(
  database: Pick<Database, 'read' | 'write'>,
  now: () => number,
): StopRecords {
  return {
    async around(visitorId, { workspaceId, userId, reason }, stop) {
      const insert = sql`INSERT INTO stops (workspace_id, visitor_id, at, user_id, reason)
        VALUES (${workspaceId}, ${visitorId}, ${Math.round(now())}, ${userId}, ${reason ?? null})
        ON CONFLICT DO NOTHING`;
      // Even without a database the session must end; only a line of the summary is lost.
      await database.write(insert).catch(() => undefined);
      await stop();
    },
    async stoppedBy(workspaceId, visitorId, session) {
      const endedAt = Date.parse(session.ended_at ?? '');
      if (Number.isNaN(endedAt)) return undefined;
      // The summary doesn't wait for this one line: if it can't be read, it's left out.
      const [found] = await database
        .read(
          sql`SELECT user_id, reason FROM stops WHERE workspace_id = ${workspaceId} AND visitor_id = ${visitorId}
            AND at >= ${endedAt - CLOCKS_APART_MS} AND at <= ${endedAt + CLOCKS_APART_MS}
            AND at > ${Math.round(now()) - REMEMBERED_MS} ORDER BY at DESC LIMIT 1`,
          Row,
        )
        .catch(() => []);
      if (found === undefined) return undefined;
      const { user_id: userId, reason } = found;
      return reason === null ? { userId } : { userId, reason };
    },
  };
}
