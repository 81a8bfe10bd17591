import { randomUUID } from 'node:crypto';
import { DatabaseError, isNoneOf, rowsOf, sql, type Sql } from '../database/database.ts';
import { LONGEST_FAILING_MS, backoff, wakeChannelOf } from './channels.ts';
import { DeliveryRow, deliveryColumns, type Delivery } from './delivery.ts';
import type { Delivering } from './outcome.ts';
import { createConcurrentByKey } from '../lifecycle/concurrency.ts';
import { isOnHold } from '../workspaces/holds.ts';

const AT_ONCE = 20;
/** While some are asked about, others may come. */
const LOOK_AGAIN_MS = 1_000;
/** Longer than Slack and the service can take for one delivery. If the process dies, the claim expires then. */
const ASKING_MS = 2 * 60_000;

/** The answer for one delivery; `wanted` are the subscriptions from the first one that wants it. */
type Answer =
  | { readonly is: 'wanted'; readonly wanted: readonly string[] }
  | { readonly is: 'skipped' | 'failed'; readonly reason: string }
  | { readonly is: 'later'; readonly reason?: string; readonly error: unknown };

const isHeld = isOnHold(sql`deliveries.workspace_id`);

/** See `Job.nextRun`. */
export const firstToAsk: Sql = sql`SELECT due_at AS at FROM deliveries WHERE state = 'asking' AND NOT ${isHeld}
  ORDER BY due_at LIMIT 1`;

/** A process that serves alone takes over what an earlier one was asking about. */
export const askAgain: Sql = sql`UPDATE deliveries SET due_at = accepted_at
  WHERE state = 'asking' AND claim IS NOT NULL`;

function changesOf({ attempts, failingSince, acceptedAt }: Delivery, answer: Answer, time: number): Sql {
  if (answer.is === 'wanted')
    return sql`state = 'waiting', subscriptions = ${JSON.stringify(answer.wanted)}, due_at = ${acceptedAt},
      attempts = 0, reason = NULL, failing_since = NULL`;
  if (answer.is !== 'later')
    return sql`state = ${answer.is}, reason = ${answer.reason}, settled_at = ${time}`;
  const why =
    answer.reason === undefined
      ? sql``
      : sql`, reason = ${answer.reason}, failing_since = ${Math.min(time, failingSince ?? time)}`;
  return sql`due_at = ${time + backoff(attempts)}${why}`;
}

/** Asks Slack and the service which deliveries are wanted, outside any channel's turn. @param wake called when some may be due */
export function createAsking(
  { database, kinds, telling, now }: Omit<Delivering, 'transport'>,
  wake: () => void,
): (isStopped: () => boolean) => Promise<void> {
  async function claim(token: string, busy: readonly string[]): Promise<readonly Delivery[]> {
    const time = now();
    const [written] = await database.write(
      sql`WITH picked AS MATERIALIZED (
          SELECT id FROM deliveries WHERE state = 'asking' AND due_at <= ${time}
            AND NOT ${isHeld} AND ${isNoneOf(sql`workspace_id`, busy)}
          ORDER BY due_at LIMIT ${AT_ONCE} ${database.skipLocked})
        UPDATE deliveries SET claim = ${token}, due_at = ${time + ASKING_MS}, attempts = attempts + 1
        WHERE id IN (SELECT id FROM picked) RETURNING ${deliveryColumns}`,
    );
    return rowsOf(written, DeliveryRow);
  }

  async function answerFor(delivery: Delivery): Promise<Answer> {
    const { failingSince } = delivery;
    try {
      const kind = kinds.get(delivery.kind);
      // Of a newer program, which asks if it's there in time.
      if (kind === undefined) return { is: 'later', error: new Error(`There is no kind ${delivery.kind}.`) };
      const wanted = (await kind.filter?.(delivery)) ?? [];
      return wanted.length > 0 ? { is: 'wanted', wanted } : { is: 'skipped', reason: 'filtered_out' };
    } catch (error) {
      if (error instanceof DatabaseError) return { is: 'later', error };
      const isOver = failingSince !== undefined && now() - failingSince > LONGEST_FAILING_MS;
      return isOver
        ? { is: 'failed', reason: 'filter_unknown' }
        : { is: 'later', reason: 'filter_unknown', error };
    }
  }

  async function decide(delivery: Delivery, token: string): Promise<void> {
    const answer = await answerFor(delivery);
    const { id } = delivery;
    const written = await database.writeIf(
      sql`UPDATE deliveries SET ${changesOf(delivery, answer, now())}, claim = NULL
        WHERE id = ${id} AND claim = ${token} AND state = 'asking'`,
      wakeChannelOf(id),
    );
    if (written === undefined || answer.is === 'wanted') return;
    const { reason } = answer;
    if (answer.is === 'later') telling.report(reason === undefined ? 'broken' : 'later', delivery, answer);
    else {
      telling.report(answer.is, delivery, answer);
      await telling.tell(delivery, { outcome: answer.is, reason: answer.reason });
    }
  }

  async function decideAll(deliveries: readonly Delivery[], token: string): Promise<void> {
    await Promise.all(
      deliveries.map((delivery) =>
        decide(delivery, token).catch((error: unknown) =>
          // It's asked again once the claim expires.
          telling.report('broken', delivery, { error }),
        ),
      ),
    );
  }

  return async function askForSome(isStopped) {
    const concurrentByKey = createConcurrentByKey();
    do {
      const token = randomUUID();
      const claimed = await claim(token, concurrentByKey.busy());
      for (const [workspaceId, own] of Map.groupBy(claimed, (one) => one.workspaceId))
        void concurrentByKey.start(workspaceId, () => decideAll(own, token)).then(wake);
      if (claimed.length < AT_ONCE) await concurrentByKey.oneIsDone(LOOK_AGAIN_MS);
    } while (concurrentByKey.busy().length > 0 && !isStopped());
    await concurrentByKey.idle();
  };
}
