import { z } from 'zod';
import type { PreparedEntry } from '../audit/audit.ts';
import { sql, hasComeIn, type Database, type Sql } from '../database/database.ts';
import { inOrderOfChannels, wakeChannelOf } from '../outbox/channels.ts';
import { insertDelivery, type NewId } from '../outbox/delivery.ts';
import { isChannel } from '../permissions/slack-ids.ts';
import type { Asked, Asks as AskedOnCards } from '../sessions/asked.ts';
import { askedOnCardStatements, isOpen, ticketOf } from '../sessions/cards.ts';
import { askChangeStatements, openTimes } from './channel-asks.ts';
import { IN_USE_MS } from '../sessions/watch-links.ts';

/** For this long nobody is asked again about the same visitor, whoever asks. */
const ONCE_IN_MS = 10 * 60_000;
/** Longer than a session lasts. */
const KEPT_MS = 24 * 60 * 60_000;
/** More than anybody asks about one session. */
const MOST_ON_A_CARD = 10;

/** Where the session belongs that somebody is asked to look at. */
interface Place {
  readonly channelId?: string;
  readonly threadTs?: string;
}

/** Somebody is to be asked to look at a visitor's screen. */
export interface NewAsk extends Place {
  readonly workspaceId: string;
  readonly visitorId: string;
  readonly askedBy: string;
  /** A person, or a channel. */
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

/** Who was asked to look at which visitor's screen. All reject with a DatabaseError. */
export interface Asks extends AskedOnCards {
  /**
   * Queues the message to them, with the entry and what the card then says, in one commit. Undefined if it did; if they
   * were asked about the same visitor in the last ten minutes, what was asked then.
   */
  ask(asked: NewAsk, entry: PreparedEntry): Promise<Ask | undefined>;
  /** The latest, of the last day. */
  latest(workspaceId: string, visitorId: string, askedId: string): Promise<Ask | undefined>;
  /** Statements that forget one that Slack refused: it doesn't count, and the asker's card no longer has it. */
  forgetStatements(asked: {
    readonly id: string;
    readonly workspaceId: string;
    readonly visitorId: string;
  }): Promise<readonly Sql[]>;
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
  .object({ asked_id: z.string(), taken_by: z.string().nullable(), has_opened: z.number() })
  .transform((row): Asked => ({
    askedId: row.asked_id,
    takenBy: row.taken_by ?? undefined,
    hasOpened: row.has_opened === 1,
  }));

const NobodyRow = z.object({ asked_id: z.null() }).transform(() => undefined);

/** Where it shows that somebody who was asked did something. */
const ShownRow = z
  .object({
    id: z.string(),
    asked_id: z.string(),
    asked_by: z.string(),
    taken_by: z.string().nullable(),
    channel_id: z.string().nullable(),
    thread_ts: z.string().nullable(),
    card_id: z.string().nullable(),
  })
  .transform((row) => ({
    id: row.id,
    askedId: row.asked_id,
    askedBy: row.asked_by,
    takenBy: row.taken_by ?? undefined,
    channelId: row.channel_id ?? undefined,
    threadTs: row.thread_ts ?? undefined,
    cardId: row.card_id ?? undefined,
  }));
const shownColumns = sql`id, asked_id, asked_by, taken_by, channel_id, thread_ts, card_id`;

const Id = z.object({ id: z.string() });

/** Removes some of those that nobody needs any more. */
export const removeOldAsks = (until: number, limit: number): Sql =>
  sql`DELETE FROM asks WHERE (workspace_id, visitor_id, asked_id) IN (
    SELECT workspace_id, visitor_id, asked_id FROM asks WHERE asked_at <= ${until - KEPT_MS} LIMIT ${limit})`;

/** @param now milliseconds since 1970 */
export function createAsks(
  database: Pick<Database, 'read' | 'writeIf' | 'inBackground'>,
  newId: NewId,
  now: () => number,
): Asks {
  const inTime = () => ({ id: newId(), time: Math.round(now()) });

  async function latest(workspaceId: string, visitorId: string, askedId: string): Promise<Ask | undefined> {
    const [row] = await database.read(
      sql`SELECT id, asked_by, asked_at, reason, channel_id, thread_ts, ${ticketOf(sql`asks.card_id`)} FROM asks
        WHERE workspace_id = ${workspaceId} AND visitor_id = ${visitorId} AND asked_id = ${askedId}`,
      Row,
    );
    return row;
  }

  /** The session that is meant: that of the card with the button, or the asker's own. Without its card once it's over. */
  async function sessionOf({ workspaceId, visitorId, askedBy, linkId }: NewAsk, time: number) {
    const isMeant =
      linkId === undefined
        ? sql`user_id = ${askedBy} AND state = 'open' AND issued_at >= ${time - IN_USE_MS}`
        : sql`id = ${linkId}`;
    const [session] = await database.read(
      sql`SELECT channel_id, thread_ts, CASE WHEN ${isOpen(sql`meant.card_id`)} THEN card_id END AS card_id
        FROM watch_links AS meant
        WHERE workspace_id = ${workspaceId} AND visitor_id = ${visitorId} AND ${isMeant}
        ORDER BY issued_at DESC LIMIT 1`,
      SessionRow,
    );
    return session;
  }

  /** Statements that make the post say that it was asked again there, if nobody has taken it. */
  async function againStatements({ workspaceId, visitorId, askedBy, askedId }: NewAsk) {
    if (!isChannel(askedId)) return [];
    const [before] = await database.read(
      sql`SELECT id FROM asks WHERE workspace_id = ${workspaceId} AND visitor_id = ${visitorId}
        AND asked_id = ${askedId} AND open_until IS NOT NULL`,
      Id,
    );
    if (before === undefined) return [];
    return askChangeStatements({ ...before, workspaceId, visitorId, askedId, againBy: askedBy }, inTime());
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
        kind: isChannel(askedId) ? 'channel-ask' : 'ask',
        channelId: askedId,
        acceptedAt: time,
        payload: { visitorId, askedBy },
      };
      const { openUntil, tellAt } = openTimes(askedId, cardId !== null, time);
      const card = sql`CAST(${cardId} AS TEXT)`;
      const written = await database.writeIf(
        sql`INSERT INTO asks (workspace_id, visitor_id, asked_id, id, asked_by, asked_at, free_at, reason, channel_id,
            thread_ts, card_id, open_until, tell_at)
          VALUES (${workspaceId}, ${visitorId}, ${askedId}, ${id}, ${askedBy}, ${time}, ${time + ONCE_IN_MS},
            ${reason ?? null}, ${place.channelId ?? null}, ${place.threadTs ?? null}, ${cardId}, ${openUntil},
            ${tellAt})
          ON CONFLICT (workspace_id, visitor_id, asked_id) DO UPDATE SET id = excluded.id,
            asked_by = excluded.asked_by, asked_at = excluded.asked_at, free_at = excluded.free_at,
            reason = excluded.reason, channel_id = excluded.channel_id, thread_ts = excluded.thread_ts,
            card_id = excluded.card_id, open_until = excluded.open_until, tell_at = excluded.tell_at, taken_by = NULL
          WHERE ${hasComeIn(sql`asks.free_at`, time, ONCE_IN_MS)}`,
        entry.statement,
        ...inOrderOfChannels([
          {
            in: askedId,
            statements: [...(await againStatements(asked)), insertDelivery(message), wakeChannelOf(id)],
          },
          {
            in: place.channelId,
            statements: askedOnCardStatements({ workspaceId, ...place, card }, { id: newId(), time }),
          },
        ]),
      );
      if (written === undefined) return latest(workspaceId, visitorId, askedId);
      entry.report();
      return undefined;
    },
    latest,
    async forgetStatements({ id, workspaceId, visitorId }) {
      const isIt = sql`workspace_id = ${workspaceId} AND visitor_id = ${visitorId} AND id = ${id}`;
      const [row] = await database.read(sql`SELECT ${shownColumns} FROM asks WHERE ${isIt}`, ShownRow);
      const { cardId, ...place } = row ?? {};
      const onCard =
        cardId === undefined
          ? []
          : askedOnCardStatements({ ...place, workspaceId, card: sql`CAST(${cardId} AS TEXT)` }, inTime());
      return [sql`DELETE FROM asks WHERE ${isIt}`, ...onCard];
    },
    async onCard(workspaceId, cardId, isWanted = sql`1 = 1`) {
      const rows = await database.inBackground().read(
        sql`SELECT asked.* FROM (SELECT 1 AS one WHERE ${isWanted}) AS wanted LEFT JOIN (
          SELECT COALESCE((SELECT moved_to FROM channels WHERE channels.workspace_id = asks.workspace_id
              AND channels.channel_id = asked_id), asked_id) AS asked_id, taken_by,
            CASE WHEN EXISTS (SELECT 1 FROM watch_links
              WHERE watch_links.workspace_id = asks.workspace_id AND watch_links.visitor_id = asks.visitor_id
                AND user_id = COALESCE(taken_by, asked_id) AND issued_at >= asked_at) THEN 1 ELSE 0 END AS has_opened,
            asked_at, asks.asked_id AS first_asked_id
          FROM asks WHERE workspace_id = ${workspaceId} AND card_id = ${cardId}
          ORDER BY asked_at, first_asked_id LIMIT ${MOST_ON_A_CARD}) AS asked ON 1 = 1
        ORDER BY asked_at, first_asked_id`,
        z.union([AskedRow, NobodyRow]),
      );
      return rows.length === 0 ? undefined : rows.filter((row) => row !== undefined);
    },
    async openedStatements({ workspaceId, visitorId, userId, linkId, isAsked }) {
      if (isAsked === undefined) return [];
      const rows = await database.read(
        sql`SELECT ${shownColumns} FROM asks WHERE workspace_id = ${workspaceId} AND visitor_id = ${visitorId}
          AND (asked_id = ${userId} OR taken_by = ${userId}) ORDER BY asked_at DESC LIMIT ${MOST_ON_A_CARD}`,
        ShownRow,
      );
      const about = { workspaceId, visitorId };
      const changes = rows.flatMap(({ cardId, channelId = '', threadTs, ...row }) => [
        ...(cardId === undefined
          ? []
          : [
              {
                in: channelId,
                statements: askedOnCardStatements(
                  { workspaceId, channelId, threadTs, card: sql`CAST(${cardId} AS TEXT)` },
                  inTime(),
                ),
              },
            ]),
        ...(row.takenBy === undefined
          ? []
          : [{ in: row.askedId, statements: askChangeStatements({ ...about, ...row }, inTime()) }]),
      ]);
      const besideOf = rows.find(({ cardId }) => cardId !== undefined)?.cardId ?? null;
      return [
        sql`UPDATE watch_links SET asked_card_id = ${besideOf} WHERE workspace_id = ${workspaceId} AND id = ${linkId}`,
        ...inOrderOfChannels(changes),
      ];
    },
  };
}
