import { z } from 'zod';
import type { NewEntry, PreparedEntry } from '../audit/audit.ts';
import { join, sql, type Database, type Sql } from '../database/database.ts';
import type { SessionOutcome, SetOutcome } from '../messages/session-words.ts';
import { wakeWorkers } from '../outbox/channels.ts';
import type { NewId } from '../outbox/delivery.ts';
import { removeUnlessHanded } from './follow-ups.ts';
import type { SessionEnd, SessionEnds } from '../sessions/session-ends.ts';
import type { SessionEvents } from '../sessions/session-events.ts';
import { isCopy, keysOf, summariesOf, updateStatements, type Copy } from '../sessions/summary-updates.ts';

/*
 * How sessions went, as people say afterwards. If two people choose at the same time, the later one wins and is told
 * what they replaced: each reads the current outcome and writes only if it's still the same.
 */

/** Somebody else was faster each time. */
const MOST_TRIES = 10;

/** Who chooses, and where. Ids are Slack's. */
interface Chooser {
  readonly workspaceId: string;
  readonly userId: string;
  readonly channelId?: string;
}

/**
 * The result of choosing an outcome; `kept` if it was that one already, `too-old` if the summaries have been removed.
 */
export type OutcomeAnswer =
  | { readonly is: 'set'; readonly before: SetOutcome | undefined }
  | { readonly is: 'kept'; readonly set: SetOutcome }
  | { readonly is: 'too-old' };

/** Ended sessions, by the id of their stored end. All reject with a DatabaseError. */
export interface SessionOutcomes {
  /** Undefined for another workspace's session, or one that has been removed. */
  find(workspaceId: string, endId: string): Promise<SessionEnd | undefined>;
  /** Stores the outcome with its audit entry, and updates every posted summary of the session. */
  choose(chooser: Chooser, endId: string, outcome: SessionOutcome): Promise<OutcomeAnswer>;
  /**
   * The summary that somebody sees in a channel, or in their direct messages with the app.
   *
   * @returns its `ts`, or that of the thread it's in
   */
  threadIn(viewer: Chooser, endId: string): Promise<string | undefined>;
}

const Posted = z.object({ ts: z.string() });

/** Sets an outcome if the session's is still the one that was read. */
const setWhereStill = (end: SessionEnd, { outcome, by, at }: SetOutcome): Sql => {
  const before = end.outcome;
  return sql`UPDATE session_ends SET outcome = ${outcome}, outcome_by = ${by}, outcome_at = ${at}
    WHERE id = ${end.id} AND COALESCE(outcome, '') = ${before?.outcome ?? ''}
      AND COALESCE(outcome_by, '') = ${before?.by ?? ''} AND COALESCE(outcome_at, 0) = ${before?.at ?? 0}`;
};

interface OutcomesParts {
  readonly database: Database;
  readonly sessionEnds: Pick<SessionEnds, 'byIds'>;
  readonly events: Pick<SessionEvents, 'outcomeChanged'>;
  /** An audit entry as a statement. */
  readonly prepare: (entry: NewEntry) => PreparedEntry;
  readonly newId: NewId;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

export function createSessionOutcomes(parts: OutcomesParts): SessionOutcomes {
  const { database, sessionEnds, events, prepare, newId, now } = parts;

  async function find(workspaceId: string, endId: string): Promise<SessionEnd | undefined> {
    const [end] = await sessionEnds.byIds([endId]);
    return end?.link.workspaceId === workspaceId ? end : undefined;
  }

  /** @returns whether the outcome was still the one that was read */
  async function write(chooser: Chooser, end: SessionEnd, copies: readonly Copy[], set: SetOutcome) {
    const { workspaceId, userId, channelId } = chooser;
    const entry = prepare({
      workspaceId,
      userId,
      channelId,
      visitorId: end.link.visitorId,
      action: 'outcome',
      outcome: 'done',
      detail: { to: set.outcome, ...(end.outcome === undefined ? {} : { from: end.outcome.outcome }) },
    });
    const about = { workspaceId, sessionEndId: end.id, acceptedAt: set.at };
    // Always in the same order, so that no two wait for each other's channels.
    const inOrder = copies
      .toSorted((one, other) => (one.channel_id < other.channel_id ? -1 : 1))
      .map((copy) => ({ ...copy, updateId: newId() }));
    const told = await events.outcomeChanged(end, set);
    const written = await database.writeIf(
      setWhereStill(end, set),
      entry.statement,
      ...(set.outcome === 'follow-up' ? [] : [removeUnlessHanded(workspaceId, end.id)]),
      ...inOrder.flatMap(({ id: summaryId, channel_id: to, payload, updateId }) =>
        updateStatements({ ...about, summaryId, channelId: to, payload }, updateId),
      ),
      // An earlier update that still waits would draw the same.
      sql`UPDATE deliveries SET state = 'skipped', reason = 'superseded', settled_at = ${set.at}
        WHERE workspace_id = ${workspaceId} AND ${keysOf('update', end.id)} AND state = 'waiting'
          AND id NOT IN (${join(inOrder.map(({ updateId }) => updateId))})`,
      ...told.statements,
    );
    if (written === undefined) return false;
    entry.report();
    told.accepted();
    wakeWorkers(database);
    return true;
  }

  return {
    find,

    async choose(chooser, endId, outcome) {
      const { workspaceId, userId } = chooser;
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const [end, copies] = await Promise.all([
          find(workspaceId, endId),
          summariesOf(database, workspaceId, endId),
        ]);
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
          WHERE ${isCopy(workspaceId, endId)} AND state = 'posted'
            AND post_ts IS NOT NULL AND COALESCE((SELECT moved_to FROM channels
              WHERE channels.workspace_id = deliveries.workspace_id
                AND channels.channel_id = deliveries.post_channel_id), post_channel_id) = ${channelId}`,
        Posted,
      );
      return posted?.ts;
    },
  };
}
