import { z } from 'zod';
import type { NewEntry, PreparedEntry } from '../audit/audit.ts';
import { rowsOf, sql, hasComeIn, type Database, type Sql } from '../database/database.ts';
import { inOrderOfChannels, wakeChannelOf } from '../outbox/channels.ts';
import { insertDelivery } from '../outbox/delivery.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { isChannel } from '../permissions/slack-ids.ts';
import { askedOnCardStatements, isOpen, ticketOf } from '../sessions/cards.ts';
import { IN_USE_MS } from '../sessions/watch-links.ts';

/** Where no session of the asker's runs, somebody can take it for this long. */
const OPEN_MS = 60 * 60_000;
/** The asker hears after this time that nobody has. */
const TELL_AFTER_MS = 5 * 60_000;
/** Queued in one write. */
const QUEUED_AT_ONCE = 20;

/**
 * Until when somebody in a channel can take it, and when the asker hears that nobody has; milliseconds since 1970, null
 * for a person. With a session, at the latest when it certainly has ended.
 */
export function openTimes(askedId: string, hasSession: boolean, time: number) {
  if (!isChannel(askedId)) return { openUntil: null, tellAt: null };
  return { openUntil: time + (hasSession ? IN_USE_MS : OPEN_MS), tellAt: time + TELL_AFTER_MS };
}

/** A channel that was asked to look at a visitor's screen. */
export interface ChannelAsk {
  /** That of the post. */
  readonly id: string;
  readonly visitorId: string;
  /** The channel's id now. */
  readonly askedId: string;
  readonly askedBy: string;
  readonly reason: string | undefined;
  /** Where the session belongs. */
  readonly channelId: string | undefined;
  readonly threadTs: string | undefined;
  /** The session's card; undefined where none runs. */
  readonly cardId: string | undefined;
  /** The session's. */
  readonly ticketUrl: string | undefined;
  /** Undefined once somebody has taken it, or nobody can any more. */
  readonly openUntil: Date | undefined;
  readonly takenBy: string | undefined;
  /** Whether whoever took it has opened a link since it was asked. */
  readonly hasOpened: boolean;
  /** Whether its session is known to have ended. */
  readonly hasEnded: boolean;
}

const Row = z
  .object({
    id: z.string(),
    visitor_id: z.string(),
    asked_now: z.string(),
    asked_by: z.string(),
    reason: z.string().nullable(),
    channel_id: z.string().nullable(),
    thread_ts: z.string().nullable(),
    card_id: z.string().nullable(),
    ticket_url: z.string().nullable(),
    open_until: z.number().nullable(),
    taken_by: z.string().nullable(),
    has_opened: z.number(),
    has_ended: z.number(),
  })
  .transform((row): ChannelAsk => ({
    id: row.id,
    visitorId: row.visitor_id,
    askedId: row.asked_now,
    askedBy: row.asked_by,
    reason: row.reason ?? undefined,
    channelId: row.channel_id ?? undefined,
    threadTs: row.thread_ts ?? undefined,
    cardId: row.card_id ?? undefined,
    ticketUrl: row.ticket_url ?? undefined,
    openUntil: row.open_until === null ? undefined : new Date(row.open_until),
    takenBy: row.taken_by ?? undefined,
    hasOpened: row.has_opened === 1,
    hasEnded: row.has_ended === 1,
  }));

/** One that something is due of. */
const Due = z
  .object({
    workspace_id: z.string(),
    visitor_id: z.string(),
    asked_id: z.string(),
    id: z.string(),
    asked_by: z.string(),
  })
  .transform((row) => ({
    workspaceId: row.workspace_id,
    visitorId: row.visitor_id,
    askedId: row.asked_id,
    id: row.id,
    askedBy: row.asked_by,
  }));
const dueColumns = sql`workspace_id, visitor_id, asked_id, id, asked_by`;

/** What a change of a post says that its row doesn't: who asked again, once the row is about that. */
export const AskChangePayload = z.object({
  visitorId: z.string(),
  askId: z.string(),
  againBy: z.string().optional(),
});

/** What the asker is told says of which post it is. */
export const UntakenPayload = z.object({ visitorId: z.string(), askId: z.string() });

/** Statements that make a post say what has become of it. */
export function askChangeStatements(
  ask: {
    /** The post's. */
    readonly id: string;
    readonly workspaceId: string;
    readonly visitorId: string;
    readonly askedId: string;
    /** Who has asked again. */
    readonly againBy?: string;
  },
  { id, time }: { readonly id: string; readonly time: number },
): readonly Sql[] {
  const { id: askId, workspaceId, visitorId, askedId: channelId, againBy } = ask;
  const delivery = {
    id,
    workspaceId,
    key: `ask change ${id}`,
    kind: 'channel-ask-change',
    channelId,
    acceptedAt: time,
    replaces: sql`CAST(${askId} AS TEXT)`,
    payload: { visitorId, askId, againBy } satisfies z.infer<typeof AskChangePayload>,
  };
  return [insertDelivery(delivery), wakeChannelOf(id)];
}

/** Whether nobody can take it any more though nobody has. */
const isOverAt = (time: number): Sql =>
  sql`(${hasComeIn(sql`open_until`, time, IN_USE_MS)}
    OR (asks.card_id IS NOT NULL AND NOT ${isOpen(sql`asks.card_id`)}))`;

/** When something is due: the end of the session, the word to the asker, or the end of the time. See `Job.due`. */
const firstDue: Sql = sql`SELECT MIN(due) AS at FROM (
    SELECT CASE WHEN asks.card_id IS NOT NULL AND NOT ${isOpen(sql`asks.card_id`)} THEN time
      ELSE COALESCE(tell_at, open_until) END AS due
    FROM clock, asks WHERE open_until IS NOT NULL) AS open_asks
  HAVING MIN(due) IS NOT NULL`;

/** Those in channels, which anybody there can take who can watch, once. All reject with a DatabaseError. */
export function createChannelAsks({
  database,
  outbox,
  prepare,
  now,
}: {
  readonly database: Database;
  readonly outbox: Pick<Outbox, 'newId' | 'wake' | 'addJob'>;
  /** An audit entry as a statement. */
  readonly prepare: (entry: NewEntry) => PreparedEntry;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}) {
  const { newId } = outbox;
  const time = () => Math.round(now());

  /** The private message that nobody has taken it yet. */
  function untakenStatements({ id: askId, workspaceId, visitorId, askedBy }: z.infer<typeof Due>) {
    const id = newId();
    const delivery = {
      id,
      workspaceId,
      key: `untaken ${askId}`,
      kind: 'untaken',
      channelId: askedBy,
      acceptedAt: time(),
      payload: { visitorId, askId } satisfies z.infer<typeof UntakenPayload>,
    };
    return [insertDelivery(delivery), wakeChannelOf(id)];
  }

  const some = (condition: Sql) =>
    sql`(workspace_id, visitor_id, asked_id) IN (SELECT workspace_id, visitor_id, asked_id FROM asks
      WHERE open_until IS NOT NULL AND ${condition} ORDER BY open_until LIMIT ${QUEUED_AT_ONCE} ${database.skipLocked})`;

  async function actOnDue(isStopped: () => boolean): Promise<void> {
    for (let acted = QUEUED_AT_ONCE; acted >= QUEUED_AT_ONCE && !isStopped();) {
      const at = time();
      const written = await database.inBackground().writeThen(
        [
          sql`UPDATE asks SET open_until = NULL, tell_at = NULL WHERE ${some(isOverAt(at))} RETURNING ${dueColumns}`,
          sql`UPDATE asks SET tell_at = NULL
            WHERE ${some(sql`${hasComeIn(sql`tell_at`, at, TELL_AFTER_MS)}`)} RETURNING ${dueColumns}`,
        ],
        ([over, untaken]) =>
          inOrderOfChannels([
            ...rowsOf(over, Due).map((ask) => ({
              in: ask.askedId,
              statements: askChangeStatements(ask, { id: newId(), time: at }),
            })),
            ...rowsOf(untaken, Due).map((ask) => ({ in: ask.askedBy, statements: untakenStatements(ask) })),
          ]),
      );
      acted = Math.max(...(written ?? []).map(({ changed }) => changed), 0);
      if (acted > 0) outbox.wake();
    }
  }
  outbox.addJob({ name: 'asks in channels', nextRun: () => firstDue, run: actOnDue });

  return {
    async find(workspaceId: string, visitorId: string, id: string): Promise<ChannelAsk | undefined> {
      const [row] = await database.read(
        sql`SELECT id, visitor_id, COALESCE((SELECT moved_to FROM channels
              WHERE channels.workspace_id = asks.workspace_id AND channels.channel_id = asked_id), asked_id) AS asked_now,
            asked_by, reason, channel_id, thread_ts, card_id, taken_by, ${ticketOf(sql`asks.card_id`)},
            CASE WHEN NOT ${isOverAt(time())} THEN open_until END AS open_until,
            CASE WHEN EXISTS (SELECT 1 FROM watch_links
              WHERE watch_links.workspace_id = asks.workspace_id AND watch_links.visitor_id = asks.visitor_id
                AND user_id = taken_by AND issued_at >= asked_at) THEN 1 ELSE 0 END AS has_opened,
            CASE WHEN NOT ${isOpen(sql`asks.card_id`)} AND EXISTS (SELECT 1 FROM watch_links
              WHERE card_id = asks.card_id AND state = 'ended') THEN 1 ELSE 0 END AS has_ended
          FROM asks WHERE workspace_id = ${workspaceId} AND visitor_id = ${visitorId} AND id = ${id}`,
        Row,
      );
      return row;
    },

    /** False if somebody else has taken it, it's their own, or nobody can any more. */
    async take(workspaceId: string, ask: ChannelAsk, userId: string, entry: NewEntry): Promise<boolean> {
      const { id, visitorId, channelId, threadTs, cardId = null } = ask;
      const at = time();
      const prepared = prepare(entry);
      const card = sql`CAST(${cardId} AS TEXT)`;
      const written = await database.writeIf(
        sql`UPDATE asks SET taken_by = ${userId}, open_until = NULL, tell_at = NULL
          WHERE workspace_id = ${workspaceId} AND visitor_id = ${visitorId} AND id = ${id} AND asked_by <> ${userId}
            AND taken_by IS NULL AND open_until IS NOT NULL AND NOT ${isOverAt(at)}`,
        prepared.statement,
        ...inOrderOfChannels([
          {
            in: ask.askedId,
            statements: askChangeStatements({ ...ask, workspaceId }, { id: newId(), time: at }),
          },
          {
            in: channelId,
            statements: askedOnCardStatements(
              { workspaceId, channelId, threadTs, card },
              { id: newId(), time: at },
            ),
          },
        ]),
      );
      if (written === undefined) return false;
      prepared.report();
      outbox.wake();
      return true;
    },
  };
}

export type ChannelAsks = ReturnType<typeof createChannelAsks>;
