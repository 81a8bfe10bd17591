import { z } from 'zod';
import type { NewEntry, PreparedEntry } from '../audit/audit.ts';
import type { Database } from '../database/database.ts';
import { list, sql } from '../database/sql.ts';
import type { Sql } from '../database/sql.ts';
import type { SessionOutcome, SetOutcome } from '../model/session-outcome.ts';
import { wakeChannelOf, wakeWorkers } from './channels.ts';
import { insertDelivery } from './delivery.ts';
import type { NewId } from './ids.ts';
import type { SessionEnd, SessionEnds } from './session-ends.ts';

/*
 * How sessions went, as people say afterwards. Of two people who choose at once the later one wins, and is told what they
 * replaced: each reads what is there, and writes only where it still is.
 */

/** Each time somebody else was faster. */
const MOST_TRIES = 10;

/** Who chooses, and where. Ids are Slack's. */
interface Chooser {
  readonly workspaceId: string;
  readonly userId: string;
  readonly channelId?: string | undefined;
}

/** What came of choosing an outcome; `kept` where it was that one already, `too-old` where the summaries are forgotten. */
export type OutcomeAnswer =
  | { readonly is: 'set'; readonly before: SetOutcome | undefined }
  | { readonly is: 'kept'; readonly set: SetOutcome }
  | { readonly is: 'too-old' };

/** Sessions that ended, by the id under which their end is kept. All reject with a DatabaseError. */
export interface SessionOutcomes {
  /** Undefined for one of another workspace, or that isn't kept any more. */
  find(workspaceId: string, endId: string): Promise<SessionEnd | undefined>;
  /** Keeps the outcome, with its audit entry, and has every summary of the session that was posted show it. */
  choose(chooser: Chooser, endId: string, outcome: SessionOutcome): Promise<OutcomeAnswer>;
  /**
   * The summary that somebody sees in a channel, or in their direct messages with the app.
   *
   * @returns its `ts`, or that of the thread it is in
   */
  threadIn(viewer: Chooser, endId: string): Promise<string | undefined>;
}

const Copy = z.object({ id: z.string(), channel_id: z.string() });
type Copy = z.infer<typeof Copy>;

const Posted = z.object({ ts: z.string() });

/** The keys of all of a session's summaries; those of its updates with another first word. */
const keysOf = (kind: 'summary' | 'update', endId: string): Sql =>
  // The character after the colon: no id has one.
  sql`dedupe_key >= ${`${kind}:${endId}:`} AND dedupe_key < ${`${kind}:${endId};`}`;

interface Update {
  /** Of the delivery of the summary that changes. */
  readonly summaryId: string;
  readonly workspaceId: string;
  /** Where that was sent. */
  readonly channelId: string;
  readonly sessionEndId: string;
  /** Milliseconds since 1970. */
  readonly acceptedAt: number;
}

/** The statements that have a summary drawn anew, once it's posted: for the write that changes what it says. */
export function updateStatements(update: Update, id: string): readonly Sql[] {
  const { summaryId, workspaceId, channelId, sessionEndId, acceptedAt } = update;
  const key = `update:${sessionEndId}:${id}`;
  const replaces = sql`CAST(${summaryId} AS TEXT)`;
  return [
    insertDelivery({ id, workspaceId, key, kind: 'update', channelId, sessionEndId, acceptedAt, replaces }),
    wakeChannelOf(id),
  ];
}

/** The statement that sets an outcome where the session's is still as it was read. */
const setWhereStill = (end: SessionEnd, { outcome, by, at }: SetOutcome): Sql => {
  const before = end.outcome;
  return sql`UPDATE session_ends SET outcome = ${outcome}, outcome_by = ${by}, outcome_at = ${at}
    WHERE id = ${end.id} AND COALESCE(outcome, '') = ${before?.outcome ?? ''}
      AND COALESCE(outcome_by, '') = ${before?.by ?? ''} AND COALESCE(outcome_at, 0) = ${before?.at ?? 0}`;
};

interface OutcomesParts {
  readonly database: Database;
  readonly sessionEnds: Pick<SessionEnds, 'byIds'>;
  /** An audit entry as a statement. */
  readonly prepare: (entry: NewEntry) => PreparedEntry;
  readonly newId: NewId;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export function createSessionOutcomes(parts: OutcomesParts): SessionOutcomes {
  const { database, sessionEnds, prepare, newId, now } = parts;

  async function find(workspaceId: string, endId: string): Promise<SessionEnd | undefined> {
    const [end] = await sessionEnds.byIds([endId]);
    return end?.link.workspaceId === workspaceId ? end : undefined;
  }

  /** All that were accepted when the session ended, posted or not: one that's being posted may have been drawn before. */
  const copiesOf = (workspaceId: string, endId: string): Promise<readonly Copy[]> =>
    database.read(
      sql`SELECT id, channel_id FROM deliveries WHERE workspace_id = ${workspaceId} AND ${keysOf('summary', endId)}
        AND state NOT IN ('skipped', 'dropped')`,
      Copy,
    );

  /** @returns whether it was still as it was read */
  async function write(chooser: Chooser, end: SessionEnd, copies: readonly Copy[], set: SetOutcome) {
    const { workspaceId, userId, channelId } = chooser;
    const entry = prepare({
      workspaceId,
      userId,
      ...(channelId === undefined ? {} : { channelId }),
      visitorId: end.link.visitorId,
      action: 'outcome',
      outcome: 'done',
      detail: { to: set.outcome, ...(end.outcome === undefined ? {} : { from: end.outcome.outcome }) },
    });
    const about = { workspaceId, sessionEndId: end.id, acceptedAt: set.at };
    // In one order, so that no two wait for each other's channels.
    const inOrder = copies
      .toSorted((one, other) => (one.channel_id < other.channel_id ? -1 : 1))
      .map((copy) => ({ ...copy, updateId: newId() }));
    const written = await database.writeIf(
      setWhereStill(end, set),
      entry.statement,
      ...inOrder.flatMap(({ id: summaryId, channel_id: to, updateId }) =>
        updateStatements({ ...about, summaryId, channelId: to }, updateId),
      ),
      // What waits from before would draw the same.
      sql`UPDATE deliveries SET state = 'skipped', reason = 'superseded', settled_at = ${set.at}
        WHERE workspace_id = ${workspaceId} AND ${keysOf('update', end.id)} AND state = 'waiting'
          AND id NOT IN (${list(inOrder.map(({ updateId }) => sql`${updateId}`))})`,
    );
    if (written === undefined) return false;
    entry.report();
    wakeWorkers(database);
    return true;
  }

  return {
    find,

    async choose(chooser, endId, outcome) {
      const { workspaceId, userId } = chooser;
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const [end, copies] = await Promise.all([find(workspaceId, endId), copiesOf(workspaceId, endId)]);
        if (end === undefined || copies.length === 0) return { is: 'too-old' };
        if (end.outcome?.outcome === outcome) return { is: 'kept', set: end.outcome };
        const set = { outcome, by: userId, at: now() };
        if (await write(chooser, end, copies, set)) return { is: 'set', before: end.outcome };
      }
      throw new Error('An outcome was changed by others again and again.');
    },

    async threadIn({ workspaceId, channelId = '' }, endId) {
      const [posted] = await database.read(
        sql`SELECT COALESCE(thread_ts, post_ts) AS ts FROM deliveries
          WHERE workspace_id = ${workspaceId} AND ${keysOf('summary', endId)} AND state = 'posted'
            AND post_ts IS NOT NULL AND COALESCE((SELECT moved_to FROM channels
              WHERE channels.workspace_id = deliveries.workspace_id
                AND channels.channel_id = deliveries.post_channel_id), post_channel_id) = ${channelId}`,
        Posted,
      );
      return posted?.ts;
    },
  };
}
