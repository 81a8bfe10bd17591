import { sql, type Sql } from '../database/database.ts';
import type { IssuedLink } from '../messages/link-request.ts';
import { wakeChannel, wakeChannelOf } from '../outbox/channels.ts';
import { insertDelivery, type Delivery, type NewDelivery } from '../outbox/delivery.ts';
import type { SessionEnd } from './session-ends.ts';
import { cardIdOf } from './watch-links.ts';

/* The card: the channel's one message about a watch link, which becomes the summary when the session ends. */

export interface Asked {
  readonly askedId: string;
  /** For a channel: who took it. */
  readonly takenBy?: string;
}

/** Who was asked to look at which visitor's screen, for the cards. All reject with a DatabaseError. */
export interface Asks {
  onCard(workspaceId: string, cardId: string): Promise<readonly Asked[]>;
  /** Records the card of the session that this link's agent was asked to look at. */
  openedStatements(link: IssuedLink): readonly Sql[];
}

/** Presses within this time for the same screen, ticket and access, by the same person in the same place, share a card. */
const SHARED_MS = 10 * 60_000;
const LATEST_CARD_MS = 30 * 60_000;

/** How the keys of cards in a place begin. As JSON, no such prefix is the prefix of another. */
const placeKey = (link: IssuedLink): string => {
  const { channelId = '', threadTs = '', userId, visitorId, access, ticketUrl } = link;
  const about = ticketUrl === undefined ? [visitorId] : [visitorId, ticketUrl];
  return `card in ${JSON.stringify([channelId, threadTs, userId, access, ...about])}`;
};

const unshared = sql`dedupe_key = 'card ' || id`;

interface Accepting {
  readonly id: string;
  readonly time: number;
}

export function cardOf(link: IssuedLink, agent: string, { id, time }: Accepting) {
  const { workspaceId, channelId, threadTs, linkId } = link;
  if (channelId === undefined) return { wake: [], id: sql`CAST(NULL AS TEXT)`, insert: [] };
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
    /** Comes first in the write, and locks the channel: of two links at once, the second sees the card of the first. */
    wake: [wakeChannel({ workspaceId, channelId }, time)],
    /** The card to record with the link: one just posted for another link, or the new one. */
    id: sql`COALESCE((SELECT id FROM deliveries WHERE workspace_id = ${workspaceId}
        AND dedupe_key >= ${`${place} `} AND dedupe_key < ${`${place}!`}
        AND accepted_at > ${time - SHARED_MS} AND accepted_at < ${time + SHARED_MS} AND taken_by IS NULL
        AND state IN ('waiting', 'sending', 'posted')
      ORDER BY dedupe_key DESC LIMIT 1), ${id})`,
    /** Accepts the new card if the link uses it; it follows the link in the same write. */
    insert: [
      insertDelivery(
        card,
        sql`EXISTS (SELECT 1 FROM watch_links WHERE workspace_id = ${workspaceId} AND id = ${linkId}
          AND card_id = ${id})`,
      ),
    ],
  };
}

/** `replaces` gives the card's id, and `condition` is about `card`, its delivery. */
interface CardChange extends Pick<NewDelivery, 'key' | 'payload'> {
  readonly kind: 'card' | 'asked-card';
  readonly replaces: Sql;
  readonly condition: Sql;
  readonly also?: readonly Sql[];
}

function changeStatements(
  { workspaceId, channelId, threadTs }: Pick<IssuedLink, 'workspaceId' | 'channelId' | 'threadTs'>,
  { id, time }: Accepting,
  { replaces: card, condition, also = [], ...change }: CardChange,
): readonly Sql[] {
  if (channelId === undefined) return [];
  return [
    insertDelivery(
      { ...change, id, workspaceId, channelId, threadTs, acceptedAt: time, replaces: sql`(${card})` },
      sql`EXISTS (SELECT 1 FROM deliveries AS card WHERE card.id = (${card}) AND card.taken_by IS NULL
        AND ${condition})`,
    ),
    ...also,
    wakeChannelOf(id),
  ];
}

/** For the write that concludes a link: make its card say so, unless it also belongs to one whose end isn't known. */
export const conclusionStatements = (
  link: IssuedLink,
  concluded: 'unused' | 'unknown',
  accepting: Accepting,
): readonly Sql[] =>
  changeStatements(link, accepting, {
    key: `conclusion of ${link.linkId}`,
    kind: 'card',
    replaces: cardIdOf(link),
    payload: { link, concluded },
    condition: sql`NOT ${isOpen(sql`card.id`)}`,
    // What the card says about this link isn't true of the next.
    also: [
      sql`UPDATE deliveries SET ${unshared} WHERE id = (SELECT replaces_id FROM deliveries WHERE id = ${accepting.id})`,
    ],
  });

/** Make a link's card, where it's posted, say once that its session was seen running. */
export const inSessionStatements = (link: IssuedLink, seenAt: number, accepting: Accepting): readonly Sql[] =>
  changeStatements(link, accepting, {
    key: `in session ${link.linkId}`,
    kind: 'card',
    replaces: cardIdOf(link),
    payload: { link, seenAt },
    condition: sql`card.state = 'posted'`,
  });

/** Whether a card has a link whose end isn't known yet. */
export const isOpen = (cardId: Sql): Sql =>
  sql`EXISTS (SELECT 1 FROM watch_links WHERE card_id = ${cardId} AND state = 'open')`;

/** The ticket of a card's session, as `ticket_url`: links with the same card have the same one. */
export const ticketOf = (cardId: Sql): Sql =>
  sql`(SELECT ticket_url FROM watch_links WHERE watch_links.card_id = ${cardId} LIMIT 1) AS ticket_url`;

/** Of a card. Where its answer was lost, a change looks for it. */
const mayBeThere = sql`(state = 'posted' OR (state IN ('waiting', 'sending') AND attempted_at IS NOT NULL))`;

/** Make a card say who was asked to look and who took it; nothing if it's never posted or has nothing open any more. */
export const askedOnCardStatements = (
  { card, ...place }: Pick<IssuedLink, 'workspaceId' | 'channelId' | 'threadTs'> & { readonly card: Sql },
  accepting: Accepting,
): readonly Sql[] =>
  changeStatements(place, accepting, {
    key: `asked ${accepting.id}`,
    kind: 'asked-card',
    replaces: card,
    condition: sql`${mayBeThere} AND ${isOpen(sql`card.id`)}`,
  });

/** The payload of a card that has something open, or of its change that says that the session runs. */
export const openCardPayload = (workspaceId: string, cardId: string): Sql =>
  sql`SELECT payload FROM deliveries WHERE ${isOpen(sql`${cardId}`)} AND id = COALESCE(
    (SELECT MAX(change.id) FROM watch_links CROSS JOIN deliveries AS change
      WHERE card_id = ${cardId} AND change.workspace_id = ${workspaceId}
        AND change.dedupe_key = 'in session ' || watch_links.id), ${cardId})`;

/** Give back a card that a summary couldn't replace, and make it say so. A summary that arrives after all replaces it. */
export function giveBackStatements(
  summary: Pick<Delivery, 'id' | 'channelId' | 'threadTs' | 'replacesId'>,
  end: SessionEnd | undefined,
  { id, time }: Accepting,
): readonly Sql[] {
  const { id: summaryId, channelId, threadTs, replacesId } = summary;
  if (end === undefined || replacesId === undefined) return [];
  const isItsCard = sql`id = ${replacesId} AND (taken_by IS NULL OR taken_by = ${summaryId})
    AND ${mayBeThere}`;
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
    sql`UPDATE deliveries SET taken_by = NULL, ${unshared} WHERE ${isItsCard}`,
    wakeChannelOf(id),
  ];
}
