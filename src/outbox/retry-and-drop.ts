import { z } from 'zod';
import type { PreparedEntry } from '../audit/audit.ts';
import { hasChanged, rowsOf, sql, type Sql, type Written } from '../database/database.ts';
import type { RetryAnswer } from '../messages/delivery-words.ts';
import { wakeChannelOf } from './channels.ts';
import { DeliveryRow, deliveryColumns } from './delivery.ts';
import { liftHold } from '../workspaces/holds.ts';
import { isRetriable } from './overview.ts';
import type { Delivering } from './outcome.ts';

/** Written together with what was done, and reported once that is durable. */
export type EntryOf = (answer: RetryAnswer) => PreparedEntry;

type RetryParts = Omit<Delivering, 'telling' | 'transport'>;

const StateRow = z.object({
  state: z.enum(['asking', 'waiting', 'sending', 'posted', 'failed', 'skipped', 'dropped']),
  reason: z.string().nullable(),
});

const isOne = (workspaceId: string, id: string) => sql`id = ${id} AND workspace_id = ${workspaceId}`;

const stateOf = (workspaceId: string, id: string) =>
  sql`SELECT state, reason FROM deliveries WHERE ${isOne(workspaceId, id)}`;

const stateIn = (written: Written | undefined) => rowsOf(written, StateRow)[0];

const isUnderWay = (state: z.infer<typeof StateRow>['state']) =>
  state === 'asking' || state === 'waiting' || state === 'sending';

/** What is answered, and what else is written. */
type Answered = readonly [RetryAnswer, ...Sql[]];

async function followsFromDrop({ database, kinds }: RetryParts, workspaceId: string, id: string) {
  const [delivery] = await database.read(
    sql`SELECT ${deliveryColumns} FROM deliveries WHERE ${isOne(workspaceId, id)}`,
    DeliveryRow,
  );
  if (delivery === undefined) return [];
  return (await kinds.get(delivery.kind)?.onSettled?.(delivery, { is: 'dropped' })) ?? [];
}

/** @param wake called when something may be due, in any process */
export function createRetryAndDrop(parts: RetryParts, wake: () => void) {
  const { database, now } = parts;

  async function answer(
    statements: readonly Sql[],
    answerOf: (written: readonly Written[]) => Answered,
    entryOf: EntryOf,
  ): Promise<RetryAnswer> {
    let answered: RetryAnswer = 'unknown';
    let entry: PreparedEntry | undefined;
    await database.writeThen(statements, (written) => {
      const [said, ...others] = answerOf(written);
      answered = said;
      entry = entryOf(said);
      return [...others, entry.statement];
    });
    entry?.report();
    return answered;
  }

  return {
    /** Sends it now, even if it had failed for good or Slack asked us to wait. Doing it twice does no harm. */
    async retry(workspaceId: string, id: string, entryOf: EntryOf): Promise<RetryAnswer> {
      const time = now();
      const one = isOne(workspaceId, id);
      const answered = await answer(
        [
          sql`UPDATE deliveries SET state = 'waiting', due_at = ${time}, accepted_at = ${time}, settled_at = NULL,
              reason = NULL, needed_scope = NULL, attempts = 0, failing_since = NULL, not_after = NULL,
              channel_id = COALESCE((SELECT moved_to FROM channels WHERE channels.workspace_id = deliveries.workspace_id
                AND channels.channel_id = deliveries.channel_id), channel_id)
            WHERE ${one} AND ${isRetriable(time)}`,
          sql`UPDATE deliveries SET due_at = ${time} WHERE ${one} AND state = 'waiting' AND due_at > ${time}`,
          stateOf(workspaceId, id),
          wakeChannelOf(id),
          liftHold(workspaceId),
        ],
        ([reopened, hurried, found]) => {
          const row = stateIn(found);
          if (row === undefined) return ['unknown'];
          if (row.reason === 'record_unreadable') return ['unreadable'];
          if (hasChanged(reopened) || hasChanged(hurried)) return ['retried'];
          // What is under way only has its wait cut short.
          return [isUnderWay(row.state) ? 'retried' : row.state];
        },
        entryOf,
      );
      wake();
      return answered;
    },

    async drop(workspaceId: string, id: string, userId: string, entryOf: EntryOf): Promise<RetryAnswer> {
      const time = now();
      const drop = (state: string) =>
        sql`UPDATE deliveries SET state = 'dropped', settled_by = ${userId}, settled_at = ${time}
          WHERE ${isOne(workspaceId, id)} AND state = ${state}`;
      const others = await followsFromDrop(parts, workspaceId, id);
      const answered = await answer(
        [drop('waiting'), drop('failed'), stateOf(workspaceId, id)],
        ([waiting, failed, found]) => {
          if (hasChanged(waiting)) return ['dropped', ...others];
          // What follows from it was written when it failed.
          if (hasChanged(failed)) return ['dropped'];
          const state = stateIn(found)?.state;
          if (state === undefined) return ['unknown'];
          return [isUnderWay(state) ? 'busy' : state];
        },
        entryOf,
      );
      if (answered === 'dropped') wake();
      return answered;
    },
  };
}
