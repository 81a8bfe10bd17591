import { createHash } from 'node:crypto';
import { z } from 'zod';
import { SessionSchema, wasAccepted, type Session } from '../cobrowse/schemas.ts';
import { AnyRow, hasChanged, jsonOf, rowOf, sql, type Database, type Sql } from '../database/database.ts';
import { IssuedLink } from '../messages/link-request.ts';
import { SessionOutcome, secondsOf, type SetOutcome } from '../messages/session-words.ts';
import { channelNow, queuedAll } from '../outbox/channels.ts';
import { idsFrom, type NewDelivery } from '../outbox/delivery.ts';
import { COMES_AGAIN_MS } from '../outbox/retention.ts';
import type { App } from '../parts.ts';
import { isOwn } from './session-links.ts';
import type { Candidate, EndedSession, SessionEvents, Subscribers } from './subscribers.ts';
import { cardIdOf, endLink, linkValues } from './watch-links.ts';

/** Opening a link again starts another session, but no person does it more often than this. */
export const MOST_SESSIONS = 20;
/** Bytes of all that a link's sessions say; with their ids, whose number and length are limited too, 256 KiB. */
const MOST_STORED = 192 * 1_024;

export function sessionEndOf(
  id: string,
  link: IssuedLink,
  session: Session,
  { receivedAt, recovered }: Pick<SessionEnd, 'receivedAt' | 'recovered'>,
): SessionEnd {
  const exactly = secondsOf(session);
  const seconds = exactly === undefined ? undefined : Math.round(exactly);
  const untold = { outcome: undefined, summary: undefined, mayOverlap: false };
  return { ...untold, id, link, sessionId: session.id, session, seconds, receivedAt, recovered };
}

export const endedSessionOf = (end: SessionEnd): EndedSession => {
  const { workspaceId, visitorId, userId } = end.link;
  // What nobody accepted took no time, however long the customer was asked.
  const seconds = wasAccepted(end.session) === false ? 0 : end.seconds;
  return { workspaceId, visitorId, userId, seconds };
};

/** By the service's clock, otherwise when we heard about it. Milliseconds since 1970. */
export function endedAt({ session, receivedAt }: SessionEnd): number {
  const ended = Date.parse(session.ended_at ?? '');
  return Number.isNaN(ended) ? receivedAt : ended;
}

/** As people read it: the service's clock may be hours ahead, but no session ended after we heard of it. */
export const linkEndedAt = (end: SessionEnd): number => Math.min(endedAt(end), end.receivedAt);

/** When a message about it could have been posted at the earliest; some time before, where the service's clock is no help. */
export function postableSince({ session, receivedAt }: SessionEnd): number {
  const known = [session.ended_at, session.started_at].map((time) => Date.parse(time ?? ''));
  return known.find((time) => time <= receivedAt) ?? receivedAt - COMES_AGAIN_MS;
}

export const sessionEndColumns = sql`workspace_id, session_id, link_id, user_id, visitor_id, channel_id, thread_ts, access, seconds,
  received_at, recovered, outcome, outcome_by, outcome_at, payload, summary_channel_id, summary_ts, ticket_url`;
const columns = sql`id, ${sessionEndColumns}`;
const isAsked = sql`EXISTS (SELECT 1 FROM watch_links AS own
  WHERE own.workspace_id = session_ends.workspace_id AND own.id = session_ends.link_id AND (own.asked_card_id IS NOT NULL
    OR EXISTS (SELECT 1 FROM watch_links AS other WHERE other.asked_card_id = own.card_id)))`;

export const SessionEndRow = rowOf({
  ...IssuedLink.shape,
  id: z.string(),
  sessionId: z.string(),
  seconds: z.number().optional(),
  /** Milliseconds since 1970. */
  receivedAt: z.number(),
  /** Found by asking the service. */
  recovered: z.number(),
  outcome: SessionOutcome.optional(),
  outcomeBy: z.string().default(''),
  outcomeAt: z.number().optional(),
  payload: jsonOf(SessionSchema),
  /** By the id that the channel had then; undefined until it's posted. */
  summaryChannelId: z.string().optional(),
  summaryTs: z.string().optional(),
  /** Whether a colleague was asked to look, or its agent was the one, so that sessions may have run beside it. */
  mayOverlap: z.number().optional(),
}).transform((row) => {
  const { id, sessionId, seconds, receivedAt, recovered, outcome, outcomeBy, outcomeAt, ...more } = row;
  const { payload: session, summaryChannelId, summaryTs, mayOverlap, ...link } = more;
  return {
    id,
    link,
    sessionId,
    session,
    seconds,
    receivedAt,
    recovered: recovered === 1,
    outcome: outcome && ({ outcome, by: outcomeBy, at: outcomeAt ?? receivedAt } satisfies SetOutcome),
    summary: summaryChannelId === undefined ? undefined : { channelId: summaryChannelId, ts: summaryTs },
    mayOverlap: mayOverlap === 1,
  };
});
export type SessionEnd = Readonly<z.infer<typeof SessionEndRow>>;

/** A ticket can report any session: one that doesn't say it's the ticket's must not take another session's place. */
const claimantOf = (link: IssuedLink, session: Session) => (isOwn(link, session) ? '' : link.linkId);

/** The same in a place if the session comes again after a restore. A hash, since members and other apps can read it. */
function messageIdOf({ link, sessionId, session }: SessionEnd, place: string): string {
  const named = JSON.stringify([link.workspaceId, sessionId, claimantOf(link, session), place]);
  return createHash('sha256').update(named).digest('hex').slice(0, 32);
}

/** Unless it's there already, or its link has reported too many others, or too much. */
function insert({ id, link, session, seconds, receivedAt, recovered }: SessionEnd): Sql {
  const accepted = wasAccepted(session);
  const payload = JSON.stringify(session);
  const features = JSON.stringify(session.features_used);
  return sql`INSERT INTO session_ends (workspace_id, link_id, user_id, visitor_id, channel_id, thread_ts, access, ticket_url,
      id, session_id, claimant, seconds, features, received_at, recovered, accepted, payload)
    SELECT ${linkValues(link)}, ${id}, ${session.id}, ${claimantOf(link, session)}, CAST(${seconds ?? null} AS BIGINT),
      ${features}, CAST(${receivedAt} AS BIGINT), CAST(${recovered ? 1 : 0} AS BIGINT),
      CAST(${accepted === undefined ? null : Number(accepted)} AS BIGINT), ${payload}
    WHERE (SELECT COUNT(*) < ${MOST_SESSIONS} AND COALESCE(SUM(octet_length(payload) + octet_length(features)), 0)
        <= CAST(${MOST_STORED - Buffer.byteLength(payload + features)} AS BIGINT)
      FROM (SELECT payload, features FROM session_ends WHERE workspace_id = ${link.workspaceId}
        AND link_id = ${link.linkId} LIMIT ${MOST_SESSIONS}) AS told)
    ON CONFLICT (workspace_id, session_id, claimant) DO NOTHING`;
}

const Id = rowOf({ id: z.string() });

/** Enough that those that fail each time don't hide the next one. */
const AT_ONCE = 200;

const DAY_MS = 24 * 60 * 60_000;

/** Keeps those with a delivery that still has to say what is in it. A webhook that is repeated later is a session of its own. */
export const removeOldSessionEnds =
  (keptDays: number) =>
  (until: number, limit: number): Sql =>
    sql`DELETE FROM session_ends WHERE id IN (SELECT id FROM session_ends
      WHERE id < ${idsFrom(until - keptDays * DAY_MS)} AND fanned_out_at IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM deliveries
          WHERE session_end_id = session_ends.id AND settled_at IS NULL)
      LIMIT ${limit})`;

/** What earlier versions kept of whose session is whose, for a week. */
export const removeOldOwners = (until: number, limit: number): Sql =>
  sql`DELETE FROM session_owners WHERE (workspace_id, session_id) IN (
    SELECT workspace_id, session_id FROM session_owners WHERE expires_at <= ${until} LIMIT ${limit})`;

export const summaryPosted = (
  id: string,
  at: { readonly channelId: string; readonly ts: string | undefined },
) =>
  sql`UPDATE session_ends SET summary_channel_id = ${at.channelId}, summary_ts = ${at.ts ?? null} WHERE id = ${id}`;

export type SessionEnds = ReturnType<typeof createSessionEnds>;

export function createSessionEnds(database: Database) {
  return {
    /**
     * Stores an end, and closes its link in the same commit, whether or not the session was known. A link whose sessions are
     * looked for is closed once they all have ended. `too-many` if its link has reported too many others.
     */
    async record(end: SessionEnd): Promise<'accepted' | 'duplicate' | 'too-many'> {
      const { link, session, sessionId } = end;
      const { length_seconds: lengthSeconds } = session;
      const ended = { sessionId, endedAt: linkEndedAt(end), lengthSeconds, accepted: wasAccepted(session) };
      // The link comes first: that locks its row, so that two ends that arrive together are counted one after the other.
      const written = await database.write(...(end.recovered ? [] : [endLink(link, ended)]), insert(end));
      if (hasChanged(written.at(-1))) return 'accepted';
      const [kept] = await database.read(
        sql`SELECT id FROM session_ends WHERE workspace_id = ${link.workspaceId} AND session_id = ${session.id}
          AND claimant = ${claimantOf(link, session)}`,
        Id,
      );
      if (kept === undefined) return 'too-many';
      return kept.id === end.id ? 'accepted' : 'duplicate';
    },

    /** Undefined once it has been removed. */
    async byId(id: string): Promise<SessionEnd | undefined> {
      const [end] = await database.read(
        sql`SELECT ${columns}, CASE WHEN ${isAsked} THEN 1 ELSE 0 END AS may_overlap
          FROM session_ends WHERE id = ${id}`,
        SessionEndRow,
      );
      return end;
    },
  };
}

/** Ids start with the session end's, so that deliveries made at the same time go out in the order their sessions ended. */
function deliveriesOf(
  end: SessionEnd,
  place: string,
  candidates: readonly Candidate[],
): readonly NewDelivery[] {
  const { id: sessionEndId, link, receivedAt: acceptedAt } = end;
  const { workspaceId, threadTs } = link;
  const common = { workspaceId, kind: 'summary', since: postableSince(end), sessionEndId, acceptedAt };
  const own = {
    ...common,
    id: `${end.id}0`,
    key: `summary:${end.id}:`,
    messageId: messageIdOf(end, ''),
    channelId: place,
    threadTs: link.channelId === undefined ? undefined : threadTs,
    replaces: sql`(${cardIdOf(link)})`,
  };
  const byChannel = Map.groupBy(candidates, ({ channelId }) => channelId);
  const copies = Array.from(byChannel, ([channelId, there], index): NewDelivery => ({
    ...common,
    id: `${end.id}${index + 1}`,
    key: `summary:${end.id}:${channelId}`,
    messageId: messageIdOf(end, channelId),
    channelId,
    subscriptions: there.map(({ id }) => id),
  }));
  return [own, ...copies];
}

export interface FanOutParts {
  readonly subscribers: Pick<Subscribers, 'candidates'>;
  readonly events: Pick<SessionEvents, 'ended'>;
  /** Called with what a session end led to, by the service's id of the session. */
  readonly onFanOut: (
    sessionId: string,
    deliveries: readonly Pick<NewDelivery, 'id' | 'channelId' | 'subscriptions'>[],
  ) => void;
  /** It's tried again in a moment. Of one that can't be read nothing is known. */
  readonly fanOutFailed: (end: Partial<SessionEnd>, error: unknown) => void;
}

/** Queues summaries, for the session's place and each channel that may want one. Of several processes at once, one writes. */
export function addFanOut(
  { database, summaryChannelOf, outbox, now }: Pick<App, 'database' | 'summaryChannelOf' | 'outbox' | 'now'>,
  { subscribers, events, onFanOut, fanOutFailed }: FanOutParts,
): void {
  async function fanOut(end: SessionEnd): Promise<void> {
    const { workspaceId, channelId: sessionChannel, userId } = end.link;
    const channelId = sessionChannel ?? (await summaryChannelOf(workspaceId)) ?? userId;
    const place = await channelNow(database, { workspaceId, channelId });
    const candidates = await subscribers.candidates(endedSessionOf(end), place);
    const all = deliveriesOf(end, place, candidates);
    const told = await events.ended(end);
    const written = await database.writeIf(
      sql`UPDATE session_ends SET fanned_out_at = ${now()} WHERE id = ${end.id} AND fanned_out_at IS NULL`,
      ...queuedAll(all),
      ...told.statements,
    );
    if (written === undefined) return;
    outbox.wake();
    told.accepted();
    onFanOut(
      end.sessionId,
      all.map(({ id, channelId: to, subscriptions = [] }) => ({ id, channelId: to, subscriptions })),
    );
  }

  /** Those that have no deliveries yet, the oldest first. @returns whether all of them have some now */
  async function fanOutSome(): Promise<boolean> {
    const rows = await database.read(
      sql`SELECT ${columns} FROM session_ends WHERE fanned_out_at IS NULL ORDER BY received_at, id LIMIT ${AT_ONCE}`,
      AnyRow,
    );
    let isDone = true;
    function failed(end: Partial<SessionEnd>, error: unknown): void {
      isDone = false;
      fanOutFailed(end, error);
    }
    const ends = rows.flatMap((row) => {
      // A newer program may have written it. It holds up no other.
      const { data, error } = SessionEndRow.safeParse(row);
      if (error !== undefined) failed({}, error);
      return data ?? [];
    });
    // Those of a channel one after the other: what ended first is posted first.
    const byChannel = Map.groupBy(ends, ({ link }) => link.channelId);
    await Promise.all(
      Array.from(byChannel.values(), async (its) => {
        for (const end of its) await fanOut(end).catch((error: unknown) => failed(end, error));
      }),
    );
    return isDone;
  }

  const nextRun = sql`SELECT 0 AS at FROM session_ends WHERE fanned_out_at IS NULL LIMIT 1`;
  outbox.addJob({ name: 'session ends', nextRun, run: fanOutSome });
}
