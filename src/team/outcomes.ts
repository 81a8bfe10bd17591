import { z } from 'zod';
import { recorded } from '../audit/audit.ts';
import type { Caller } from '../commands/rights.ts';
import { join, sql, type Sql } from '../database/database.ts';
import { rowOf } from '../database/row.ts';
import type { SessionOutcome, SetOutcome } from '../messages/session-words.ts';
import { wakeWorkers } from '../outbox/channels.ts';
import type { App } from '../parts.ts';
import { removeUnlessHanded } from './follow-ups.ts';
import type { SessionEnd, SessionEnds } from '../sessions/session-ends.ts';
import type { SessionEvents } from '../sessions/subscribers.ts';
import { isCopy, keysOf, summariesOf, updateStatements, type Copy } from '../sessions/posted-summaries.ts';

/*
 * How sessions went, as people say afterwards. If two people choose at the same time, the later one wins and is told
 * what they replaced: each reads the current outcome and writes only if it's still the same.
 */

/** Somebody else was faster each time. */
const MOST_TRIES = 10;

/** Who chooses, and where. Ids are Slack's. */
type Chooser = Pick<Caller, 'workspaceId' | 'userId' | 'channelId'>;

/** Sets an outcome if the session's is still the one that was read. */
const setWhereStill = (end: SessionEnd, { outcome, by, at }: SetOutcome): Sql => {
  const before = end.outcome;
  return sql`UPDATE session_ends SET outcome = ${outcome}, outcome_by = ${by}, outcome_at = ${at}
    WHERE id = ${end.id} AND COALESCE(outcome, '') = ${before?.outcome ?? ''}
      AND COALESCE(outcome_by, '') = ${before?.by ?? ''} AND COALESCE(outcome_at, 0) = ${before?.at ?? 0}`;
};

/** Ended sessions, by the id of their stored end, and how they went. All reject with a DatabaseError. */
export function createOutcomes(
  { database, outbox, prepare, now }: Pick<App, 'database' | 'outbox' | 'prepare' | 'now'>,
  sessionEnds: Pick<SessionEnds, 'byIds'>,
  events: Pick<SessionEvents, 'outcomeChanged'>,
) {
  /** Undefined for another workspace's session, or one that has been removed. */
  async function find(workspaceId: string, endId: string): Promise<SessionEnd | undefined> {
    const [end] = await sessionEnds.byIds([endId]);
    return end?.link.workspaceId === workspaceId ? end : undefined;
  }

  /** @returns whether the outcome was still the one that was read */
  async function write(chooser: Chooser, end: SessionEnd, copies: readonly Copy[], set: SetOutcome) {
    const { workspaceId, userId, channelId } = chooser;
    const entry = {
      workspaceId,
      userId,
      channelId,
      visitorId: end.link.visitorId,
      action: 'outcome',
      outcome: 'done',
      detail: { to: set.outcome, from: end.outcome?.outcome },
    } as const;
    const about = { workspaceId, sessionEndId: end.id, acceptedAt: set.at };
    // Always in the same order, so that no two wait for each other's channels.
    const inOrder = copies
      .toSorted((one, other) => (one.channelId < other.channelId ? -1 : 1))
      .map((copy) => ({ ...copy, updateId: outbox.newId() }));
    const told = await events.outcomeChanged(end, set);
    const written = await recorded(prepare(entry), (entrySql) =>
      database.writeIf(
        setWhereStill(end, set),
        entrySql,
        ...(set.outcome === 'follow-up' ? [] : [removeUnlessHanded(workspaceId, end.id)]),
        ...inOrder.flatMap(({ id: summaryId, channelId: to, payload, updateId }) =>
          updateStatements({ ...about, summaryId, channelId: to, payload }, updateId),
        ),
        // An earlier update that still waits would draw the same.
        sql`UPDATE deliveries SET state = 'skipped', reason = 'superseded', settled_at = ${set.at}
        WHERE workspace_id = ${workspaceId} AND ${keysOf('update', end.id)} AND state = 'waiting'
          AND id NOT IN (${join(inOrder.map(({ updateId }) => updateId))})`,
        ...told.statements,
      ),
    );
    if (written === undefined) return false;
    told.accepted();
    wakeWorkers(database);
    return true;
  }

  return {
    find,

    /**
     * Stores the outcome with its audit entry, and updates every posted summary of the session. `kept` if it was that one
     * already, `too-old` if the summaries have been removed.
     */
    async choose(chooser: Chooser, endId: string, outcome: SessionOutcome) {
      const { workspaceId, userId } = chooser;
      for (let tries = 0; tries < MOST_TRIES; tries += 1) {
        const [end, copies] = await Promise.all([
          find(workspaceId, endId),
          summariesOf(database, workspaceId, endId),
        ]);
        if (end === undefined || copies.length === 0) return { is: 'too-old' } as const;
        if (end.outcome?.outcome === outcome) return { is: 'kept', set: end.outcome } as const;
        const set = { outcome, by: userId, at: now() };
        if (await write(chooser, end, copies, set)) return { is: 'set', before: end.outcome } as const;
      }
      throw new Error('An outcome was changed by others again and again.');
    },

    /** The `ts` of the summary that somebody sees in a channel or their direct messages, or that of the thread it's in. */
    async threadIn({ workspaceId, channelId = '' }: Chooser, endId: string): Promise<string | undefined> {
      const [posted] = await database.read(
        sql`SELECT COALESCE(thread_ts, post_ts) AS ts FROM deliveries
          WHERE ${isCopy(workspaceId, endId)} AND state = 'posted'
            AND post_ts IS NOT NULL AND COALESCE((SELECT moved_to FROM channels
              WHERE channels.workspace_id = deliveries.workspace_id
                AND channels.channel_id = deliveries.post_channel_id), post_channel_id) = ${channelId}`,
        rowOf({ ts: z.string() }),
      );
      return posted?.ts;
    },
  };
}

export type Outcomes = ReturnType<typeof createOutcomes>;
