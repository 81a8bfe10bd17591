import { z } from 'zod';
import { notice, type Message } from '../messages/message.ts';
import { code, short } from '../messages/text.ts';
import { wakeChannelOf } from '../outbox/channels.ts';
import { insertDelivery, readPayload, type NewId, type Kind } from '../outbox/delivery.ts';
import { isPaused, type WebhookAddresses } from './addresses.ts';
import type { TellOwner } from './attempt.ts';

/*
 * Whoever added an address hears by direct message, once each time, that it's paused or that it's gone.
 */

const Payload = z.object({ addressId: z.string(), about: z.enum(['paused', 'off']) });

/** @param newId makes ids of deliveries in Slack */
export const createTellOwner =
  (newId: NewId, now: () => number): TellOwner =>
  (about, { workspaceId, id: addressId, addedBy }, since) => {
    const id = newId();
    return [
      insertDelivery({
        id,
        workspaceId,
        key: `webhook-notice ${addressId} ${about} ${since}`,
        kind: 'webhook-notice',
        channelId: addedBy,
        acceptedAt: now(),
        payload: { addressId, about } satisfies z.infer<typeof Payload>,
      }),
      wakeChannelOf(id),
    ];
  };

const paused = (host: string): Message =>
  notice(
    ['Webhooks to ', code(short(host, 80)), ' are paused: it hasn’t accepted anything for an hour.'],
    [
      'I’ll try again now and then, at least once a day. To try right away, an admin can press Retry in the Home tab, under Webhooks.',
    ],
  );

const off = (host: string): Message =>
  notice(
    ['Webhooks to ', code(short(host, 80)), ' are switched off: it answered 410 (gone).'],
    [
      'What was waiting for it won’t be sent. In the Home tab, under Webhooks, an admin can remove the address, or switch it on again with Retry.',
    ],
  );

export const createWebhookNoticeKind = (
  addresses: Pick<WebhookAddresses, 'one'>,
  now: () => number,
): Kind => ({
  name: 'webhook-notice',
  isNoLoss: true,
  async compose({ workspaceId, payload }) {
    const { addressId, about } = readPayload(Payload, payload);
    const address = await addresses.one({ workspaceId, id: addressId });
    const isStill =
      about === 'off' ? address?.offAt !== undefined : address !== undefined && isPaused(address, now());
    if (address === undefined || !isStill) return { unwanted: 'superseded' };
    return { message: async () => (about === 'off' ? off(address.host) : paused(address.host)) };
  },
});
