import { z } from 'zod';
import type { Sql } from '../database/database.ts';
import { wakeChannelOf } from '../outbox/channels.ts';
import { insertDelivery, readPayload, type Kind } from '../outbox/delivery.ts';
import { formOf, toldSubscribers, type Subscribers } from '../sessions/subscribers.ts';
import type { createCharts } from './charts.ts';
import { digestMessage } from './digest-message.ts';
import { Digest } from './digest-numbers.ts';
import type { DueDigest } from './repository.ts';

/** An older digest is no longer news. */
const LATEST_DIGEST_MS = 24 * 60 * 60_000;

const Payload = z.object({ digest: Digest });

/** Statements that queue a digest: one for each number, however often they are run. */
export function digestStatements(
  { subscription: { workspaceId, id: subscription, channelId }, number }: DueDigest,
  digest: Digest,
  { id, time }: { readonly id: string; readonly time: number },
): readonly Sql[] {
  return [
    insertDelivery({
      id,
      workspaceId,
      key: `digest ${number + 1} of ${subscription}`,
      kind: 'digest',
      messageId: `digest_${subscription}_${digest.to}`,
      since: digest.to,
      channelId,
      subscriptions: [subscription],
      acceptedAt: time,
      notAfter: digest.to + LATEST_DIGEST_MS,
      payload: { digest },
    }),
    wakeChannelOf(id),
  ];
}

/** @param pictureOf a picture of a digest's numbers; undefined if there is none */
export const createDigestKind = (
  subscribers: Pick<Subscribers, 'formNow' | 'onOutcome'>,
  pictureOf: ReturnType<typeof createCharts>['pictureOfDigest'],
): Kind => ({
  name: 'digest',
  async compose(delivery) {
    const wanted = await formOf(subscribers, delivery);
    if (typeof wanted === 'object') return wanted;
    const { digest } = readPayload(Payload, delivery.payload);
    return { message: async () => digestMessage(digest, await pictureOf(delivery.workspaceId, digest)) };
  },
  told: toldSubscribers(subscribers),
});
