import { z } from 'zod';
import { sql, type Database, type Sql } from '../database/database.ts';
import { jsonOf } from '../database/row.ts';
import { wakeChannelOf } from '../outbox/channels.ts';
import { insertDelivery, readPayload, type Delivery, type NewId, type Kind } from '../outbox/delivery.ts';
import type { App } from '../parts.ts';
import { subscriptionsPaused, subscriptionsResumed } from './pause-messages.ts';
import { noticeGiven, type SubscriptionRepository } from './repository.ts';
import type { Subscription } from './subscription.ts';

/*
 * Whoever set a channel's subscriptions up is told once that they're paused, and once that they work again. What they're due
 * is in the subscriptions; a delivery says it, and does nothing if it has been said.
 */

const Payload = z.object({ about: z.enum(['paused', 'resumed']) });

/** Statements that queue what the owners of these are due: one message for all in a channel. */
export function ownerStatements(
  due: readonly Subscription[],
  { newId, time }: { readonly newId: NewId; readonly time: number },
): readonly Sql[] {
  const isDue = due.filter(({ noticeDue }) => noticeDue !== undefined);
  const groups = Map.groupBy(isDue, ({ workspaceId, setUpBy, channelId, noticeDue }) =>
    JSON.stringify([workspaceId, setUpBy, channelId, noticeDue]),
  );
  // Always in the same order, so that no two wait for each other's direct messages.
  const inOrder = [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return inOrder.flatMap(([, all]) => {
    const [first] = all;
    if (first === undefined) return [];
    const { workspaceId, setUpBy, noticeDue } = first;
    const id = newId();
    const delivery = {
      id,
      workspaceId,
      key: `owner ${id}`,
      kind: 'owner',
      channelId: setUpBy,
      subscriptions: all.map((one) => one.id),
      acceptedAt: time,
      payload: { about: noticeDue },
    };
    return [insertDelivery(delivery), wakeChannelOf(id)];
  });
}

const Waiting = z.object({ subscriptions: jsonOf(z.array(z.string())) });

/** Their words about a pause or its end. */
export function createOwnerKind(
  database: Pick<Database, 'read' | 'write'>,
  repository: Pick<SubscriptionRepository, 'known'>,
): Kind {
  /** Those of whose pause they haven't heard yet, and so needn't hear that it ended. */
  async function unheard({ id, workspaceId, channelId }: Delivery): Promise<readonly string[]> {
    const waiting = await database.read(
      sql`SELECT subscriptions FROM deliveries WHERE workspace_id = ${workspaceId} AND channel_id = ${channelId}
        AND kind = 'owner' AND state IN ('waiting', 'sending') AND attempted_at IS NULL AND id < ${id}
        AND payload = ${JSON.stringify({ about: 'paused' })}`,
      Waiting,
    );
    return waiting.flatMap(({ subscriptions }) => subscriptions);
  }

  return {
    name: 'owner',
    isNoLoss: true,
    async compose(delivery) {
      const { about } = readPayload(Payload, delivery.payload);
      const { workspaceId, subscriptions } = delivery;
      const left = about === 'paused' ? [] : await unheard(delivery);
      const told = (await repository.known(workspaceId)).filter(
        ({ id, noticeDue }) => noticeDue === about && subscriptions.includes(id) && !left.includes(id),
      );
      if (told.length > 0)
        return {
          message: async () => (about === 'paused' ? subscriptionsPaused(told) : subscriptionsResumed(told)),
        };
      // Whoever never heard of the pause isn't due to hear that it ended.
      if (left.length > 0) await database.write(noticeGiven(workspaceId, left, 'resumed'));
      return { unwanted: 'superseded' };
    },
    /** Somebody who can't be reached at all isn't tried again. */
    async follows({ workspaceId, subscriptions, payload }) {
      const read = Payload.safeParse(payload);
      return read.success ? [noticeGiven(workspaceId, subscriptions, read.data.about)] : [];
    },
  };
}

/** Owed at a start. */
const MOST_OWED = 500;

/**
 * Queues once, at the start, what owners were due when an earlier version of the app ended, which queued nothing. What has
 * been said by then isn't said again.
 */
export function createTellOwed(
  { database, outbox, now }: Pick<App, 'database' | 'outbox' | 'now'>,
  repository: Pick<SubscriptionRepository, 'withNoticeDue'>,
): () => Promise<void> {
  let isDone = false;
  return async function tellOwed() {
    if (isDone) return;
    const due = await repository.withNoticeDue(MOST_OWED);
    if (due.length > 0) await database.write(...ownerStatements(due, { newId: outbox.newId, time: now() }));
    isDone = true;
    outbox.wake();
  };
}
