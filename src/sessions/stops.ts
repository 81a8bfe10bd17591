import { z } from 'zod';
import type { Session } from '../cobrowse/schemas.ts';
import { jsonOf, rowOf, sql, type Database, type Sql } from '../database/database.ts';

/** A late webhook may report the end days later, and a summary is drawn again when its outcome is set. */
const REMEMBERED_MS = 30 * 24 * 60 * 60 * 1_000;

/** Longer than it takes to see which sessions run and to stop them. */
const STOPPED_WITHIN_MS = 15_000;

const Row = rowOf({
  at: z.number(),
  userId: z.string(),
  reason: z.string().optional(),
  sessions: jsonOf(z.array(z.string())),
});

interface Stopping {
  readonly workspaceId: string;
  readonly userId: string;
  readonly reason?: string;
  /** The service's ids of the sessions that run: their summaries name whoever stops them. */
  readonly sessionIds: readonly string[];
}

/** @param now milliseconds since 1970 */
export const removeOldStops = (now: number, limit: number): Sql =>
  sql`DELETE FROM stops WHERE (workspace_id, visitor_id, at, user_id) IN (
    SELECT workspace_id, visitor_id, at, user_id FROM stops WHERE at <= ${now - REMEMBERED_MS} LIMIT ${limit})`;

export type StopRecords = ReturnType<typeof createStopRecords>;

export function createStopRecords(database: Pick<Database, 'read' | 'write'>, now: () => number) {
  /** Even without a database the session must end; only a line of the summary is lost. */
  const tryTo = (statement: Sql): Promise<boolean> =>
    database.write(statement).then(
      () => true,
      () => false,
    );

  return {
    /** Recorded before the service can report the end, and removed if the stop fails. Resolves to whether it was recorded. */
    async around(visitorId: string, stopping: Stopping, stop: () => Promise<void>): Promise<boolean> {
      const { workspaceId, userId, reason, sessionIds } = stopping;
      if (sessionIds.length === 0) {
        await stop();
        return false;
      }
      const at = Math.round(now());
      const isRecorded =
        await tryTo(sql`INSERT INTO stops (workspace_id, visitor_id, at, user_id, reason, sessions)
        VALUES (${workspaceId}, ${visitorId}, ${at}, ${userId}, ${reason ?? null}, ${JSON.stringify(sessionIds)})
        ON CONFLICT DO NOTHING`);
      try {
        await stop();
        return isRecorded;
      } catch (error) {
        // Whatever ends these sessions later, it wasn't this.
        await tryTo(sql`DELETE FROM stops WHERE workspace_id = ${workspaceId} AND visitor_id = ${visitorId}
          AND at = ${at} AND user_id = ${userId}`);
        throw error;
      }
    },
    async stoppedBy(workspaceId: string, visitorId: string, { id }: Pick<Session, 'id'>) {
      const stops = await database
        .read(
          sql`SELECT at, user_id, reason, sessions FROM stops
            WHERE workspace_id = ${workspaceId} AND visitor_id = ${visitorId} AND sessions IS NOT NULL
              AND at > ${Math.round(now()) - REMEMBERED_MS} ORDER BY at`,
          Row,
        )
        // The summary doesn't wait for this one line.
        .catch(() => []);
      const ofIt = stops.filter(({ sessions }) => sessions.includes(id));
      // It still ran when the last one pressed, so nobody before ended it; of those who pressed at the same time, the first.
      const lastAt = ofIt.at(-1)?.at ?? 0;
      const found = ofIt.find(({ at }) => at > lastAt - STOPPED_WITHIN_MS);
      return found && { userId: found.userId, reason: found.reason };
    },
  };
}
