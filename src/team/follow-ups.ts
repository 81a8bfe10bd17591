import { z } from 'zod';
import type { NewEntry, PreparedEntry } from '../audit/audit.ts';
import { hasChanged, join, rowsOf, sql, hasComeIn, type Database, type Sql } from '../database/database.ts';
import { wakeChannelOf } from '../outbox/channels.ts';
import { insertDelivery } from '../outbox/delivery.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { LONGEST_MS } from './follow-up-times.ts';

/** How long one is kept after it was due, where nobody says that it's done. */
const KEPT_MS = 30 * 24 * 60 * 60_000;
/** Queued in one write. */
const QUEUED_AT_ONCE = 20;
/** People whose follow-ups an admin may be shown because they left. */
const MOST_PEOPLE = 50;

/** What somebody wants to come back to. Ids are Slack's. */
export interface FollowUp {
  /** The id of the session's end: at most one a session. */
  readonly endId: string;
  /** Empty where the session has none. */
  readonly visitorId: string;
  readonly userId: string;
  readonly handedBy: string | undefined;
  /** In somebody's words. */
  readonly line: string | undefined;
  readonly dueAt: Date;
  /** Counts the changes, from the time when it was set: one that's set again on the same session is another one. */
  readonly version: number;
  /** The session's ticket. */
  readonly ticketUrl: string | undefined;
}

const Row = z
  .object({
    session_end_id: z.string(),
    visitor_id: z.string(),
    user_id: z.string(),
    handed_by: z.string().nullable(),
    line: z.string().nullable(),
    due_at: z.number(),
    version: z.number(),
    ticket_url: z.string().nullable(),
  })
  .transform((row): FollowUp => ({
    endId: row.session_end_id,
    visitorId: row.visitor_id,
    userId: row.user_id,
    handedBy: row.handed_by ?? undefined,
    line: row.line ?? undefined,
    dueAt: new Date(row.due_at),
    version: row.version,
    ticketUrl: row.ticket_url ?? undefined,
  }));

const columns = sql`session_end_id, visitor_id, user_id, handed_by, line, due_at, version,
  (SELECT ticket_url FROM session_ends WHERE session_ends.id = session_end_id) AS ticket_url`;

/** One that a message is due of. */
const Due = z.object({
  workspace_id: z.string(),
  session_end_id: z.string(),
  user_id: z.string(),
  changed_at: z.number(),
  version: z.number(),
});
const dueColumns = sql`workspace_id, session_end_id, user_id, changed_at, version`;

/** What a message about one says that its row doesn't: of which change, and whether it's that it was handed on. */
export const FollowUpPayload = z.object({
  endId: z.string(),
  version: z.number(),
  isHanded: z.boolean(),
});

/** A new one. */
export interface NewFollowUp {
  readonly workspaceId: string;
  readonly endId: string;
  readonly visitorId: string;
  /** Where it was set, if that was a channel. */
  readonly channelId: string | undefined;
  readonly userId: string;
  readonly line: string | undefined;
  /** Milliseconds since 1970. */
  readonly dueAt: number;
}

/** Whose to list: some people's, or those set in a channel. */
export type Whose = { readonly userIds: readonly string[] } | { readonly channelId: string };

const one = (workspaceId: string, endId: string): Sql =>
  sql`workspace_id = ${workspaceId} AND session_end_id = ${endId}`;

/** For the write that changes a session's outcome to another. One that was handed on stays. */
export const removeUnlessHanded = (workspaceId: string, endId: string): Sql =>
  sql`DELETE FROM follow_ups WHERE ${one(workspaceId, endId)} AND handed_by IS NULL`;

/** Removes what nobody came back to. */
export const removeOldFollowUps = (until: number, limit: number): Sql =>
  sql`DELETE FROM follow_ups WHERE (workspace_id, session_end_id) IN (
    SELECT workspace_id, session_end_id FROM follow_ups WHERE due_at <= ${until - KEPT_MS} LIMIT ${limit})`;

/** When the next one is due. See the outbox's `Job.due`. */
const firstToTell: Sql = sql`SELECT MIN(due_at) AS at FROM follow_ups WHERE told_at IS NULL
  HAVING MIN(due_at) IS NOT NULL`;

/** Also by an id that the channel had before. */
const isSetIn = (workspaceId: string, channelId: string): Sql =>
  sql`channel_id IN (SELECT CAST(${channelId} AS TEXT) UNION SELECT channel_id FROM channels
    WHERE workspace_id = ${workspaceId} AND moved_to = ${channelId})`;

/**
 * The follow-ups of sessions. Each change names the person whose it was when it was decided, and does nothing if it's
 * somebody else's by now. All reject with a DatabaseError.
 */
export function createFollowUps({
  database,
  outbox,
  prepare,
  now,
}: {
  readonly database: Database;
  readonly outbox: Pick<Outbox, 'newId' | 'wake' | 'addJob'>;
  /** An audit entry as a statement. */
  readonly prepare: (entry: NewEntry) => PreparedEntry;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}) {
  const time = () => Math.round(now());

  /** A direct message about one, to whoever has it. */
  function messageStatements(due: z.infer<typeof Due>, isHanded: boolean): readonly Sql[] {
    const { workspace_id: workspaceId, session_end_id: endId, user_id: channelId, version } = due;
    const id = outbox.newId();
    const key = `follow-up:${endId}:${version}:${isHanded ? 'handed' : 'due'}`;
    const delivery = {
      id,
      workspaceId,
      key,
      kind: 'follow-up',
      // A database that was put back may count to the same version again.
      messageId: `${key}:${due.changed_at}`,
      since: due.changed_at,
      channelId,
      acceptedAt: time(),
      payload: { endId, version, isHanded } satisfies z.infer<typeof FollowUpPayload>,
    };
    return [insertDelivery(delivery), wakeChannelOf(id)];
  }

  /** Queues the messages of those that are due. */
  async function tellDue(isStopped: () => boolean): Promise<void> {
    for (let queued = QUEUED_AT_ONCE; queued >= QUEUED_AT_ONCE && !isStopped();) {
      const at = time();
      const written = await database.inBackground().writeThen(
        [
          sql`UPDATE follow_ups SET told_at = ${at} WHERE told_at IS NULL AND (workspace_id, session_end_id) IN (
              SELECT workspace_id, session_end_id FROM follow_ups
              WHERE told_at IS NULL AND ${hasComeIn(sql`due_at`, at, LONGEST_MS)}
              ORDER BY due_at LIMIT ${QUEUED_AT_ONCE} ${database.skipLocked})
            RETURNING ${dueColumns}`,
        ],
        ([due]) =>
          rowsOf(due, Due)
            // Always in the same order, so that no two wait for each other's channels.
            .toSorted((first, second) => (first.user_id < second.user_id ? -1 : 1))
            .flatMap((row) => messageStatements(row, false)),
      );
      queued = written?.[0]?.changed ?? 0;
      if (queued > 0) outbox.wake();
    }
  }
  outbox.addJob({ name: 'follow-ups', nextRun: () => firstToTell, run: tellDue });

  /** Changes one with its audit entry. @returns whether it was there, and still that person's */
  async function change(statement: Sql, entry: NewEntry): Promise<boolean> {
    const prepared = prepare(entry);
    const written = await database.writeIf(statement, prepared.statement);
    if (written === undefined) return false;
    prepared.report();
    outbox.wake();
    return true;
  }

  async function find(workspaceId: string, endId: string): Promise<FollowUp | undefined> {
    const [found] = await database.read(
      sql`SELECT ${columns} FROM follow_ups WHERE ${one(workspaceId, endId)}`,
      Row,
    );
    return found;
  }

  return {
    find,

    /** False where the session has one already, or its outcome isn't "follow-up" any more. */
    async set(followUp: NewFollowUp, entry: NewEntry): Promise<boolean> {
      const { workspaceId, endId, visitorId, channelId = null, userId, line = null, dueAt } = followUp;
      const at = time();
      const isWanted = sql`id = ${endId} AND workspace_id = ${workspaceId} AND outcome = 'follow-up'`;
      const prepared = prepare(entry);
      const written = await database.writeThen(
        [
          // Whoever changes the outcome at the same time waits, and then finds what to remove; or was first.
          sql`UPDATE session_ends SET outcome = outcome WHERE ${isWanted}`,
          sql`INSERT INTO follow_ups (workspace_id, session_end_id, visitor_id, channel_id, user_id, line, due_at,
              changed_at, version)
            SELECT workspace_id, id, CAST(${visitorId} AS TEXT), CAST(${channelId} AS TEXT), CAST(${userId} AS TEXT),
              CAST(${line} AS TEXT), CAST(${dueAt} AS BIGINT), CAST(${at} AS BIGINT), CAST(${at} AS BIGINT)
            FROM session_ends WHERE ${isWanted}
            ON CONFLICT (workspace_id, session_end_id) DO NOTHING`,
        ],
        ([, inserted]) => (hasChanged(inserted) ? [prepared.statement] : undefined),
      );
      if (written === undefined) return false;
      prepared.report();
      outbox.wake();
      return true;
    },

    /** @param line undefined for none */
    later: (
      workspaceId: string,
      { endId, userId }: FollowUp,
      { dueAt, line }: Pick<NewFollowUp, 'dueAt' | 'line'>,
      entry: NewEntry,
    ): Promise<boolean> =>
      change(
        sql`UPDATE follow_ups SET due_at = ${dueAt}, line = ${line ?? null}, told_at = NULL, changed_at = ${time()},
            version = version + 1
          WHERE ${one(workspaceId, endId)} AND user_id = ${userId}`,
        entry,
      ),

    done: (workspaceId: string, { endId, userId }: FollowUp, entry: NewEntry): Promise<boolean> =>
      change(sql`DELETE FROM follow_ups WHERE ${one(workspaceId, endId)} AND user_id = ${userId}`, entry),

    /** Also tells whoever gets it: that is the message of one that's due already. */
    async hand(
      workspaceId: string,
      { endId, userId }: FollowUp,
      { by, to }: { readonly by: string; readonly to: string },
      entry: NewEntry,
    ): Promise<boolean> {
      const at = time();
      const prepared = prepare(entry);
      const written = await database.writeThen(
        [
          sql`UPDATE follow_ups SET user_id = ${to}, handed_by = ${by}, changed_at = ${at}, version = version + 1,
              told_at = CASE WHEN due_at <= ${at} THEN CAST(${at} AS BIGINT) ELSE NULL END
            WHERE ${one(workspaceId, endId)} AND user_id = ${userId} RETURNING ${dueColumns}`,
        ],
        ([handed]) => {
          const [row] = rowsOf(handed, Due);
          return row === undefined ? undefined : [prepared.statement, ...messageStatements(row, true)];
        },
      );
      if (written === undefined) return false;
      prepared.report();
      outbox.wake();
      return true;
    },

    /** Those due first come first. */
    list: (workspaceId: string, whose: Whose, from: number, limit: number): Promise<readonly FollowUp[]> =>
      'userIds' in whose && whose.userIds.length === 0
        ? Promise.resolve([])
        : database.read(
            sql`SELECT ${columns} FROM follow_ups WHERE workspace_id = ${workspaceId} AND ${
              'userIds' in whose
                ? sql`user_id IN (${join(whose.userIds)})`
                : isSetIn(workspaceId, whose.channelId)
            } ORDER BY due_at, session_end_id LIMIT ${limit} OFFSET ${from}`,
            Row,
          ),

    /** Who has some, at most 50; whose are due first come first. */
    async people(workspaceId: string): Promise<readonly string[]> {
      const found = await database.read(
        sql`SELECT user_id FROM follow_ups WHERE workspace_id = ${workspaceId}
          GROUP BY user_id ORDER BY MIN(due_at), user_id LIMIT ${MOST_PEOPLE}`,
        z.object({ user_id: z.string() }),
      );
      return found.map(({ user_id: id }) => id);
    },
  };
}

export type FollowUps = ReturnType<typeof createFollowUps>;
