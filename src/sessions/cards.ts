import { z } from 'zod';
import { AnyRow, list, rowsOf, sql } from '../database/database.ts';
import type { Database, Sql } from '../database/database.ts';
import type { IssuedLink } from '../messages/link-request.ts';
import { lockChannel, wakeChannelOf } from '../outbox/channels.ts';
import { insertDelivery } from '../outbox/delivery.ts';
import type { Content, Delivery } from '../outbox/delivery.ts';
import type { FindPosts } from '../outbox/post.ts';
import { troubleKind } from '../outbox/trouble.ts';

/*
 * The card: the channel's one message about a watch link, which becomes the summary when the session ends. The service
 * doesn't report when a session starts, so the card says only what is known: somebody asked to see a screen.
 */

/**
 * Presses within this time for the same screen, with the same access, by the same person in the same place, share a
 * card.
 */
const SHARED_MS = 10 * 60_000;
/** A card later than this is no longer news. */
const LATEST_CARD_MS = 30 * 60_000;
/** By then a post whose answer was lost has arrived, if it ever will. */
export const RECHECK_AFTER_MS = 60_000;

/** How the keys of cards in a place begin. As JSON, no such prefix is the prefix of another. */
const placeKey = ({ channelId = '', threadTs = '', userId, visitorId, access }: IssuedLink): string =>
  `card in ${JSON.stringify([channelId, threadTs, userId, access, visitorId])}`;

const unshared = sql`dedupe_key = 'card ' || id`;

/** The card of a new link. */
export interface LinkCard {
  /** Come first in the write: of two links at once, the second sees the card of the first. */
  readonly locks: readonly Sql[];
  /** The id to record with the link: that of a card just posted for another link, or of the new one. */
  readonly id: Sql;
  /** Accept the new card if the link uses it; they follow the link in the same write. */
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
  if (channelId === undefined) return { locks: [], id: sql`CAST(NULL AS TEXT)`, statements: [] };
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
    locks: [lockChannel({ workspaceId, channelId })],
    id: sql`COALESCE((SELECT id FROM deliveries WHERE workspace_id = ${workspaceId}
        AND dedupe_key >= ${`${place} `} AND dedupe_key < ${`${place}!`}
        AND accepted_at > ${time - SHARED_MS} AND accepted_at < ${time + SHARED_MS} AND taken_by IS NULL
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
 * Statements that make a link's card say it came to nothing. They do nothing if the card is already a summary, or also
 * belongs to one of `others`, whose end is still looked for. A summary that arrives after all replaces it.
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
    // What the card says about this link isn't true of the next.
    sql`UPDATE deliveries SET ${unshared} WHERE id = (SELECT replaces_id FROM deliveries WHERE id = ${id})`,
    wakeChannelOf(id),
  ];
}

/**
 * Statements that make a link's card say, once, that its session was seen running. Nothing happens if the card isn't
 * posted, or is already a summary.
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
 * Statements that give back a card that a summary couldn't replace, and make it say so: there's nothing left to stop or
 * wait for. A summary that arrives after all replaces it.
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
    // What the card says about this link isn't true of the next.
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

/** The message of a card, if there is one; `again` if Slack can't say yet. */
export type CardMessage =
  | { readonly ts: string }
  | { readonly again: { readonly reason: string; readonly afterMs?: number } }
  | undefined;

interface CardsParts {
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly find: FindPosts;
  readonly now: () => number;
}

/** What replaces a card. Used only with the turn of its channel, so that the card isn't posted in the meantime. */
export interface Cards {
  /**
   * Whether a card is still news. Not once the sessions of all its links have ended. A session can even end before its
   * link is recorded, and then the summary doesn't know about a card.
   */
  isAwaited(cardId: string): Promise<boolean>;
  /**
   * The card that a delivery changes. If it was never sent, it's no longer sent. Also undefined if another delivery has
   * it.
   */
  messageFor(delivery: Delivery): Promise<CardMessage>;
}

export function createCards({ database, find, now }: CardsParts): Cards {
  /** What we know about the card. A summary takes it over; saying that a link came to nothing leaves it free. */
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

  async function finish(cardId: string, ts: string | undefined): Promise<void> {
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
        AnyRow,
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
      if ('outcome' in seen && (seen.outcome === 'later' || troubleKind(seen.reason) === 'refused-token'))
        return { again: seen };
      const [ts] = 'found' in seen ? seen.found : [];
      await finish(card.id, ts);
      return ts === undefined ? undefined : { ts };
    },
  };
}
