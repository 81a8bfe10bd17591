import { z } from 'zod';
import { SessionSchema } from '../cobrowse/schemas.ts';
import type { Session } from '../cobrowse/schemas.ts';
import { hasChanged } from '../database/database.ts';
import type { Database } from '../database/database.ts';
import { DatabaseError } from '../database/errors.ts';
import { list, sql } from '../database/sql.ts';
import type { Sql } from '../database/sql.ts';
import type { IssuedLink } from '../links/order.ts';
import { Access } from '../permissions/access.ts';
import { SessionOutcome } from '../model/session-outcome.ts';
import type { SetOutcome } from '../model/session-outcome.ts';
import { isOwn } from './belonging.ts';

/** A link that is opened once more begins another session; more than these are nobody's work. */
export const MOST_SESSIONS = 20;
const MOST_FEATURES = 20;
const LONGEST_FEATURE = 40;

/** The end of a session, as it's kept. */
export interface SessionEnd {
  readonly id: string;
  /** What the ticket said that told of it. */
  readonly link: IssuedLink;
  /** By the service. */
  readonly sessionId: string;
  /** Undefined where the record of it can't be read any more. */
  readonly session: Session | undefined;
  /** Undefined where nobody knows. */
  readonly seconds: number | undefined;
  /** Milliseconds since 1970. */
  readonly receivedAt: number;
  /** Found by asking: nobody told of it. */
  readonly recovered: boolean;
  /** How it went, once somebody said so. */
  readonly outcome: SetOutcome | undefined;
}

/** The length of a session in seconds, where it can be known. */
function secondsOf({ length_seconds: seconds, started_at: start, ended_at: end }: Session) {
  const between = (Date.parse(end ?? '') - Date.parse(start ?? '')) / 1_000;
  const known = seconds ?? between;
  return Number.isNaN(known) ? undefined : Math.round(known);
}

/** A session end as it is told of now. */
export function sessionEndOf(
  id: string,
  link: IssuedLink,
  session: Session,
  { receivedAt, recovered }: Pick<SessionEnd, 'receivedAt' | 'recovered'>,
): SessionEnd {
  const outcome = undefined;
  return {
    id,
    link,
    sessionId: session.id,
    session,
    seconds: secondsOf(session),
    receivedAt,
    recovered,
    outcome,
  };
}

/** When it ended by the service's clock, or became known where that isn't said. Milliseconds since 1970. */
export function endedAt({ session, receivedAt }: SessionEnd): number {
  const ended = Date.parse(session?.ended_at ?? '');
  return Number.isNaN(ended) ? receivedAt : ended;
}

const columns = sql`id, workspace_id, session_id, link_id, user_id, visitor_id, channel_id, thread_ts, access, seconds,
  received_at, recovered, outcome, outcome_by, outcome_at, payload`;

function readSession(text: string): Session | undefined {
  try {
    return SessionSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const Row = z
  .object({
    id: z.string(),
    workspace_id: z.string(),
    session_id: z.string(),
    link_id: z.string(),
    user_id: z.string(),
    visitor_id: z.string(),
    channel_id: z.string().nullable(),
    thread_ts: z.string().nullable(),
    access: Access,
    seconds: z.number().nullable(),
    received_at: z.number(),
    recovered: z.number(),
    outcome: SessionOutcome.nullable().catch(null),
    outcome_by: z.string().nullable(),
    outcome_at: z.number().nullable(),
    payload: z.string(),
  })
  .transform((row): SessionEnd => ({
    id: row.id,
    link: {
      workspaceId: row.workspace_id,
      userId: row.user_id,
      visitorId: row.visitor_id,
      access: row.access,
      linkId: row.link_id,
      ...(row.channel_id === null ? {} : { channelId: row.channel_id }),
      ...(row.thread_ts === null ? {} : { threadTs: row.thread_ts }),
    },
    sessionId: row.session_id,
    session: readSession(row.payload),
    seconds: row.seconds ?? undefined,
    receivedAt: row.received_at,
    recovered: row.recovered === 1,
    outcome:
      row.outcome === null
        ? undefined
        : { outcome: row.outcome, by: row.outcome_by ?? '', at: row.outcome_at ?? row.received_at },
  }));

/** A ticket can tell of any session: one that doesn't say it is the ticket's own takes no other session's place. */
const claimantOf = (link: IssuedLink, session: Session) => (isOwn(link, session) ? '' : link.linkId);

const featuresOf = (session: Session) =>
  session.features_used.slice(0, MOST_FEATURES).map((name) => name.slice(0, LONGEST_FEATURE));

/** Keeps it unless it is kept already, or its link has told of enough others. */
function insert({ id, link, seconds, receivedAt, recovered }: SessionEnd, session: Session): Sql {
  const { workspaceId, linkId, userId, visitorId, channelId, threadTs, access } = link;
  return sql`INSERT INTO session_ends (id, workspace_id, session_id, claimant, link_id, user_id, visitor_id, channel_id,
      thread_ts, access, seconds, features, received_at, recovered, payload)
    SELECT ${id}, ${workspaceId}, ${session.id}, ${claimantOf(link, session)}, ${linkId}, ${userId}, ${visitorId},
      ${channelId ?? null}, ${threadTs ?? null}, ${access}, CAST(${seconds ?? null} AS BIGINT),
      ${JSON.stringify(featuresOf(session))}, CAST(${receivedAt} AS BIGINT), CAST(${recovered ? 1 : 0} AS BIGINT),
      ${JSON.stringify(session)}
    WHERE (SELECT COUNT(*) FROM (SELECT 1 FROM session_ends WHERE workspace_id = ${workspaceId}
      AND link_id = ${linkId} LIMIT ${MOST_SESSIONS}) AS told) < ${MOST_SESSIONS}
    ON CONFLICT (workspace_id, session_id, claimant) DO NOTHING`;
}

const Id = z.object({ id: z.string() });

/** What a digest counts of a session. Nothing of its visitor. */
const Fact = z
  .object({
    user_id: z.string(),
    seconds: z.number().nullable(),
    features: z.string().transform((text) => z.array(z.string()).catch([]).parse(JSON.parse(text))),
    received_at: z.number(),
  })
  .transform(({ user_id: userId, seconds, features, received_at: learnedAt }) => ({
    userId,
    features,
    learnedAt,
    ...(seconds === null ? {} : { seconds }),
  }));

/** The sessions that ended, durable: each once, however often it's told of. */
export interface SessionEnds {
  /**
   * Keeps it, in one commit with what else is to be written down then. A lost answer to the commit is asked for again.
   *
   * @param alongside written whether or not the session was known
   * @returns `too-many` where its link has told of enough others
   */
  record(end: SessionEnd, alongside?: readonly Sql[]): Promise<'accepted' | 'duplicate' | 'too-many'>;
  /** Those that have no deliveries yet and were received by then, oldest first. */
  toFanOut(until: number, limit: number): Promise<readonly SessionEnd[]>;
  byIds(ids: readonly string[]): Promise<readonly SessionEnd[]>;
  /** What digests count of those that became known from `from` on and before `to`, after the one named last. */
  between(workspaceId: string, from: number, to: number): Promise<readonly z.infer<typeof Fact>[]>;
}

export function createSessionEnds(database: Database): SessionEnds {
  async function whichIsKept({ link }: SessionEnd, session: Session): Promise<string | undefined> {
    const [kept] = await database.read(
      sql`SELECT id FROM session_ends WHERE workspace_id = ${link.workspaceId} AND session_id = ${session.id}
        AND claimant = ${claimantOf(link, session)}`,
      Id,
    );
    return kept?.id;
  }

  return {
    async record(end, alongside = []) {
      const { session } = end;
      if (session === undefined) throw new TypeError('A session end is recorded with its session');
      // What is alongside comes first: where it locks the link's row, two that come at once count one after the other.
      const write = () => database.write(...alongside, insert(end, session));
      const written = await write().catch((error: unknown) => {
        // It may be kept: the same id tells.
        if (error instanceof DatabaseError && error.kind === 'unknown') return write();
        throw error;
      });
      if (hasChanged(written.at(-1))) return 'accepted';
      const kept = await whichIsKept(end, session);
      if (kept === undefined) return 'too-many';
      return kept === end.id ? 'accepted' : 'duplicate';
    },

    toFanOut: (until, limit) =>
      database.read(
        sql`SELECT ${columns} FROM session_ends WHERE fanned_out_at IS NULL AND received_at <= ${until}
          ORDER BY received_at, id LIMIT ${limit}`,
        Row,
      ),

    async byIds(ids) {
      if (ids.length === 0) return [];
      return database.read(
        sql`SELECT ${columns} FROM session_ends WHERE id IN (${list(ids.map((id) => sql`${id}`))})`,
        Row,
      );
    },

    between: (workspaceId, from, to) =>
      database.read(
        sql`SELECT user_id, seconds, features, received_at FROM session_ends
          WHERE workspace_id = ${workspaceId} AND received_at >= ${from} AND received_at < ${to}`,
        Fact,
      ),
  };
}
