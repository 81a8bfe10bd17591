import { z } from 'zod';
import { recorded, type NewEntry } from '../audit/audit.ts';
import { hasChanged, join, rowOf, rowsOf, sql, timeOf, type Sql } from '../database/database.ts';
import { queued, queuedAll } from '../outbox/channels.ts';
import type { NewDelivery } from '../outbox/delivery.ts';
import type { App } from '../parts.ts';

const KEPT_MS = 30 * 24 * 60 * 60_000;
const QUEUED_AT_ONCE = 20;
const MOST_PEOPLE = 50;

/** What somebody wants to come back to after a session, at most one a session. */
const FollowUp = rowOf({
  workspaceId: z.string(),
  endId: z.string(),
  /** Empty where the session has none. */
  visitorId: z.string(),
  userId: z.string(),
  handedBy: z.string().optional(),
  line: z.string().optional(),
  dueAt: timeOf,
  /** Milliseconds since 1970. */
  changedAt: z.number(),
  /** Counts the changes, from the time when it was set: one that's set again on the same session is another one. */
  version: z.number(),
  ticketUrl: z.string().optional(),
});
export type FollowUp = z.infer<typeof FollowUp>;

const columns = sql`workspace_id, session_end_id AS end_id, visitor_id, user_id, handed_by, line, due_at, changed_at, version,
  (SELECT ticket_url FROM session_ends WHERE session_ends.id = session_end_id) AS ticket_url`;

/** When it's due, in milliseconds since 1970, and what to do. */
export interface Chosen {
  readonly dueAt: number;
  readonly line: string | undefined;
}

/** `channelId` is where it's set, if that's a channel. */
type NewFollowUp = Chosen &
  Pick<FollowUp, 'workspaceId' | 'endId' | 'visitorId' | 'userId'> & { readonly channelId?: string };

export type Whose = { readonly userIds: readonly string[] } | { readonly channelId: string };

/** What a message about one says that its row doesn't: of which change, and whether it's that it was handed on. */
export const FollowUpPayload = z.object({ endId: z.string(), version: z.number(), isHanded: z.boolean() });

/** For the write that changes a session's outcome to another. One that was handed on stays. */
export const removeUnlessHanded = (workspaceId: string, endId: string): Sql =>
  sql`DELETE FROM follow_ups WHERE workspace_id = ${workspaceId} AND session_end_id = ${endId} AND handed_by IS NULL`;

export const removeOldFollowUps = (until: number, limit: number): Sql =>
  sql`DELETE FROM follow_ups WHERE (workspace_id, session_end_id) IN (
    SELECT workspace_id, session_end_id FROM follow_ups WHERE due_at <= ${until - KEPT_MS} LIMIT ${limit})`;

const isTheirs = ({ workspaceId, endId, userId }: FollowUp): Sql =>
  sql`workspace_id = ${workspaceId} AND session_end_id = ${endId} AND user_id = ${userId}`;

const firstDue = sql`SELECT MIN(due_at) AS at FROM follow_ups WHERE told_at IS NULL HAVING MIN(due_at) IS NOT NULL`;

function setStatements(wanted: NewFollowUp, at: number): readonly Sql[] {
  const { workspaceId, endId, visitorId, channelId = null, userId, line = null, dueAt } = wanted;
  const isWanted = sql`id = ${endId} AND workspace_id = ${workspaceId} AND outcome = 'follow-up'`;
  return [
    // Whoever changes the outcome at the same time waits, and then finds what to remove; or was first.
    sql`UPDATE session_ends SET outcome = outcome WHERE ${isWanted}`,
    sql`INSERT INTO follow_ups (workspace_id, session_end_id, visitor_id, channel_id, user_id, line, due_at,
        changed_at, version)
      SELECT workspace_id, id, CAST(${visitorId} AS TEXT), CAST(${channelId} AS TEXT), CAST(${userId} AS TEXT),
        CAST(${line} AS TEXT), CAST(${dueAt} AS BIGINT), CAST(${at} AS BIGINT), CAST(${at} AS BIGINT)
      FROM session_ends WHERE ${isWanted} ON CONFLICT (workspace_id, session_end_id) DO NOTHING`,
  ];
}

type FollowUpApp = Pick<App, 'database' | 'outbox' | 'prepare' | 'now'>;

function telling(id: string, followUp: FollowUp, isHanded: boolean, acceptedAt: number): NewDelivery {
  const { workspaceId, endId, userId: channelId, version, changedAt: since } = followUp;
  const key = `follow-up:${endId}:${version}:${isHanded ? 'handed' : 'due'}`;
  const payload: z.infer<typeof FollowUpPayload> = { endId, version, isHanded };
  // A database that was put back may count to the same version again.
  const messageId = `${key}:${since}`;
  const kind = 'follow-up';
  return { id, workspaceId, key, kind, messageId, since, channelId, acceptedAt, payload };
}

async function tellDue({ database, outbox }: FollowUpApp, at: number): Promise<void> {
  const tables = database.inBackground();
  await tables.writeThen(
    [
      sql`UPDATE follow_ups SET told_at = ${at} WHERE told_at IS NULL AND (workspace_id, session_end_id) IN (
          SELECT workspace_id, session_end_id FROM follow_ups
          WHERE told_at IS NULL AND due_at <= ${at}
          ORDER BY due_at LIMIT ${QUEUED_AT_ONCE} ${tables.skipLocked})
        RETURNING ${columns}`,
    ],
    ([due]) =>
      queuedAll(rowsOf(due, FollowUp).map((followUp) => telling(outbox.newId(), followUp, false, at))),
  );
}

/** All reject with a DatabaseError. A change is written with its audit entry; false where it's somebody else's by now. */
export function createFollowUps(app: FollowUpApp) {
  const { database, outbox, prepare } = app;
  const time = () => Math.round(app.now());
  outbox.addJob({ name: 'follow-ups', nextRun: firstDue, run: () => tellDue(app, time()) });
  const select = (rest: Sql) => database.read(sql`SELECT ${columns} FROM follow_ups WHERE ${rest}`, FollowUp);

  async function change<Written>(entry: NewEntry, write: (entry: Sql) => Promise<Written | undefined>) {
    const written = await recorded(prepare(entry), write);
    if (written !== undefined) outbox.wake();
    return written !== undefined;
  }

  return {
    /** False where the session has one already, or its outcome isn't "follow-up" any more. */
    set: (wanted: NewFollowUp, entry: NewEntry) =>
      change(entry, (written) =>
        database.writeThen(setStatements(wanted, time()), ([, inserted]) =>
          hasChanged(inserted) ? [written] : undefined,
        ),
      ),

    later: (followUp: FollowUp, { dueAt, line }: Chosen, entry: NewEntry) =>
      change(entry, (written) =>
        database.writeIf(
          sql`UPDATE follow_ups SET due_at = ${dueAt}, line = ${line ?? null}, told_at = NULL, changed_at = ${time()},
            version = version + 1 WHERE ${isTheirs(followUp)}`,
          written,
        ),
      ),

    done: (followUp: FollowUp, entry: NewEntry) =>
      change(entry, (written) =>
        database.writeIf(sql`DELETE FROM follow_ups WHERE ${isTheirs(followUp)}`, written),
      ),

    /** Also tells whoever gets it: that is the message of one that's due already. */
    hand(followUp: FollowUp, { by, to }: { readonly by: string; readonly to: string }, entry: NewEntry) {
      const at = time();
      return change(entry, (written) =>
        database.writeThen(
          [
            sql`UPDATE follow_ups SET user_id = ${to}, handed_by = ${by}, changed_at = ${at}, version = version + 1,
                told_at = CASE WHEN due_at <= ${at} THEN CAST(${at} AS BIGINT) ELSE NULL END
              WHERE ${isTheirs(followUp)} RETURNING ${columns}`,
          ],
          ([handed]) => {
            const [row] = rowsOf(handed, FollowUp);
            return row && [written, ...queued(telling(outbox.newId(), row, true, at))];
          },
        ),
      );
    },

    find: async (workspaceId: string, endId: string): Promise<FollowUp | undefined> =>
      (await select(sql`workspace_id = ${workspaceId} AND session_end_id = ${endId}`)).at(0),

    async list(workspaceId: string, whose: Whose, limit: number): Promise<readonly FollowUp[]> {
      if ('userIds' in whose && whose.userIds.length === 0) return [];
      const theirs =
        'userIds' in whose
          ? sql`user_id IN (${join(whose.userIds)})`
          : // Also by an id that the channel had before.
            sql`channel_id IN (SELECT CAST(${whose.channelId} AS TEXT) UNION SELECT channel_id FROM channels
              WHERE workspace_id = ${workspaceId} AND moved_to = ${whose.channelId})`;
      return select(
        sql`workspace_id = ${workspaceId} AND ${theirs} ORDER BY due_at, session_end_id LIMIT ${limit}`,
      );
    },

    /** Who has some, at most 50; whose are due first come first. */
    people: (workspaceId: string) =>
      database.read(
        sql`SELECT user_id FROM follow_ups WHERE workspace_id = ${workspaceId}
          GROUP BY user_id ORDER BY MIN(due_at), user_id LIMIT ${MOST_PEOPLE}`,
        z.object({ user_id: z.string() }).transform((row) => row.user_id),
      ),
  };
}

export type FollowUps = ReturnType<typeof createFollowUps>;
