import { z } from 'zod';
import { recorded, type NewEntry } from '../audit/audit.ts';
import type { Caller } from '../commands/rights.ts';
import { rowOf, sql, timeOf, type Database, type Sql } from '../database/database.ts';
import type { IssuedLink } from '../messages/link-request.ts';
import { queued } from '../outbox/channels.ts';
import type { NewDelivery } from '../outbox/delivery.ts';
import type { Outbox } from '../outbox/outbox.ts';
import type { App } from '../parts.ts';
import { isChannel } from '../permissions/permissions.ts';
import { askedOnCardStatements, isOpen, ticketOf } from '../sessions/cards.ts';
import { IN_USE_MS } from '../sessions/watch-links.ts';

/** For this long nobody is asked again about the same visitor, whoever asks. */
const ONCE_IN_MS = 10 * 60_000;
/** Longer than a session lasts. */
const KEPT_MS = 24 * 60 * 60_000;
/** More than anybody asks about one session. */
const MOST_ON_A_CARD = 10;
/** Somebody in a channel can take it for this long. */
const OPEN_MS = 60 * 60_000;
const TELL_AFTER_MS = 5 * 60_000;
export const LONGEST_REASON = 200;

/** Where the session belongs, and its card; undefined where none runs. */
const PLACE = {
  channelId: z.string().optional(),
  threadTs: z.string().optional(),
  cardId: z.string().optional(),
};
const Place = rowOf(PLACE);
type Place = z.infer<typeof Place>;

const ABOUT = {
  workspaceId: z.string(),
  visitorId: z.string(),
  /** A channel's current id. */
  askedId: z.string(),
  /** That of the message that asks. */
  id: z.string(),
  askedBy: z.string(),
};
const About = rowOf(ABOUT);
type About = z.infer<typeof About>;

/** A person, or a channel, that was asked to look at a visitor's screen. */
const Ask = rowOf({
  ...ABOUT,
  ...PLACE,
  askedAt: timeOf,
  reason: z.string().optional(),
  ticketUrl: z.string().optional(),
  /** Of a channel's: undefined once somebody has taken it, or nobody can any more. */
  openUntil: timeOf.optional(),
  takenBy: z.string().optional(),
});
export type Ask = z.infer<typeof Ask>;

/** Somebody is to be asked. `linkId` is of the card with the button that was pressed, if it was on one. */
type NewAsk = Omit<About, 'id'> &
  Pick<Ask, 'reason' | 'channelId' | 'threadTs'> & { readonly linkId: string | undefined };

const OnCard = rowOf({ askedId: z.string(), takenBy: z.string().optional() });

/** Of a message that asks. Ids only: why they're asked is in the row that says who was. */
export const AskPayload = z.object({ visitorId: z.string(), askedBy: z.string() });
/** Of what is said later about a channel's post; `because` its time is over, or it was asked again. */
export const OfAskPayload = z.object({
  visitorId: z.string(),
  askId: z.string(),
  because: z.enum(['over', 'again']).optional(),
});
type OfAskPayload = z.infer<typeof OfAskPayload>;

export const isDirect = ({ channelId }: Pick<Ask, 'channelId'>): boolean =>
  channelId !== undefined && !isChannel(channelId);

/** Whoever was asked, in the place of the session that they were asked to look at. */
export function asAsked<Who extends Pick<Caller, 'channelId' | 'threadTs'>>(who: Who, asked: Ask) {
  const { channelId, threadTs } = isDirect(asked) ? who : asked;
  return { ...who, channelId, threadTs, ticketUrl: asked.ticketUrl, isAsked: true } as const;
}

export const removeOldAsks = (until: number, limit: number): Sql =>
  sql`DELETE FROM asks WHERE (workspace_id, visitor_id, asked_id) IN (
    SELECT workspace_id, visitor_id, asked_id FROM asks WHERE asked_at <= ${until - KEPT_MS} LIMIT ${limit})`;

const askedNow = sql`COALESCE((SELECT moved_to FROM channels WHERE channels.workspace_id = asks.workspace_id
  AND channels.channel_id = asked_id), asked_id) AS asked_id`;

const select = (workspaceId: string, visitorId: string, time: number, rest: Sql): Sql =>
  sql`SELECT id, workspace_id, visitor_id, ${askedNow}, asked_by, asked_at, reason, channel_id, thread_ts, card_id, taken_by,
      ${ticketOf(sql`asks.card_id`)},
      CASE WHEN open_until > ${time} THEN open_until END AS open_until
    FROM asks WHERE workspace_id = ${workspaceId} AND visitor_id = ${visitorId} AND ${rest}`;

/** Replaces an earlier one of more than ten minutes ago; changes nothing where that's newer. */
function insertAsk(id: string, asked: NewAsk, place: Place, at: number): Sql {
  const { workspaceId, visitorId, askedId, askedBy, reason = null } = asked;
  const { channelId = null, threadTs = null, cardId = null } = place;
  const openUntil = isChannel(askedId) ? at + OPEN_MS : null;
  return sql`INSERT INTO asks (workspace_id, visitor_id, asked_id, id, asked_by, asked_at, free_at, reason, channel_id,
      thread_ts, card_id, open_until)
    VALUES (${workspaceId}, ${visitorId}, ${askedId}, ${id}, ${askedBy}, ${at}, ${at + ONCE_IN_MS},
      ${reason}, ${channelId}, ${threadTs}, ${cardId}, ${openUntil})
    ON CONFLICT (workspace_id, visitor_id, asked_id) DO UPDATE SET id = excluded.id,
      asked_by = excluded.asked_by, asked_at = excluded.asked_at, free_at = excluded.free_at,
      reason = excluded.reason, channel_id = excluded.channel_id, thread_ts = excluded.thread_ts,
      card_id = excluded.card_id, open_until = excluded.open_until, taken_by = NULL
    WHERE asks.free_at <= ${at}`;
}

const that = ({ workspaceId, visitorId, id }: Pick<Ask, 'workspaceId' | 'visitorId' | 'id'>): Sql =>
  sql`workspace_id = ${workspaceId} AND visitor_id = ${visitorId} AND id = ${id}`;

const takeAsk = (theOne: Sql, userId: string, time: number): Sql =>
  sql`UPDATE asks SET taken_by = ${userId}, open_until = NULL
    WHERE ${theOne} AND asked_by <> ${userId} AND taken_by IS NULL AND open_until > ${time}`;

/** Where the session that is meant belongs: that of the card with the button, or the asker's own; its card while it's open. */
async function placeOf(database: Pick<Database, 'read'>, asked: NewAsk, time: number): Promise<Place> {
  const { workspaceId, visitorId, askedBy, linkId, channelId, threadTs } = asked;
  const isMeant =
    linkId === undefined
      ? sql`user_id = ${askedBy} AND state = 'open' AND issued_at >= ${time - IN_USE_MS}`
      : sql`id = ${linkId}`;
  const [session] = await database.read(
    sql`SELECT channel_id, thread_ts, CASE WHEN ${isOpen(sql`meant.card_id`)} THEN card_id END AS card_id
      FROM watch_links AS meant
      WHERE workspace_id = ${workspaceId} AND visitor_id = ${visitorId} AND ${isMeant}
      ORDER BY issued_at DESC LIMIT 1`,
    Place,
  );
  return session ?? { channelId, threadTs };
}

function createAskMessages(newId: () => string, time: () => number) {
  const queue = (delivery: Omit<NewDelivery, 'acceptedAt'>) => queued({ ...delivery, acceptedAt: time() });

  return {
    asking({ workspaceId, visitorId, askedBy, askedId: channelId, id }: About) {
      const kind = isChannel(channelId) ? 'channel-ask' : 'ask';
      const payload: z.infer<typeof AskPayload> = { visitorId, askedBy };
      return queue({ id, workspaceId, key: `ask ${id}`, kind, channelId, payload });
    },

    /** Makes a channel's post say what has become of it. */
    changed(
      { workspaceId, id: askId, visitorId, askedId: channelId }: About,
      because?: OfAskPayload['because'],
    ) {
      const afterMs = because === 'over' ? OPEN_MS : 0;
      const [id, kind, dueAt] = [newId(), 'channel-ask-change', sql`${time() + afterMs}`];
      const payload: OfAskPayload = { visitorId, askId, because };
      const replaces = sql`CAST(${askId} AS TEXT)`;
      return queue({ id, workspaceId, key: `ask change ${id}`, kind, channelId, dueAt, replaces, payload });
    },

    untaken({ id: askId, workspaceId, visitorId, askedBy: channelId }: About) {
      const [id, kind, dueAt] = [newId(), 'untaken', sql`${time() + TELL_AFTER_MS}`];
      const payload: OfAskPayload = { visitorId, askId };
      return queue({ id, workspaceId, key: `untaken ${askId}`, kind, channelId, dueAt, payload });
    },

    onCard({ workspaceId, channelId, threadTs, cardId }: Place & Pick<About, 'workspaceId'>) {
      const about = { workspaceId, channelId, threadTs, card: sql`CAST(${cardId ?? null} AS TEXT)` };
      const change = { id: newId(), time: time() };
      return cardId === undefined ? [] : askedOnCardStatements(about, change);
    },
  };
}

interface AsksApp extends Pick<App, 'database' | 'prepare' | 'now'> {
  readonly outbox: Pick<Outbox, 'newId' | 'wake'>;
}

/** Who was asked to look at which visitor's screen: people, and channels, where anybody can take it once. */
export function createAsks({ database, outbox, prepare, now }: AsksApp) {
  const time = () => Math.round(now());
  const messages = createAskMessages(outbox.newId, time);

  const list = (workspaceId: string, visitorId: string, rest: Sql) =>
    database.read(select(workspaceId, visitorId, time(), rest), Ask);
  const find = async (workspaceId: string, visitorId: string, id: string): Promise<Ask | undefined> =>
    (await list(workspaceId, visitorId, sql`id = ${id}`)).at(0);
  const latest = async (workspaceId: string, visitorId: string, askedId: string): Promise<Ask | undefined> =>
    (await list(workspaceId, visitorId, sql`asked_id = ${askedId}`)).at(0);

  /** Written with its entry if the first statement changes a row. */
  async function write(entry: NewEntry, condition: Sql, statements: readonly Sql[]): Promise<boolean> {
    const written = await recorded(prepare(entry), (entrySql) =>
      database.writeIf(condition, entrySql, ...statements),
    );
    if (written !== undefined) outbox.wake();
    return written !== undefined;
  }

  return {
    find,
    latest,

    /** Queues the message, its audit entry and the card's update. Returns the earlier ask if it's at most ten minutes old. */
    async ask(asked: NewAsk, entry: NewEntry): Promise<Ask | undefined> {
      const { workspaceId, visitorId, askedId, askedBy } = asked;
      const [id, at] = [outbox.newId(), time()];
      const place = await placeOf(database, asked, at);
      const about = { workspaceId, visitorId, askedId, askedBy, id };
      const earlier = await latest(workspaceId, visitorId, askedId);
      // Where somebody takes it in time, these two aren't sent, or say so.
      const ofChannel = isChannel(askedId)
        ? [...messages.untaken(about), ...messages.changed(about, 'over')]
        : [];
      const isAsked = await write(entry, insertAsk(id, asked, place, at), [
        ...(earlier?.openUntil ? messages.changed(earlier, 'again') : []),
        ...messages.asking(about),
        ...ofChannel,
        ...messages.onCard({ ...place, workspaceId }),
      ]);
      return isAsked ? undefined : latest(workspaceId, visitorId, askedId);
    },

    /** False if somebody else has taken it, it's their own, or nobody can any more. */
    take: (ask: Ask, userId: string, entry: NewEntry): Promise<boolean> =>
      write(entry, takeAsk(that(ask), userId, time()), [...messages.changed(ask), ...messages.onCard(ask)]),

    /** Statements that forget one that Slack refused: it doesn't count, and the asker's card no longer has it. */
    async forgetStatements(workspaceId: string, visitorId: string, id: string): Promise<readonly Sql[]> {
      const ask = await find(workspaceId, visitorId, id);
      return ask ? [sql`DELETE FROM asks WHERE ${that(ask)}`, ...messages.onCard(ask)] : [];
    },

    /** Who was asked about the session of a card. */
    onCard: (workspaceId: string, cardId: string) =>
      database.inBackground().read(
        sql`SELECT ${askedNow}, taken_by FROM asks WHERE workspace_id = ${workspaceId} AND card_id = ${cardId}
          ORDER BY asked_at, asks.asked_id LIMIT ${MOST_ON_A_CARD}`,
        OnCard,
      ),

    openedStatements: ({ workspaceId, visitorId, userId, linkId, isAsked }: IssuedLink) =>
      isAsked === undefined
        ? []
        : [
            sql`UPDATE watch_links SET asked_card_id = (SELECT card_id FROM asks
                WHERE workspace_id = ${workspaceId} AND visitor_id = ${visitorId} AND card_id IS NOT NULL
                  AND (asked_id = ${userId} OR taken_by = ${userId}) ORDER BY asked_at DESC LIMIT 1)
              WHERE workspace_id = ${workspaceId} AND id = ${linkId}`,
          ],
  };
}

export type Asks = ReturnType<typeof createAsks>;
