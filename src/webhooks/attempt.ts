import { z } from 'zod';
import { hasChanged, sql, type Database } from '../database/database.ts';
import { MOST_DEATHS, type Attempt } from '../outbox/attempt.ts';
import { backoff } from '../outbox/channels.ts';
import type { Delivery } from '../outbox/delivery.ts';
import type { Outcome } from '../outbox/outcome.ts';
import { LostTurnError, createKeepTurn, type Turn } from '../outbox/turns.ts';
import type { EndedSession } from '../sessions/subscribers.ts';
import type { Filters } from '../subscriptions/subscription.ts';
import type { OpenedAddress, WebhookAddresses } from './addresses.ts';
import { withName, withoutName } from './bodies.ts';
import type { AddressHealth } from './health.ts';
import { addressOf } from './places.ts';
import { isTaken, type WebhookReply, type WebhookSender } from './send.ts';

/** One that has failed for this long is set aside, if others are taken. */
const SET_ASIDE_AFTER_MS = 24 * 60 * 60_000;

/** What is stored of a message to an address. */
export const WebhookPayload = z.object({
  /** The event's name. */
  event: z.string(),
  /** What is sent: the same at every try. */
  body: z.string(),
  /** The session, where Slack or the service has to be asked whether the address wants it. */
  unsure: z.object({ seconds: z.number().optional(), endedAt: z.number() }).optional(),
  /** Whose session it is, and who watched. */
  visitorId: z.string(),
  userId: z.string(),
  /** The customer's name isn't in the body yet: it's asked for before the first try, if it's still wanted, and kept. */
  lacksName: z.literal(true).optional(),
});
export type WebhookPayload = z.infer<typeof WebhookPayload>;

const reasonOf = (reply: WebhookReply) => (reply.is === 'failed' ? reply.reason : `http_${reply.status}`);

const failed = (reason: string): Outcome => ({ is: 'failed', reason, isUnclear: false });
const skipped = (reason: string): Outcome => ({ is: 'skipped', reason });

/** Whether it fails by itself: the address has taken something since it began to. */
const isAlone = ({ failingSince }: OpenedAddress, since: number) =>
  failingSince === undefined || failingSince > since;

/**
 * Sends what has the turn to its address. Nobody is asked whether an earlier try arrived: one that comes twice has the same
 * `webhook-id`. What isn't taken keeps its place before the other events of its link.
 */
export function createWebhookAttempt({
  database,
  addresses,
  health,
  send,
  matches,
  nameOf,
  now,
}: {
  readonly database: Pick<Database, 'write' | 'steadyTime'>;
  readonly addresses: Pick<WebhookAddresses, 'open'>;
  readonly health: AddressHealth;
  readonly send: WebhookSender['send'];
  /** Whether a session is one of those. Rejects if Slack or the service can't be asked. */
  readonly matches: (filters: Filters, session: EndedSession) => Promise<boolean>;
  /** What a customer is called now; undefined if it isn't known. Rejects if the service can't be asked. */
  readonly nameOf: (workspaceId: string, visitorId: string) => Promise<string | undefined>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}): Attempt {
  const keepTurn = createKeepTurn(database, now);

  function putOff({ delivery }: Turn, why: { readonly reason?: string; readonly error?: unknown }): Outcome {
    const time = now();
    const failingSince = Math.min(time, delivery.failingSince ?? time);
    return {
      is: 'held-channel',
      until: time + backoff(delivery.attempts),
      isUnclear: false,
      failingSince,
      ...why,
    };
  }

  /** The body as it's sent from now on: the same at every try, but for a name that an admin doesn't want sent any more. */
  async function bodyOf(
    { delivery, token }: Turn,
    { hasNames }: OpenedAddress,
    payload: WebhookPayload,
  ): Promise<string> {
    const { visitorId, body, lacksName, ...others } = payload;
    const asWanted = async (): Promise<string> => {
      if (!hasNames) return withoutName(body);
      if (lacksName === undefined) return body;
      return withName(body, await nameOf(delivery.workspaceId, visitorId).catch(() => undefined));
    };
    const wanted = await asWanted();
    if (lacksName === undefined && wanted === body) return body;
    const kept = JSON.stringify({ ...others, visitorId, body: wanted } satisfies WebhookPayload);
    const [written] = await database.write(
      sql`UPDATE deliveries SET payload = ${kept} WHERE id = ${delivery.id} AND claim = ${token}`,
    );
    if (!hasChanged(written)) throw new LostTurnError();
    return wanted;
  }

  async function isWanted(
    { filters, workspaceId }: OpenedAddress,
    payload: WebhookPayload,
  ): Promise<boolean> {
    const { unsure, visitorId, userId } = payload;
    if (unsure === undefined) return true;
    return matches(filters, {
      workspaceId,
      visitorId,
      userId,
      seconds: unsure.seconds,
      endedAt: unsure.endedAt,
    });
  }

  /** Undefined if the address or its secret can't be opened. */
  async function post(
    { url, secrets }: OpenedAddress,
    { workspaceId, messageId }: Delivery,
    body: string,
  ): Promise<WebhookReply | undefined> {
    if (url === undefined || secrets === undefined) return undefined;
    return send({ workspaceId, url: url.reveal(), id: messageId, body, secrets });
  }

  async function deliver(turn: Turn): Promise<Outcome> {
    const { delivery, channel } = turn;
    if (delivery.deaths >= MOST_DEATHS) return failed('set_aside');
    const payload = WebhookPayload.safeParse(delivery.payload).data;
    if (payload === undefined) return failed('record_unreadable');
    const address = await addresses.open(addressOf(channel));
    if (address === undefined) return skipped('address_removed');
    if (address.offAt !== undefined) return skipped('address_gone');
    try {
      if (!(await isWanted(address, payload))) return skipped('filtered_out');
    } catch (error) {
      return putOff(turn, { reason: 'filter_unknown', error });
    }
    const body = await bodyOf(turn, address, payload);
    await keepTurn(turn);
    const sentAt = now();
    const reply = await post(address, delivery, body);
    if (reply === undefined) {
      await health.refused(address);
      return putOff(turn, { reason: 'address_unreadable' });
    }
    if (isTaken(reply)) {
      await health.took(address);
      return { is: 'posted', ts: undefined, form: undefined, threadTs: undefined };
    }
    const reason = reasonOf(reply);
    if (reason === 'http_410') {
      await health.gone(address);
      return skipped('address_gone');
    }
    await health.refused(address, reply.is === 'answered' ? reply.retryAfterMs : undefined);
    const since = delivery.failingSince ?? sentAt;
    if (now() - since > SET_ASIDE_AFTER_MS && isAlone(address, since)) return failed(reason);
    return putOff(turn, { reason });
  }

  return async function attempt(turn) {
    try {
      return await deliver(turn);
    } catch (error) {
      if (error instanceof LostTurnError) throw error;
      // Of the database, or a bug of ours: others of its link must not pass it.
      return putOff(turn, { error });
    }
  };
}
