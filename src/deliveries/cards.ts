import { z } from 'zod';
import { rowsOf } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { list, sql } from '../database/sql.ts';
import type { Sql } from '../database/sql.ts';
import type { IssuedLink } from '../links/order.ts';
import { wakeChannelOf } from './channels.ts';
import { insertDelivery } from './delivery.ts';
import type { Content, Delivery } from './delivery.ts';
import type { FindPosts } from './post.ts';

/*
 * The card: the channel's one message about a watch link, which becomes the summary when the session ends. The service
 * tells of no start, so that the card says only what is known: somebody was given a link.
 */

/** A press soon after another for the same screen, with the same access, by the same person in the same place, has the same card. */
const SHARED_MS = 10 * 60_000;
/** A card that comes later than that is news to nobody. */
const LATEST_CARD_MS = 30 * 60_000;
/** By then a post whose answer was lost has arrived, if ever it does. */
export const RECHECK_AFTER_MS = 60_000;

/** What the keys of cards in a place begin with. As JSON, none is the beginning of another. */
const placeKey = ({ channelId = '', threadTs = '', userId, visitorId, access }: IssuedLink): string =>
  `card in ${JSON.stringify([channelId, threadTs, userId, access, visitorId])}`;

const unshared = sql`dedupe_key = 'card ' || id`;

/** The card of a link that goes out. */
export interface LinkCard {
  /** The id that is recorded with the link: a card's that was just posted for another, or the new one's. */
  readonly id: Sql;
  /** The statements that accept the new card where the link has it, after the link in the same write. */
  readonly statements: readonly Sql[];
}

/**
 * A link without a channel has no card.
 *
 * @param agent what the service calls the agent
 */
export function cardOf(
  link: IssuedLink,
  agent: string,
  { id, time }: { readonly id: string; readonly time: number },
): LinkCard {
  const { workspaceId, channelId, threadTs, linkId } = link;
  if (channelId === undefined) return { id: sql`CAST(NULL AS TEXT)`, statements: [] };
  const place = placeKey(link);
  const card = {
    id,
    workspaceId,
    key: `${place} ${id}`,
    kind: 'card',
    channelId,
    threadTs,
    acceptedAt: time,
    notAfter: time + LATEST_CARD_MS,
    payload: { link, agent },
  } as const;
  return {
    id: sql`COALESCE((SELECT id FROM deliveries WHERE workspace_id = ${workspaceId}
        AND dedupe_key >= ${`${place} `} AND dedupe_key < ${`${place}!`}
        AND accepted_at > ${time - SHARED_MS} AND accepted_at <= ${time} AND taken_by IS NULL
        AND state IN ('waiting', 'sending', 'posted')
      ORDER BY dedupe_key DESC LIMIT 1), ${id})`,
    statements: [
      insertDelivery(
        card,
        sql`EXISTS (SELECT 1 FROM watch_links WHERE workspace_id = ${workspaceId} AND id = ${linkId}
          AND card_id = ${id})`,
      ),
      wakeChannelOf(id),
    ],
  };
}

/** The id of a link's card, in a statement. */
export const cardIdOf = ({ workspaceId, linkId }: Pick<IssuedLink, 'workspaceId' | 'linkId'>): Sql =>
  sql`SELECT card_id FROM watch_links WHERE workspace_id = ${workspaceId} AND id = ${linkId}`;

/**
 * The statements that have the card of a link say that it came to nothing, unless the card is a summary already, or also
 * that of one of `others`, whose end is still looked for. A summary that comes after all takes its place.
 */
export function conclusionStatements(
  link: IssuedLink,
  concluded: 'unused' | 'unknown',
  others: readonly IssuedLink[],
  { id, time }: { readonly id: string; readonly time: number },
): readonly Sql[] {
  const { workspaceId, channelId, threadTs, linkId } = link;
  if (channelId === undefined) return [];
  const card = cardIdOf(link);
  const isOthers =
    others.length === 0
      ? sql`1 = 0`
      : sql`EXISTS (SELECT 1 FROM watch_links AS sharing WHERE sharing.card_id = card.id
          AND sharing.id IN (${list(others.map((other) => sql`${other.linkId}`))}))`;
  return [
    insertDelivery(
      {
        id,
        workspaceId,
        key: `conclusion of ${linkId}`,
        kind: 'card',
        channelId,
        threadTs,
        acceptedAt: time,
        replaces: sql`(${card})`,
        payload: { link, concluded },
      },
      sql`EXISTS (SELECT 1 FROM deliveries AS card WHERE card.id = (${card}) AND card.taken_by IS NULL
        AND NOT ${isOthers})`,
    ),
    // What is said of this link is not said of the next.
    sql`UPDATE deliveries SET ${unshared} WHERE id = (SELECT replaces_id FROM deliveries WHERE id = ${id})`,
    wakeChannelOf(id),
  ];
}

/**
 * The statements that have the card of a link say that a look-up saw its session run, once. Nothing where the card isn't
 * posted, or is a summary already.
 */
export function inSessionStatements(
  link: IssuedLink,
  seenAt: number,
  { id, time }: { readonly id: string; readonly time: number },
): readonly Sql[] {
  const { workspaceId, channelId, threadTs, linkId } = link;
  if (channelId === undefined) return [];
  const card = cardIdOf(link);
  return [
    insertDelivery(
      {
        id,
        workspaceId,
        key: `in session ${linkId}`,
        kind: 'card',
        channelId,
        threadTs,
        acceptedAt: time,
        replaces: sql`(${card})`,
        payload: { link, seenAt },
      },
      sql`EXISTS (SELECT 1 FROM deliveries AS card WHERE card.id = (${card}) AND card.taken_by IS NULL
        AND card.state = 'posted')`,
    ),
    wakeChannelOf(id),
  ];
}

/**
 * The statements that give a card back which a summary was to replace and could not, and have it say so: nothing is left
 * to stop or to wait for there. A summary that comes after all takes its place.
 */
export function giveBackStatements(
  summary: Pick<Content, 'id' | 'kind' | 'channelId' | 'threadTs' | 'end' | 'replacesId'> | undefined,
  { id, time }: { readonly id: string; readonly time: number },
): readonly Sql[] {
  if (summary?.kind !== 'summary' || summary.end === undefined || summary.replacesId === undefined) return [];
  const { id: summaryId, channelId, threadTs, end, replacesId } = summary;
  const isItsCard = sql`id = ${replacesId} AND state = 'posted'
    AND (taken_by IS NULL OR taken_by = ${summaryId})`;
  const said = {
    id,
    workspaceId: end.link.workspaceId,
    key: `undelivered ${summaryId} ${id}`,
    kind: 'card',
    channelId,
    threadTs,
    acceptedAt: time,
    replaces: sql`CAST(${replacesId} AS TEXT)`,
    payload: { link: end.link, concluded: 'undelivered' },
  } as const;
  return [
    insertDelivery(said, sql`EXISTS (SELECT 1 FROM deliveries WHERE ${isItsCard})`),
    // What is said of this link is not said of the next.
    sql`UPDATE deliveries SET taken_by = NULL, ${unshared} WHERE ${isItsCard}`,
    wakeChannelOf(id),
  ];
}

const CardRow = z.object({
  id: z.string(),
  state: z.string(),
  post_ts: z.string().nullable(),
  attempted_at: z.number().nullable(),
});

/** The message that a card is, if it is one; `again` where Slack can't say yet. */
export type CardMessage =
  | { readonly ts: string }
  | { readonly again: { readonly reason: string; readonly afterMs?: number } }
  | undefined;

interface CardsParts {
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly find: FindPosts;
  readonly now: () => number;
}

/** What stands in a card's place, under the turn of its channel: nobody posts the card meanwhile. */
export interface Cards {
  /**
   * Whether a card is still news. Once the sessions of all its links have ended it promises nothing: a session can end
   * before its link is on record, and then the summary knows of no card.
   */
  isAwaited(cardId: string): Promise<boolean>;
  /** The card that a delivery changes. One that was never sent isn't sent any more. Undefined, too, where another has it. */
  messageFor(delivery: Delivery): Promise<CardMessage>;
}

export function createCards({ database, find, now }: CardsParts): Cards {
  /** What is known of the card. A summary takes it for itself; the word that a link came to nothing leaves it free. */
  async function look({ id, kind, replacesId }: Delivery) {
    const isUnsent = sql`state = 'waiting' AND attempted_at IS NULL`;
    const [written] = await database.write(
      sql`UPDATE deliveries SET taken_by = ${kind === 'summary' ? id : null},
          reason = CASE WHEN ${isUnsent} THEN 'superseded' ELSE reason END,
          settled_at = CASE WHEN ${isUnsent} THEN ${now()} ELSE settled_at END,
          state = CASE WHEN ${isUnsent} THEN 'skipped' ELSE state END
        WHERE id = ${replacesId ?? ''} AND (taken_by IS NULL OR taken_by = ${id})
        RETURNING id, state, post_ts, attempted_at`,
    );
    return rowsOf(written, CardRow)[0];
  }

  async function settle(cardId: string, ts: string | undefined): Promise<void> {
    await database.write(
      ts === undefined
        ? // It may arrive yet, and is then removed.
          sql`UPDATE deliveries SET state = 'skipped', reason = 'superseded', settled_at = ${now()},
            recheck_at = ${now() + RECHECK_AFTER_MS} WHERE id = ${cardId}`
        : sql`UPDATE deliveries SET state = 'posted', reason = NULL, post_ts = ${ts}, settled_at = ${now()}
            WHERE id = ${cardId}`,
    );
  }

  return {
    async isAwaited(cardId) {
      const [open] = await database.read(
        sql`SELECT id FROM watch_links WHERE card_id = ${cardId} AND NOT EXISTS (SELECT 1 FROM session_ends
          WHERE session_ends.workspace_id = watch_links.workspace_id AND link_id = watch_links.id) LIMIT 1`,
        z.object({ id: z.string() }),
      );
      return open !== undefined;
    },
    async messageFor(delivery) {
      const card = await look(delivery);
      if (card === undefined) return undefined;
      if (card.state === 'posted') return card.post_ts === null ? undefined : { ts: card.post_ts };
      if (!['waiting', 'sending'].includes(card.state)) return undefined;
      const { workspaceId, channelId: to, threadTs } = delivery;
      const seen = await find({ workspaceId, to, threadTs }, card.id, card.attempted_at ?? now());
      if ('outcome' in seen && seen.outcome === 'later') return { again: seen };
      const [ts] = 'found' in seen ? seen.found : [];
      await settle(card.id, ts);
      return ts === undefined ? undefined : { ts };
    },
  };
}
