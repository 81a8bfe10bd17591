import { z } from 'zod';
import { hasChanged } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { LedgerAnswer } from '../views/delivery-words.ts';
import { openChannelOf, wakeChannelOf, wakeWorkers } from './channels.ts';
import { liftHold } from './holds.ts';
import type { MethodHolds } from './holds.ts';
import { isGivenUp } from './overview.ts';

interface RetryAndDropParts {
  readonly database: Database;
  readonly methods: Pick<MethodHolds, 'lift'>;
  /** Rest between two posts in one channel, milliseconds. */
  readonly paceMs: number;
  readonly now: () => number;
}

/** What an admin may do about a delivery in trouble. */
export interface RetryAndDrop {
  /** Sends a delivery on its way at once, also one that was given up, and whatever Slack said to wait. Twice is as good as once. */
  retry(workspaceId: string, id: string): Promise<LedgerAnswer>;
  /** Takes a delivery off for good. */
  drop(workspaceId: string, id: string, userId: string): Promise<LedgerAnswer>;
}

const StateRow = z.object({
  state: z.enum(['asking', 'waiting', 'sending', 'posted', 'failed', 'skipped', 'dropped']),
  reason: z.string().nullable(),
});

const isOne = (workspaceId: string, id: string) => sql`id = ${id} AND workspace_id = ${workspaceId}`;

export function createRetryAndDrop({ database, methods, paceMs, now }: RetryAndDropParts): RetryAndDrop {
  async function stateOf(workspaceId: string, id: string) {
    const [row] = await database.read(
      sql`SELECT state, reason FROM deliveries WHERE ${isOne(workspaceId, id)}`,
      StateRow,
    );
    return row;
  }

  return {
    async retry(workspaceId, id) {
      const time = now();
      const one = isOne(workspaceId, id);
      const [reopened, hurried] = await database.write(
        sql`UPDATE deliveries SET state = 'waiting', due_at = ${time}, accepted_at = ${time}, settled_at = NULL,
            reason = NULL, needed_scope = NULL, attempts = 0, failing_since = NULL, not_after = NULL
          WHERE ${one} AND ${isGivenUp(time)}`,
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
      // What is on its way need only not wait for its time.
      return state === 'asking' || state === 'waiting' || state === 'sending' ? 'retried' : state;
    },

    async drop(workspaceId, id, userId) {
      const [dropped] = await database.write(
        sql`UPDATE deliveries SET state = 'dropped', settled_by = ${userId}, settled_at = ${now()}
          WHERE ${isOne(workspaceId, id)} AND state IN ('waiting', 'asking', 'failed')`,
      );
      if (hasChanged(dropped)) return 'dropped';
      const state = (await stateOf(workspaceId, id))?.state;
      if (state === undefined) return 'unknown';
      return state === 'asking' || state === 'waiting' || state === 'sending' ? 'busy' : state;
    },
  };
}
