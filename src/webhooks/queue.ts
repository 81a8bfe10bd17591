import { createHash } from 'node:crypto';
import { z } from 'zod';
import { rowOf, sql, type Database, type Sql } from '../database/database.ts';
import type { IssuedLink } from '../messages/link-request.ts';
import { messageAddress } from '../messages/message.ts';
import { jsonIn } from '../outbox/delivery.ts';
import type { App } from '../parts.ts';
import { endedSessionOf, type SessionEnd } from '../sessions/session-ends.ts';
import type { EndedSession, Queued, SessionEvents } from '../sessions/subscribers.ts';
import { cardIdOf } from '../sessions/watch-links.ts';
import { mayMatch } from '../subscriptions/subscribers.ts';
import { isNamed, type WebhookAddress, type WebhookAddresses } from './addresses.ts';
import { linkOpenedBody, outcomeChangedBody, sessionEndedBody, type WebhookEvent } from './bodies.ts';

const WebhookPayload = z.object({
  event: z.string(),
  /** What is sent at every try, but for what is said of the customer. */
  body: z.string(),
  /** The session, where Slack or the service has to be asked whether the address wants it. */
  unsure: z.object({ seconds: z.number().optional() }).optional(),
  visitorId: z.string(),
  userId: z.string(),
});

export const messageColumns = sql`workspace_id, id, address_id, payload, attempts, deaths`;

export const MessageRow = rowOf({
  workspaceId: z.string(),
  /** Its `webhook-id`. */
  id: z.string(),
  addressId: z.string(),
  /** Undefined where it can't be read. */
  payload: jsonIn(WebhookPayload),
  /** Including this one. */
  attempts: z.number(),
  /** How many attempts in a row, before this one, ended with their process. */
  deaths: z.number(),
});
/** A message to an address that this process has claimed. */
export type WebhookMessage = Readonly<z.infer<typeof MessageRow>>;

/** Whether no other process has claimed it since: each claim counts an attempt. */
export const isStillClaimed = ({ workspaceId, id, attempts }: WebhookMessage): Sql =>
  sql`workspace_id = ${workspaceId} AND id = ${id} AND state = 'waiting' AND attempts = ${attempts}
    AND claimed_until IS NOT NULL`;

const Post = rowOf({ channelId: z.string(), ts: z.string() });
type Post = Readonly<z.infer<typeof Post>>;

interface Event {
  readonly event: WebhookEvent;
  readonly link: IssuedLink;
  /** Tells events of the same name and link apart. */
  readonly change: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly session: EndedSession;
  readonly bodyWith: (cardUrl: string | undefined) => object;
  readonly findPost: () => Promise<Post | undefined>;
}

function statementFor(address: WebhookAddress, told: Event, body: string): Sql {
  const { event, link, change, at, session } = told;
  const { workspaceId, linkId, visitorId, userId } = link;
  const isUnsure = mayMatch(address.filters, session) === undefined;
  const unsure = isUnsure ? { seconds: session.seconds } : undefined;
  const payload: z.infer<typeof WebhookPayload> = { event, body, visitorId, userId, unsure };
  // The same at every try, and for an event that comes again after the database was put back to a backup.
  const named = JSON.stringify([workspaceId, address.id, linkId, event, change]);
  const id = `msg_${createHash('sha256').update(named).digest('hex').slice(0, 32)}`;
  // It may have been removed since it was read.
  return sql`INSERT INTO webhook_messages (workspace_id, id, address_id, link_id, number, payload, state, queued_at,
      due_at, attempts, deaths)
    SELECT ${workspaceId}, ${id}, ${address.id}, ${linkId}, COALESCE((SELECT MAX(number) + 1 FROM webhook_messages
        WHERE workspace_id = ${workspaceId} AND address_id = ${address.id} AND link_id = ${linkId}), 1),
      ${JSON.stringify(payload)}, 'waiting', CAST(${at} AS BIGINT), CAST(${at} AS BIGINT), 0, 0
    WHERE EXISTS (SELECT 1 FROM webhook_addresses WHERE ${isNamed(address)} AND off_at IS NULL)
    ON CONFLICT (workspace_id, id) DO NOTHING`;
}

/** Queues what addresses are told, in the write that records it. Costs nothing where there is no address. */
export function createWebhookQueue(
  { database, installedAs }: Pick<App, 'installedAs'> & { readonly database: Pick<Database, 'read'> },
  addresses: Pick<WebhookAddresses, 'list'>,
  wake: () => void,
): SessionEvents {
  async function cardUrlOf({ link: { workspaceId }, findPost }: Event): Promise<string | undefined> {
    const posted = await findPost();
    if (posted === undefined) return undefined;
    const { url } = await installedAs(workspaceId).catch(() => ({ url: undefined }));
    return messageAddress(url, posted.channelId, posted.ts);
  }

  async function queue(one: Event): Promise<Queued> {
    const all = await addresses.list(one.link.workspaceId);
    const wanting = all.filter(
      ({ events, filters }) => events.includes(one.event) && mayMatch(filters, one.session) !== false,
    );
    if (wanting.length === 0) return { statements: [], accepted: () => undefined };
    const body = JSON.stringify(one.bodyWith(await cardUrlOf(one)));
    return { statements: wanting.map((address) => statementFor(address, one, body)), accepted: wake };
  }

  async function cardOf({ link }: SessionEnd): Promise<Post | undefined> {
    const [card] = await database.read(
      sql`SELECT post_channel_id AS channel_id, post_ts AS ts FROM deliveries
        WHERE id = (${cardIdOf(link)}) AND post_channel_id IS NOT NULL AND post_ts IS NOT NULL`,
      Post,
    );
    return card;
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
        // How long it will take isn't known, so filters by length let it through.
        session: { workspaceId, visitorId, userId, seconds: undefined },
        bodyWith: (cardUrl) => linkOpenedBody(recorded, cardUrl),
        // It's posted later.
        findPost: async () => undefined,
      });
    },
    ended: (end) =>
      queue({
        event: 'session.ended',
        link: end.link,
        change: end.sessionId,
        at: end.receivedAt,
        session: endedSessionOf(end),
        bodyWith: (cardUrl) => sessionEndedBody(end, cardUrl),
        findPost: () => cardOf(end),
      }),
    outcomeChanged: (end, set) =>
      queue({
        event: 'session.outcome_changed',
        link: end.link,
        change: JSON.stringify([end.sessionId, set.outcome, set.at]),
        at: set.at,
        session: endedSessionOf(end),
        bodyWith: (cardUrl) => outcomeChangedBody(end, set, cardUrl),
        findPost: async () => {
          const { channelId, ts } = end.summary ?? {};
          return channelId === undefined || ts === undefined ? undefined : { channelId, ts };
        },
      }),
  };
}
