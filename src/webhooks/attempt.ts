import { sql, type Database, type Sql } from '../database/database.ts';
import { MOST_DEATHS } from '../outbox/attempt.ts';
import type { EndedSession } from '../sessions/subscribers.ts';
import type { Filters } from '../subscriptions/subscription.ts';
import type { OpenedAddress, WebhookAddress, WebhookAddresses } from './addresses.ts';
import { withName, withoutName } from './bodies.ts';
import { refused, switchedOff, worked } from './health.ts';
import { isStillClaimed, type WebhookMessage, type WebhookPayload } from './queue.ts';
import { isTaken, type WebhookReply, type WebhookSender } from './send.ts';

/** One that has failed for this long is set aside, if others are taken. */
const SET_ASIDE_AFTER_MS = 24 * 60 * 60_000;

/** What came of an attempt. */
export interface WebhookOutcome {
  readonly is: 'posted' | 'failed' | 'skipped' | 'later';
  readonly reason?: string;
  readonly error?: unknown;
  /** What it says about the address, for the same write. */
  readonly also?: readonly Sql[];
  /** Whoever added the address is told of it in Slack. */
  readonly tellsOwner?: boolean;
}

/** Queues what the person who added an address is told about it, once each time. */
export type TellOwner = (about: 'paused' | 'off', address: WebhookAddress, since: number) => readonly Sql[];

/** Sends a message once. Rejects with a DatabaseError. */
export function createWebhookAttempt({
  database,
  addresses,
  send,
  matches,
  nameOf,
  tellOwner,
  now,
}: {
  readonly database: Database;
  readonly addresses: Pick<WebhookAddresses, 'open' | 'changed'>;
  readonly send: WebhookSender['send'];
  /** Whether a session is one of those. Rejects if Slack or the service can't be asked. */
  readonly matches: (filters: Filters, session: EndedSession) => Promise<boolean>;
  /** What a customer is called now; undefined if it isn't known. Rejects if the service can't be asked. */
  readonly nameOf: (workspaceId: string, visitorId: string) => Promise<string | undefined>;
  readonly tellOwner: TellOwner;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}) {
  async function isWanted(
    { filters, workspaceId }: OpenedAddress,
    payload: WebhookPayload,
  ): Promise<boolean> {
    const { unsure, visitorId, userId } = payload;
    return (
      unsure === undefined ||
      matches(filters, { workspaceId, visitorId, userId, seconds: undefined, ...unsure })
    );
  }

  /** The body as it's sent from now on: the same at every try, but for a name that an admin doesn't want sent any more. */
  async function bodyOf(
    message: WebhookMessage,
    { lacksName, ...payload }: WebhookPayload,
    { hasNames }: OpenedAddress,
  ): Promise<string> {
    const before = payload.body;
    const name = () => nameOf(message.workspaceId, payload.visitorId).catch(() => undefined);
    const isComplete = lacksName !== true;
    const body = !hasNames ? withoutName(before) : isComplete ? before : withName(before, await name());
    if (isComplete && body === before) return body;
    const kept = JSON.stringify({ ...payload, body } satisfies WebhookPayload);
    await database.write(sql`UPDATE webhook_messages SET payload = ${kept} WHERE ${isStillClaimed(message)}`);
    return body;
  }

  function notTaken(address: WebhookAddress, reason: string, askedMs?: number): WebhookOutcome {
    const { statements, pausedSince } = refused(address, now(), askedMs);
    if (pausedSince === undefined) return { is: 'later', reason, also: statements };
    return {
      is: 'later',
      reason,
      also: [...statements, ...tellOwner('paused', address, pausedSince)],
      tellsOwner: true,
    };
  }

  function outcomeOf(
    message: WebhookMessage,
    address: OpenedAddress,
    reply: WebhookReply,
    sentAt: number,
  ): WebhookOutcome {
    if (isTaken(reply)) return { is: 'posted', also: worked(address, now()) };
    if (reply.is === 'failed') return orSetAside(message, address, notTaken(address, reply.reason), sentAt);
    if (reply.status === 410) {
      const time = now();
      const also = [switchedOff(address, time), ...tellOwner('off', address, time)];
      return { is: 'skipped', reason: 'address_gone', also, tellsOwner: true };
    }
    const later = notTaken(address, `http_${reply.status}`, reply.retryAfterMs);
    return orSetAside(message, address, later, sentAt);
  }

  /** Gives up one that fails by itself: the address has taken something since it began to. */
  function orSetAside(
    { failingSince: since = Infinity }: WebhookMessage,
    address: OpenedAddress,
    later: WebhookOutcome,
    sentAt: number,
  ): WebhookOutcome {
    const began = Math.min(since, sentAt);
    const isAlone = address.failingSince === undefined || address.failingSince > began;
    return isAlone && now() - began > SET_ASIDE_AFTER_MS ? { ...later, is: 'failed' } : later;
  }

  return async function attempt(message: WebhookMessage): Promise<WebhookOutcome> {
    const { workspaceId, id, addressId, payload, deaths } = message;
    if (deaths >= MOST_DEATHS) return { is: 'failed', reason: 'set_aside' };
    if (payload === undefined) return { is: 'failed', reason: 'record_unreadable' };
    const address = await addresses.open({ workspaceId, id: addressId }, database);
    if (address === undefined) return { is: 'skipped', reason: 'address_removed' };
    if (address.offAt !== undefined) return { is: 'skipped', reason: 'address_gone' };
    try {
      if (!(await isWanted(address, payload))) return { is: 'skipped', reason: 'filtered_out' };
    } catch (error) {
      return { is: 'later', reason: 'filter_unknown', error };
    }
    const body = await bodyOf(message, payload, address);
    const { url, secrets } = address;
    if (url === undefined || secrets === undefined) return notTaken(address, 'address_unreadable');
    const sentAt = now();
    const reply = await send({ workspaceId, url: url.reveal(), id, body, secrets });
    return outcomeOf(message, address, reply, sentAt);
  };
}
