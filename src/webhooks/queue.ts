import { createHash } from 'node:crypto';
import { z } from 'zod';
import { sql, type Database, type Sql } from '../database/database.ts';
import type { IssuedLink } from '../messages/link-request.ts';
import { messageAddress } from '../messages/message-address.ts';
import { wakeChannelOf } from '../outbox/channels.ts';
import { insertDelivery, type NewId } from '../outbox/delivery.ts';
import { endedSessionOf, type SessionEnd } from '../sessions/session-ends.ts';
import type { Queued, SessionEvents } from '../sessions/session-events.ts';
import type { EndedSession } from '../sessions/subscribers.ts';
import { cardIdOf } from '../sessions/watch-links.ts';
import type { Filters } from '../subscriptions/subscription.ts';
import type { Installation } from '../workspaces/workspaces.ts';
import { isNamed, type WebhookAddress, type WebhookAddresses } from './addresses.ts';
import type { WebhookPayload } from './attempt.ts';
import {
  linkOpenedBody,
  outcomeChangedBody,
  sessionEndedBody,
  type BodyExtras,
  type WebhookBody,
  type WebhookEvent,
} from './bodies.ts';
import { placeOf } from './places.ts';

/** The name of the only kind: what it says is in the payload. */
export const WEBHOOK = 'webhook';

/** How far the service's clock and ours may differ. */
const CLOCKS_APART_MS = 2 * 60 * 1_000;

/** Nothing to queue. */
const NOTHING: Queued = { statements: [], accepted: () => undefined };

/** The same at every try, and for an event that comes again after the database was put back to a backup. */
const webhookIdOf = (address: WebhookAddress, { linkId }: IssuedLink, event: WebhookEvent, change: string) =>
  `msg_${createHash('sha256')
    .update(JSON.stringify([address.workspaceId, address.id, linkId, event, change]))
    .digest('hex')
    .slice(0, 32)}`;

/** Behind what waits in its place, also where the clock was put back since that was queued. */
const behindOthers = (workspaceId: string, place: string, at: number): Sql =>
  sql`COALESCE((SELECT MAX(due_at) + 1 FROM deliveries WHERE workspace_id = ${workspaceId} AND channel_id = ${place}
    AND state IN ('waiting', 'sending') AND due_at >= ${at}), ${at})`;

const Post = z.object({ channel_id: z.string().nullable(), ts: z.string().nullable() });

/** An event that addresses may want. */
interface Event {
  readonly event: WebhookEvent;
  readonly link: IssuedLink;
  /** Tells events of the same name and link apart. */
  readonly change: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** For the filters. */
  readonly session: EndedSession;
  readonly bodyWith: (extras: BodyExtras) => WebhookBody;
  /** Where the message about it is, if it's posted. */
  readonly post: () => Promise<{ readonly channelId: string; readonly ts: string } | undefined>;
}

/**
 * Queues what addresses are told, in the write that records what they're told of. Where there is no address it costs nothing:
 * who has any is read at most once a minute.
 */
export function createWebhookQueue({
  database,
  addresses,
  mayMatch,
  installedAs,
  newId,
  wake,
}: {
  readonly database: Pick<Database, 'read'>;
  readonly addresses: Pick<WebhookAddresses, 'known'>;
  /** Undefined if Slack or the service has to be asked. */
  readonly mayMatch: (filters: Filters, session: EndedSession) => boolean | undefined;
  readonly installedAs: (workspaceId: string) => Promise<Installation>;
  readonly newId: NewId;
  /** Called when something may be due. */
  readonly wake: () => void;
}): SessionEvents {
  async function cardUrlOf({ link: { workspaceId }, post }: Event): Promise<string | undefined> {
    const posted = await post();
    if (posted === undefined) return undefined;
    const { url } = await installedAs(workspaceId).catch(() => ({ url: undefined }));
    return messageAddress(url, posted.channelId, posted.ts);
  }

  function statementsFor(address: WebhookAddress, one: Event, cardUrl: string | undefined): readonly Sql[] {
    const { event, link, change, at, session } = one;
    const matches = mayMatch(address.filters, session);
    if (matches === false) return [];
    const { workspaceId } = link;
    const place = placeOf(address.id, link.linkId);
    const id = newId();
    const messageId = webhookIdOf(address, link, event, change);
    const payload: WebhookPayload = {
      event,
      body: JSON.stringify(one.bodyWith({ cardUrl })),
      visitorId: link.visitorId,
      userId: link.userId,
      ...(matches === undefined ? { unsure: { seconds: session.seconds, endedAt: session.endedAt } } : {}),
      ...(address.hasNames ? { lacksName: true } : {}),
    };
    return [
      insertDelivery(
        {
          id,
          workspaceId,
          key: `webhook ${messageId}`,
          kind: WEBHOOK,
          messageId,
          channelId: place,
          acceptedAt: at,
          dueAt: behindOthers(workspaceId, place, at),
          payload,
        },
        // It may have been removed since it was read. Where that's happening right now, the next round of the limits drops what
        // was queued: with a lock here, senders would pass the address over for as long as sessions end.
        sql`EXISTS (SELECT 1 FROM webhook_addresses WHERE ${isNamed(address)} AND off_at IS NULL)`,
      ),
      wakeChannelOf(id),
    ];
  }

  async function queue(one: Event): Promise<Queued> {
    const all = await addresses.known(one.link.workspaceId);
    const wanting = all.filter(
      ({ offAt, events, addedAt }) =>
        offAt === undefined &&
        events.includes(one.event) &&
        // What happened before, and only comes to light now, is no news to it.
        addedAt <= one.session.endedAt + CLOCKS_APART_MS,
    );
    if (wanting.length === 0) return NOTHING;
    const cardUrl = await cardUrlOf(one);
    // Always in the same order, so that no two wait for each other's places.
    const inOrder = wanting.toSorted((first, second) => (first.id < second.id ? -1 : 1));
    return { statements: inOrder.flatMap((address) => statementsFor(address, one, cardUrl)), accepted: wake };
  }

  async function cardOf({ link }: SessionEnd) {
    const [card] = await database.read(
      sql`SELECT post_channel_id AS channel_id, post_ts AS ts FROM deliveries WHERE id = (${cardIdOf(link)})`,
      Post,
    );
    const { channel_id: channelId = null, ts = null } = card ?? {};
    return channelId === null || ts === null ? undefined : { channelId, ts };
  }

  return {
    opened: (recorded) => {
      const { link, issuedAt } = recorded;
      const { workspaceId, visitorId, userId } = link;
      return queue({
        event: 'watch_link.opened',
        link,
        change: '',
        at: issuedAt,
        // How long it will take isn't known, which is long enough.
        session: { workspaceId, visitorId, userId, seconds: undefined, endedAt: issuedAt },
        bodyWith: (extras) => linkOpenedBody(recorded, extras),
        // It's posted later.
        post: async () => undefined,
      });
    },
    ended: (end) =>
      queue({
        event: 'session.ended',
        link: end.link,
        change: end.sessionId,
        at: end.receivedAt,
        session: endedSessionOf(end),
        bodyWith: (extras) => sessionEndedBody(end, extras),
        post: () => cardOf(end),
      }),
    outcomeChanged: (end, set) =>
      queue({
        event: 'session.outcome_changed',
        link: end.link,
        change: JSON.stringify([end.sessionId, set.outcome, set.at]),
        at: set.at,
        session: { ...endedSessionOf(end), endedAt: set.at },
        bodyWith: (extras) => outcomeChangedBody(end, set, extras),
        post: async () => {
          const { channelId, ts } = end.summary ?? {};
          return channelId === undefined || ts === undefined ? undefined : { channelId, ts };
        },
      }),
  };
}
