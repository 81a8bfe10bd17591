import { z } from 'zod';
import { hasChanged } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { RetryAnswer } from '../views/delivery-words.ts';
import type { Sql } from '../database/sql.ts';
import { giveBackStatements } from './cards.ts';
import { openChannelOf, wakeChannelOf, wakeWorkers } from './channels.ts';
import { liftHold } from './holds.ts';
import type { MethodHolds } from './holds.ts';
import type { NewId } from './ids.ts';
import { isRetriable } from './overview.ts';
import { DeliveryRow, deliveryColumns } from './delivery.ts';
import type { Content } from './delivery.ts';
import type { SessionEnds } from './session-ends.ts';

interface RetryAndDropParts {
  readonly database: Database;
  readonly sessionEnds: Pick<SessionEnds, 'byIds'>;
  readonly methods: Pick<MethodHolds, 'lift'>;
  readonly newId: NewId;
  /** Pause between two posts in one channel, milliseconds. */
  readonly paceMs: number;
  readonly now: () => number;
}

/** What an admin can do about a delivery in trouble. */
export interface RetryAndDrop {
  /** Sends a delivery now, even if it had failed for good or Slack asked us to wait. Doing it twice does no harm. */
  retry(workspaceId: string, id: string): Promise<RetryAnswer>;
  /** Discards a delivery for good. */
  drop(workspaceId: string, id: string, userId: string): Promise<RetryAnswer>;
}

const StateRow = z.object({
  state: z.enum(['asking', 'waiting', 'sending', 'posted', 'failed', 'skipped', 'dropped']),
  reason: z.string().nullable(),
});

const isOne = (workspaceId: string, id: string) => sql`id = ${id} AND workspace_id = ${workspaceId}`;

export function createRetryAndDrop(parts: RetryAndDropParts): RetryAndDrop {
  const { database, sessionEnds, methods, newId, paceMs, now } = parts;

  async function stateOf(workspaceId: string, id: string) {
    const [row] = await database.read(
      sql`SELECT state, reason FROM deliveries WHERE ${isOne(workspaceId, id)}`,
      StateRow,
    );
    return row;
  }

  async function contentOf(workspaceId: string, id: string): Promise<Content | undefined> {
    const [delivery] = await database.read(
      sql`SELECT ${deliveryColumns} FROM deliveries WHERE ${isOne(workspaceId, id)}`,
      DeliveryRow,
    );
    if (delivery?.sessionEndId === undefined) return undefined;
    const [end] = await sessionEnds.byIds([delivery.sessionEndId]);
    return { ...delivery, end };
  }

  return {
    async retry(workspaceId, id) {
      const time = now();
      const one = isOne(workspaceId, id);
      const [reopened, hurried] = await database.write(
        sql`UPDATE deliveries SET state = 'waiting', due_at = ${time}, accepted_at = ${time}, settled_at = NULL,
            reason = NULL, needed_scope = NULL, attempts = 0, failing_since = NULL, not_after = NULL
          WHERE ${one} AND ${isRetriable(time)}`,
        sql`UPDATE deliveries SET due_at = ${time} WHERE ${one} AND state IN ('waiting', 'asking') AND due_at > ${time}`,
        wakeChannelOf(id),
        openChannelOf(id, time, paceMs),
        liftHold(workspaceId),
      );
      methods.lift(workspaceId);
      wakeWorkers(database);
      const found = await stateOf(workspaceId, id);
      if (found === undefined) return 'unknown';
      const { state, reason } = found;
      if (reason === 'record_unreadable') return 'unreadable';
      if (hasChanged(reopened) || hasChanged(hurried)) return 'retried';
      // What is on its way only has its wait cut short.
      return state === 'asking' || state === 'waiting' || state === 'sending' ? 'retried' : state;
    },

    async drop(workspaceId, id, userId) {
      const time = now();
      const drop = (states: Sql) =>
        sql`UPDATE deliveries SET state = 'dropped', settled_by = ${userId}, settled_at = ${time}
          WHERE ${isOne(workspaceId, id)} AND state IN (${states})`;
      const cardBack = giveBackStatements(await contentOf(workspaceId, id), { id: newId(), time });
      if ((await database.writeIf(drop(sql`'waiting', 'asking'`), ...cardBack)) !== undefined) {
        wakeWorkers(database);
        return 'dropped';
      }
      // Its card already says that the summary couldn't be posted.
      const [dropped] = await database.write(drop(sql`'failed'`));
      if (hasChanged(dropped)) return 'dropped';
      const state = (await stateOf(workspaceId, id))?.state;
      if (state === undefined) return 'unknown';
      return state === 'asking' || state === 'waiting' || state === 'sending' ? 'busy' : state;
    },
  };
}
