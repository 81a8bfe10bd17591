import { z } from 'zod';
import { sql, type Database, type Sql } from '../database/database.ts';
import { notice } from '../messages/message.ts';
import { code, say, short } from '../messages/text.ts';
import { MOST_DEATHS } from '../outbox/attempt.ts';
import { queued } from '../outbox/channels.ts';
import { readPayload, type Kind, type NewId } from '../outbox/delivery.ts';
import type { Matches } from '../subscriptions/subscribers.ts';
import {
  PAUSED_AFTER_MS,
  isNamed,
  isPaused,
  waitsFor,
  type WebhookAddress,
  type WebhookAddresses,
} from './addresses.ts';
import { withCustomer } from './bodies.ts';
import type { WebhookMessage } from './queue.ts';
import { isTaken, type WebhookSender } from './send.ts';

const LONGEST_HOLD_MS = 24 * 60 * 60_000;

export interface WebhookOutcome {
  readonly is: 'posted' | 'failed' | 'skipped' | 'later';
  readonly reason?: string;
  readonly error?: unknown;
  /** What it says about the address, for the same write. */
  readonly also?: readonly Sql[];
  readonly tellsOwner?: boolean;
}

export interface AttemptParts {
  readonly database: Database;
  readonly addresses: Pick<WebhookAddresses, 'open'>;
  readonly send: WebhookSender['send'];
  /** Whether a session is one of those. Rejects if Slack or the service can't be asked. */
  readonly matches: Matches;
  /** What a customer is called now; undefined if it isn't known. Rejects if the service can't be asked. */
  readonly nameOf: (workspaceId: string, visitorId: string) => Promise<string | undefined>;
  readonly newId: NewId;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const dropWaiting = (address: WebhookAddress, time: number): Sql =>
  sql`UPDATE webhook_messages SET state = 'skipped', reason = 'address_gone', settled_at = ${time}, claimed_until = NULL
    WHERE ${waitsFor(address)}`;

/** For an address that took something. A wait that it asked for remains, unless it was paused. */
function worked(address: WebhookAddress, time: number): readonly Sql[] {
  const { failingSince, workedAt } = address;
  if (failingSince === undefined && workedAt !== undefined) return [];
  return [
    sql`UPDATE webhook_addresses SET worked_at = COALESCE(worked_at, ${time}), failing_since = NULL,
      held_until = ${isPaused(address, time) ? null : sql`held_until`} WHERE ${isNamed(address)}`,
  ];
}

/** For an address that didn't take something. @param askedMs how long it asks us to wait */
function notTaken(parts: AttemptParts, address: WebhookAddress, reason: string, askedMs = 0): WebhookOutcome {
  const time = parts.now();
  const since = Math.min(time, address.failingSince ?? time);
  const isOut = isPaused({ failingSince: since }, time);
  const waitMs = Math.min(LONGEST_HOLD_MS, Math.max(isOut ? PAUSED_AFTER_MS : 0, askedMs));
  const until = time + waitMs;
  // Five are under way at once, and the longest wait that is asked for holds.
  const longest = sql`CASE WHEN held_until > ${until} THEN held_until ELSE ${until} END`;
  // Where it's paused, another one may have been taken meanwhile, or an admin wants it tried: either changes `failing_since`.
  const fails = sql`UPDATE webhook_addresses SET failing_since = COALESCE(failing_since, ${since}),
      held_until = ${waitMs === 0 ? sql`held_until` : longest}
    WHERE ${isNamed(address)} AND off_at IS NULL AND ${isOut ? sql`failing_since = ${since}` : sql`1 = 1`}`;
  const notices = isOut ? noticeOf(parts, 'paused', address, since) : [];
  return { is: 'later', reason, also: [fails, ...notices], tellsOwner: isOut };
}

/** Sends a message once. Rejects with a DatabaseError. */
export async function attempt(parts: AttemptParts, message: WebhookMessage): Promise<WebhookOutcome> {
  const { workspaceId, id, addressId, payload, deaths } = message;
  if (deaths >= MOST_DEATHS) return { is: 'failed', reason: 'set_aside' };
  if (payload === undefined) return { is: 'failed', reason: 'record_unreadable' };
  const address = await parts.addresses.open({ workspaceId, id: addressId }, parts.database);
  if (address === undefined || address.offAt !== undefined) return { is: 'skipped', reason: 'address_gone' };
  const { unsure, visitorId, userId } = payload;
  try {
    const session = unsure && { workspaceId, visitorId, userId, seconds: undefined, ...unsure };
    if (session !== undefined && !(await parts.matches(address.filters, session)))
      return { is: 'skipped', reason: 'filtered_out' };
  } catch (error) {
    return { is: 'later', reason: 'filter_unknown', error };
  }
  const { url, secrets, hasNames } = address;
  // An earlier program may have kept a name in the body, which may not be wanted any more.
  const named = hasNames && { name: await parts.nameOf(workspaceId, visitorId).catch(() => undefined) };
  const body = withCustomer(payload.body, visitorId, named);
  if (url === undefined || secrets === undefined) return notTaken(parts, address, 'address_unreadable');
  const reply = await parts.send({ workspaceId, url: url.reveal(), id, body, secrets });
  const time = parts.now();
  if (isTaken(reply)) return { is: 'posted', also: worked(address, time) };
  if (reply.is === 'failed') return notTaken(parts, address, reply.reason);
  if (reply.status !== 410) return notTaken(parts, address, `http_${reply.status}`, reply.retryAfterMs);
  const off = sql`UPDATE webhook_addresses SET off_at = ${time} WHERE ${isNamed(address)} AND off_at IS NULL`;
  const also = [off, dropWaiting(address, time), ...noticeOf(parts, 'off', address, time)];
  return { is: 'skipped', reason: 'address_gone', also, tellsOwner: true };
}

const Notice = z.object({ addressId: z.string(), about: z.enum(['paused', 'off']) });
type Notice = z.infer<typeof Notice>;

/** Whoever added an address hears by direct message, once each time, that it's paused or that it's gone. */
function noticeOf(parts: AttemptParts, about: Notice['about'], address: WebhookAddress, since: number) {
  return queued({
    id: parts.newId(),
    workspaceId: address.workspaceId,
    key: `webhook-notice ${address.id} ${about} ${since}`,
    kind: 'webhook-notice',
    channelId: address.addedBy,
    acceptedAt: parts.now(),
    payload: { addressId: address.id, about } satisfies Notice,
  });
}

const pausedNotice = (host: string) =>
  notice(say`Webhooks to ${code(short(host, 80))} are paused: it hasn’t accepted anything for an hour.`, [
    'I’ll try again every hour. To try right away, an admin can press Retry in the Home tab, under Webhooks.',
  ]);

const offNotice = (host: string) =>
  notice(say`Webhooks to ${code(short(host, 80))} are switched off: it answered 410 (gone).`, [
    'What was waiting for it won’t be sent. In the Home tab, under Webhooks, an admin can remove the address, or switch it on again with Retry.',
  ]);

export const createWebhookNoticeKind = ({ one }: Pick<WebhookAddresses, 'one'>, now: () => number): Kind => ({
  name: 'webhook-notice',
  async render({ workspaceId, payload }) {
    const { addressId, about } = readPayload(Notice, payload);
    const address = await one({ workspaceId, id: addressId });
    if (address === undefined) return { unwanted: 'superseded' };
    const isStill = about === 'off' ? address.offAt !== undefined : isPaused(address, now());
    if (!isStill) return { unwanted: 'superseded' };
    return { message: async () => (about === 'off' ? offNotice : pausedNotice)(address.host) };
  },
});
