import { z } from 'zod';
import type { PreparedEntry } from '../audit/audit.ts';
import { sql } from '../database/database.ts';
import type { Database, Sql } from '../database/database.ts';
import { hasComeIn } from '../database/row-times.ts';
import type { IssuedLink } from '../messages/link-request.ts';
import { wakeChannelOf } from '../outbox/channels.ts';
import { insertDelivery } from '../outbox/delivery.ts';
import type { NewId } from '../outbox/delivery.ts';
import { askedOnCardStatements } from './cards.ts';
import { IN_USE_MS } from './watch-links.ts';

/** For this long nobody is asked again about the same visitor, whoever asks. */
const ONCE_IN_MS = 10 * 60_000;
/** Longer than a session lasts. */
const KEPT_MS = 24 * 60 * 60_000;
/** More than anybody asks about one session. */
const MOST_ON_A_CARD = 10;

/** Where the session belongs that somebody is asked to look at. */
interface Place {
  readonly channelId?: string | undefined;
  readonly threadTs?: string | undefined;
}

/** Somebody is to be asked to look at a visitor's screen. */
export interface NewAsk extends Place {
  readonly workspaceId: string;
  readonly visitorId: string;
  readonly askedBy: string;
  readonly askedId: string;
  /** Why, in the asker's words. */
  readonly reason: string | undefined;
  /** The link whose card has the button that was pressed; undefined elsewhere. */
  readonly linkId: string | undefined;
}

/** What the table says about somebody who was asked. */
export interface Ask extends Place {
  /** That of the message that asks them. */
  readonly id: string;
  readonly askedBy: string;
  readonly at: Date;
  readonly reason: string | undefined;
  /** That of the session they were asked to look at. */
  readonly ticketUrl: string | undefined;
}

/** Somebody a card names as asked. */
export interface AskedPerson {
  readonly userId: string;
  readonly hasOpened: boolean;
}

/** Who was asked to look at which visitor's screen. All reject with a DatabaseError. */
export interface Asks {
  /**
   * Queues the message to them, with the entry and what the card then says, in one commit. Undefined if it did; if they
   * were asked about the same visitor in the last ten minutes, what was asked then.
   */
  ask(asked: NewAsk, entry: PreparedEntry): Promise<Ask | undefined>;
  /** The latest, of the last day. */
  latest(workspaceId: string, visitorId: string, askedId: string): Promise<Ask | undefined>;
  onCard(workspaceId: string, cardId: string): Promise<readonly AskedPerson[]>;
  /** Statements that make the asker's card say that this link's agent, who was asked, has opened one. */
  openedStatements(link: IssuedLink): readonly Sql[];
}

const Row = z
  .object({
    id: z.string(),
    asked_by: z.string(),
    asked_at: z.number(),
    reason: z.string().nullable(),
    channel_id: z.string().nullable(),
    thread_ts: z.string().nullable(),
    ticket_url: z.string().nullable(),
  })
  .transform((row): Ask => ({
    id: row.id,
    askedBy: row.asked_by,
    at: new Date(row.asked_at),
    reason: row.reason ?? undefined,
    channelId: row.channel_id ?? undefined,
    threadTs: row.thread_ts ?? undefined,
    ticketUrl: row.ticket_url ?? undefined,
  }));

const SessionRow = z
  .object({
    channel_id: z.string().nullable(),
    thread_ts: z.string().nullable(),
    card_id: z.string().nullable(),
  })
  .transform((row) => ({
    channelId: row.channel_id ?? undefined,
    threadTs: row.thread_ts ?? undefined,
    cardId: row.card_id,
  }));

const AskedRow = z
  .object({ asked_id: z.string(), has_opened: z.number() })
  .transform((row): AskedPerson => ({ userId: row.asked_id, hasOpened: row.has_opened === 1 }));

/** Removes some of those that nobody needs any more. */
export const removeOldAsks = (until: number, limit: number): Sql =>
  sql`DELETE FROM asks WHERE (workspace_id, visitor_id, asked_id) IN (
    SELECT workspace_id, visitor_id, asked_id FROM asks WHERE asked_at <= ${until - KEPT_MS} LIMIT ${limit})`;

const cardOf = (workspaceId: string, visitorId: string, askedId: string): Sql =>
  sql`SELECT card_id FROM asks
    WHERE workspace_id = ${workspaceId} AND visitor_id = ${visitorId} AND asked_id = ${askedId}`;

/** @param now milliseconds since 1970 */
export function createAsks(
  database: Pick<Database, 'read' | 'writeIf'>,
  newId: NewId,
  now: () => number,
): Asks {
  async function latest(workspaceId: string, visitorId: string, askedId: string): Promise<Ask | undefined> {
    const [row] = await database.read(
      // Links with the same card have the same ticket.
      sql`SELECT id, asked_by, asked_at, reason, channel_id, thread_ts, (SELECT ticket_url FROM watch_links
          WHERE watch_links.card_id = asks.card_id LIMIT 1) AS ticket_url FROM asks
        WHERE workspace_id = ${workspaceId} AND visitor_id = ${visitorId} AND asked_id = ${askedId}`,
      Row,
    );
    return row;
  }

  /** The session that is meant: that of the card with the button, or the asker's own. */
  async function sessionOf({ workspaceId, visitorId, askedBy, linkId }: NewAsk, time: number) {
    const isMeant =
      linkId === undefined
        ? sql`user_id = ${askedBy} AND state = 'open' AND issued_at >= ${time - IN_USE_MS}`
        : sql`id = ${linkId}`;
    const [session] = await database.read(
      sql`SELECT channel_id, thread_ts, card_id FROM watch_links
        WHERE workspace_id = ${workspaceId} AND visitor_id = ${visitorId} AND ${isMeant}
        ORDER BY issued_at DESC LIMIT 1`,
      SessionRow,
    );
    return session;
  }

  return {
    async ask(asked, entry) {
      const { workspaceId, visitorId, askedId, askedBy, reason } = asked;
      const time = Math.round(now());
      const { cardId = null, ...place } = (await sessionOf(asked, time)) ?? {
        channelId: asked.channelId,
        threadTs: asked.threadTs,
      };
      const id = newId();
      const message = {
        id,
        workspaceId,
        key: `ask ${id}`,
        kind: 'ask',
        channelId: askedId,
        acceptedAt: time,
        payload: { visitorId, askedBy },
      };
      const card = cardOf(workspaceId, visitorId, askedId);
      const written = await database.writeIf(
        sql`INSERT INTO asks (workspace_id, visitor_id, asked_id, id, asked_by, asked_at, free_at, reason, channel_id,
            thread_ts, card_id)
          VALUES (${workspaceId}, ${visitorId}, ${askedId}, ${id}, ${askedBy}, ${time}, ${time + ONCE_IN_MS},
            ${reason ?? null}, ${place.channelId ?? null}, ${place.threadTs ?? null}, ${cardId})
          ON CONFLICT (workspace_id, visitor_id, asked_id) DO UPDATE SET id = excluded.id,
            asked_by = excluded.asked_by, asked_at = excluded.asked_at, free_at = excluded.free_at,
            reason = excluded.reason, channel_id = excluded.channel_id, thread_ts = excluded.thread_ts,
            card_id = excluded.card_id
          WHERE ${hasComeIn(sql`asks.free_at`, time, ONCE_IN_MS)}`,
        insertDelivery(message),
        wakeChannelOf(id),
        entry.statement,
        ...askedOnCardStatements({ workspaceId, ...place, card }, { id: newId(), time }),
      );
      if (written === undefined) return latest(workspaceId, visitorId, askedId);
      entry.report();
      return undefined;
    },
    latest,
    onCard: (workspaceId, cardId) =>
      database.read(
        sql`SELECT asked_id, CASE WHEN EXISTS (SELECT 1 FROM watch_links
            WHERE watch_links.workspace_id = asks.workspace_id AND watch_links.visitor_id = asks.visitor_id
              AND user_id = asked_id AND issued_at >= asked_at) THEN 1 ELSE 0 END AS has_opened
          FROM asks WHERE workspace_id = ${workspaceId} AND card_id = ${cardId}
          ORDER BY asked_at, asked_id LIMIT ${MOST_ON_A_CARD}`,
        AskedRow,
      ),
    openedStatements({ workspaceId, visitorId, userId, channelId, threadTs, isAsked }) {
      if (isAsked === undefined) return [];
      const place = { workspaceId, channelId, threadTs };
      const card = cardOf(workspaceId, visitorId, userId);
      return askedOnCardStatements({ ...place, card }, { id: newId(), time: Math.round(now()) });
    },
  };
}
