import { z } from 'zod';
import { linkHashes } from '../cobrowse/watch-link.ts';
import { AnyRow, join, rowOf, sql, type Database, type Sql } from '../database/database.ts';
import {
  IssuedLink,
  type WatchRequest,
  type Conclusion,
  type LinkResult,
  type LinkEnd,
} from '../messages/link-request.ts';

const SHOWN_MS = 7 * 24 * 60 * 60 * 1_000;
/** A longer session is rare, and the service has ended an idle one by then. */
export const IN_USE_MS = 8 * 60 * 60 * 1_000;
const MOST_IN_USE = 50;
const MOST_LOOKED_FOR = 500;
/** As long as the end of its session. Its press, its webhook and the search for its end are over within eight days. */
const KEPT_MS = 90 * 24 * 60 * 60 * 1_000;

/** Ids and times (milliseconds since 1970), never the link. */
export interface RecordedLink {
  readonly link: IssuedLink;
  /** As sent to the service. */
  readonly agentId: string;
  /** The workspace's own account that it was made with; left out for the operator's. */
  readonly accountId?: string;
  readonly issuedAt: number;
  /** By the service's clock; left out where it doesn't say. */
  readonly expiresAt?: number;
}

export interface MadeLink extends RecordedLink {
  readonly agentName: string;
  /** The press or the answer to a question that it was made for, good for one link; left out where the ticket is proof enough. */
  readonly proofId?: string;
  /** Recognizes the link where the service sends it back. */
  readonly linkHash?: string;
}

export type GivenLink = RecordedLink & { readonly result?: LinkResult };

/** A link whose end isn't known yet; `at` is when it was issued. */
const InUse = rowOf({
  userId: z.string(),
  visitorId: z.string(),
  linkId: z.string(),
  agentId: z.string(),
  at: z.number(),
});
export type LinkInUse = z.infer<typeof InUse>;

const OfDay = rowOf({ day: z.number(), used: z.number(), notAccepted: z.number() });
export type UsedLinks = Omit<z.infer<typeof OfDay>, 'day'>;

const Row = rowOf({
  ...IssuedLink.shape,
  agentId: z.string(),
  accountId: z.string().optional(),
  issuedAt: z.number(),
  expiresAt: z.number().optional(),
  state: z.enum(['open', 'ended', 'unused', 'unknown']),
  endedAt: z.number().optional(),
  seconds: z.number().optional(),
  accepted: z.number().optional(),
}).transform(
  ({ agentId, accountId, issuedAt, expiresAt, state, endedAt, seconds, accepted, ...link }): GivenLink => {
    const given = { link, agentId, accountId, issuedAt, expiresAt };
    if (state === 'open' || endedAt === undefined) return given;
    if (state !== 'ended') return { ...given, result: { concluded: state, at: endedAt } };
    const isAccepted = accepted === undefined ? undefined : accepted === 1;
    return { ...given, result: { endedAt, lengthSeconds: seconds, accepted: isAccepted } };
  },
);

const columns = sql`workspace_id, id AS link_id, agent_id, account_id, user_id, visitor_id, channel_id, thread_ts, access, issued_at,
  expires_at, state, ended_at, seconds, accepted, ticket_url`;

const linkColumns = sql`workspace_id, id, user_id, visitor_id, channel_id, thread_ts, access, ticket_url`;

/** In the order of those columns. */
export const linkValues = (link: IssuedLink): Sql =>
  sql`${link.workspaceId}, ${link.linkId}, ${link.userId}, ${link.visitorId}, ${link.channelId ?? null},
    ${link.threadTs ?? null}, ${link.access}, ${link.ticketUrl ?? null}`;

/**
 * Puts a link on record, before it's handed out. Fails where one was made with the same proof already. If its session's end came
 * first, the row is there: the link stays closed, and has no card.
 * @param lookAt when its session's end is first looked for, milliseconds since 1970
 */
export function recordLink(
  { link, agentId, accountId, issuedAt, expiresAt, proofId, linkHash }: Omit<MadeLink, 'agentName'>,
  lookAt: number,
  cardId: Sql = sql`CAST(NULL AS TEXT)`,
): Sql {
  return sql`INSERT INTO watch_links (${linkColumns}, agent_id, account_id, proof_id, issued_at, expires_at, state,
      looked_for, look_at, card_id, link_hash)
    VALUES (${linkValues(link)}, ${agentId}, ${accountId ?? null}, ${proofId ?? null}, ${issuedAt}, ${expiresAt ?? null},
      'open', 1, ${lookAt}, ${cardId}, ${linkHash ?? null})
    ON CONFLICT (workspace_id, id) DO UPDATE SET agent_id = excluded.agent_id, account_id = excluded.account_id,
      proof_id = excluded.proof_id, issued_at = excluded.issued_at, expires_at = excluded.expires_at, link_hash = excluded.link_hash`;
}

/**
 * A link's session ended, which replaces whatever was concluded. If the link has ended already, only the later end of
 * another session replaces that: run it before the session's end is stored. Always writes the row, even of a link that
 * isn't on record yet, and so locks it: neither of two transactions misses the other. Of several sessions, one that the
 * customer accepted is enough.
 */
export function endLink(
  link: IssuedLink,
  { sessionId, endedAt, lengthSeconds, accepted }: LinkEnd & { readonly sessionId: string },
): Sql {
  const isAccepted = accepted === undefined ? null : Number(accepted);
  const isNews = sql`watch_links.state <> 'ended' OR (watch_links.ended_at < excluded.ended_at AND NOT EXISTS (
    SELECT 1 FROM session_ends WHERE session_ends.workspace_id = ${link.workspaceId} AND session_id = ${sessionId}
      AND link_id = ${link.linkId}))`;
  return sql`INSERT INTO watch_links (${linkColumns}, agent_id, issued_at, state, ended_at, seconds, accepted, looked_for)
    VALUES (${linkValues(link)}, '', ${endedAt}, 'ended', ${endedAt}, ${lengthSeconds ?? null}, ${isAccepted}, 0)
    ON CONFLICT (workspace_id, id) DO UPDATE SET state = 'ended',
      ended_at = CASE WHEN ${isNews} THEN excluded.ended_at ELSE watch_links.ended_at END,
      seconds = CASE WHEN ${isNews} THEN excluded.seconds ELSE watch_links.seconds END,
      accepted = CASE WHEN watch_links.state <> 'ended' OR watch_links.accepted = 0 THEN excluded.accepted
        ELSE watch_links.accepted END,
      looked_for = 0, look_at = NULL`;
}

const one = ({ workspaceId, linkId }: Pick<IssuedLink, 'workspaceId' | 'linkId'>): Sql =>
  sql`workspace_id = ${workspaceId} AND id = ${linkId}`;

/** Changes nothing where something better is known. */
export const concludeLink = (link: IssuedLink, { concluded, at }: Conclusion): Sql =>
  sql`UPDATE watch_links SET state = ${concluded}, ended_at = ${at} WHERE ${one(link)} AND state = 'open'`;

/** Its session's end isn't looked for any more. */
export const leaveLink = (link: IssuedLink): Sql =>
  sql`UPDATE watch_links SET looked_for = 0, look_at = NULL WHERE ${one(link)}`;

/** @param now milliseconds since 1970 */
export const removeOldLinks = (now: number, limit: number): Sql =>
  sql`DELETE FROM watch_links WHERE (workspace_id, id) IN (
    SELECT workspace_id, id FROM watch_links WHERE issued_at <= ${now - KEPT_MS} LIMIT ${limit})`;

/** The user's latest link to that screen whose end isn't known, otherwise anybody's. `since` is in milliseconds since 1970. */
export const linkUnderWay = (
  { workspaceId, visitorId, userId }: Pick<WatchRequest, 'workspaceId' | 'visitorId' | 'userId'>,
  since: { readonly own: number; readonly others: number },
): Sql =>
  sql`SELECT user_id, issued_at FROM watch_links
    WHERE workspace_id = ${workspaceId} AND visitor_id = ${visitorId} AND issued_at >= ${since.own} AND state = 'open'
      AND (user_id = ${userId} OR issued_at >= ${since.others})
    ORDER BY CASE WHEN user_id = ${userId} THEN 0 ELSE 1 END, issued_at DESC, id LIMIT 1`;

export const cardIdOf = (link: Pick<IssuedLink, 'workspaceId' | 'linkId'>): Sql =>
  sql`SELECT card_id FROM watch_links WHERE ${one(link)}`;

export type WatchLinks = ReturnType<typeof createWatchLinks>;

export function createWatchLinks(database: Database, now: () => number) {
  return {
    /** Newest first, of the last seven days. */
    of: (workspaceId: string, userId: string, limit: number): Promise<readonly GivenLink[]> =>
      database.read(
        sql`SELECT ${columns} FROM watch_links
          WHERE workspace_id = ${workspaceId} AND user_id = ${userId} AND issued_at > ${now() - SHOWN_MS}
          ORDER BY issued_at DESC, id LIMIT ${limit}`,
        Row,
      ),
    /** Newest first; none whose end is known. */
    inUse: (workspaceId: string, visitorIds: readonly string[], since: number) =>
      database.read(
        sql`SELECT user_id, visitor_id, id AS link_id, agent_id, issued_at AS at FROM watch_links
          WHERE workspace_id = ${workspaceId} AND visitor_id IN (${join(visitorIds)}) AND issued_at >= ${since}
            AND state = 'open'
          ORDER BY issued_at DESC, id LIMIT ${MOST_IN_USE}`,
        InUse,
      ),
    /** Those whose sessions' ends are still looked for, oldest first. */
    lookedFor: (workspaceId: string, userId: string): Promise<readonly GivenLink[]> =>
      database.read(
        sql`SELECT ${columns} FROM watch_links
          WHERE workspace_id = ${workspaceId} AND user_id = ${userId} AND looked_for = 1
          ORDER BY issued_at, id LIMIT ${MOST_LOOKED_FOR}`,
        Row,
      ),
    /** Whether an address is one of a workspace's links, or has one in it. */
    async includes(workspaceId: string, address: string): Promise<boolean> {
      const hashes = linkHashes(address);
      if (hashes.length === 0) return false;
      const found = await database.read(
        sql`SELECT 1 AS one FROM watch_links
          WHERE workspace_id = ${workspaceId} AND link_hash IN (${join(hashes)}) LIMIT 1`,
        AnyRow,
      );
      return found.length > 0;
    },
    /**
     * Links that were or may have been used on each day; those whose customer didn't accept are counted apart. `starts` says
     * when each day begins, and the one after them: milliseconds since 1970.
     */
    async usedPerDay(workspaceId: string, starts: readonly number[]): Promise<readonly UsedLinks[]> {
      const [from = 0, ...ends] = starts;
      const ofDays = sql`workspace_id = ${workspaceId} AND issued_at >= ${from}
        AND issued_at < ${ends.at(-1) ?? from}`;
      const day = join(
        ends.map((end) => sql`CASE WHEN issued_at < ${end} THEN 0 ELSE 1 END`),
        ' + ',
      );
      const counted = await database.read(
        // Each half has an index that holds all it needs.
        sql`SELECT day, CAST(SUM(used) AS BIGINT) AS used, CAST(SUM(not_accepted) AS BIGINT) AS not_accepted FROM (
            SELECT ${day} AS day, 1 AS used, 0 AS not_accepted FROM watch_links
              WHERE ${ofDays} AND issued_at > 0 AND state <> 'unused'
            UNION ALL SELECT ${day}, -1, 1 FROM watch_links WHERE ${ofDays} AND accepted = 0) AS links
          GROUP BY day`,
        OfDay,
      );
      return ends.map((_end, index) => {
        const { used = 0, notAccepted = 0 } = counted.find((row) => row.day === index) ?? {};
        return { used, notAccepted };
      });
    },
  };
}
