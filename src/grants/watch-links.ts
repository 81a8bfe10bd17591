import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { hasChanged } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Sql } from '../database/sql.ts';
import type { Conclusion, Fate, GrantEnd } from './fate.ts';
import type { SessionEndGrant } from './grant.ts';
import { Power } from './power.ts';

/** How long Home and reports show a link. */
const SHOWN_MS = 7 * 24 * 60 * 60 * 1_000;
/** Nobody counts more people before one screen. */
const MOST_IN_USE = 50;
/** A person's links whose end is looked for at once: more would be no person's. */
const MOST_LOOKED_FOR = 500;

/** A link as it goes out. Ids and times only, never the link. Milliseconds since 1970. */
export interface IssuedLink {
  readonly grant: SessionEndGrant;
  /** The agent that the service was told, by the id that was sent. */
  readonly agentId: string;
  /** By our clock. */
  readonly issuedAt: number;
  /** When the link stops being valid, by the service's clock; left out where it did not say. */
  readonly expiresAt?: number;
}

/** A link with what became of it, where that is known. */
export type GivenLink = IssuedLink & { readonly fate?: Fate };

/** A link to a visitor's screen of whose end nobody has heard yet. */
export interface LinkInUse {
  readonly userId: string;
  readonly visitorId: string;
  readonly grantId: string;
  readonly at: number;
}

/** The links that went out and what became of them. */
export interface WatchLinks {
  /** A person's latest, newest first, of the last seven days. */
  of(workspaceId: string, userId: string, limit: number): Promise<readonly GivenLink[]>;
  /** The links to a visitor's screen issued since a time, newest first, without those whose end is known. */
  inUse(workspaceId: string, visitorId: string, since: number): Promise<readonly LinkInUse[]>;
  /** A person's links whose sessions' ends are still looked for, oldest first. */
  lookedFor(workspaceId: string, userId: string): Promise<readonly GivenLink[]>;
  /** Writes down what was concluded, where nothing better is known. False where it was. */
  conclude(grant: SessionEndGrant, conclusion: Conclusion): Promise<boolean>;
  /** Its end is not looked for any more. */
  leave(grant: SessionEndGrant): Promise<void>;
  fateOf(grant: SessionEndGrant): Promise<Fate | undefined>;
}

const Row = z
  .object({
    workspace_id: z.string(),
    id: z.string(),
    agent_id: z.string(),
    user_id: z.string(),
    visitor_id: z.string(),
    channel_id: z.string().nullable(),
    thread_ts: z.string().nullable(),
    access: Power,
    issued_at: z.number(),
    expires_at: z.number().nullable(),
    state: z.enum(['open', 'ended', 'unused', 'unknown']),
    ended_at: z.number().nullable(),
    seconds: z.number().nullable(),
  })
  .transform((row): GivenLink => {
    const { state, ended_at: at, seconds } = row;
    return {
      grant: {
        workspaceId: row.workspace_id,
        userId: row.user_id,
        visitorId: row.visitor_id,
        power: row.access,
        grantId: row.id,
        ...(row.channel_id === null ? {} : { channelId: row.channel_id }),
        ...(row.thread_ts === null ? {} : { threadTs: row.thread_ts }),
      },
      agentId: row.agent_id,
      issuedAt: row.issued_at,
      ...(row.expires_at === null ? {} : { expiresAt: row.expires_at }),
      ...(state === 'open' || at === null ? {} : { fate: fateIn(state, at, seconds) }),
    };
  });

function fateIn(state: 'ended' | Conclusion['concluded'], at: number, seconds: number | null): Fate {
  if (state !== 'ended') return { concluded: state, at };
  return { endedAt: at, ...(seconds === null ? {} : { lengthSeconds: seconds }) };
}

const columns = sql`workspace_id, id, agent_id, user_id, visitor_id, channel_id, thread_ts, access, issued_at,
  expires_at, state, ended_at, seconds`;

/**
 * The statement that puts a link on record, before it is handed out. It changes nothing where a link was made with the same
 * proof already: then this one must not be handed out.
 *
 * @param proofId what proves that its user asked for it, good for one link; left out where the ticket is proof enough
 */
export function recordLink({ grant, agentId, issuedAt, expiresAt }: IssuedLink, proofId?: string): Sql {
  const { workspaceId, grantId, userId, visitorId, channelId, threadTs, power } = grant;
  return sql`INSERT INTO watch_links (workspace_id, id, agent_id, user_id, visitor_id, channel_id, thread_ts, access,
      proof_id, issued_at, expires_at, state, looked_for)
    VALUES (${workspaceId}, ${grantId}, ${agentId}, ${userId}, ${visitorId}, ${channelId ?? null}, ${threadTs ?? null},
      ${power}, ${proofId ?? null}, ${issuedAt}, ${expiresAt ?? null}, 'open', 1)
    ON CONFLICT DO NOTHING`;
}

/** The statement that says a link's session ended. That is the truth: it takes the place of whatever was concluded. */
export function endLink(
  { workspaceId, grantId }: SessionEndGrant,
  { endedAt, lengthSeconds }: GrantEnd,
): Sql {
  return sql`UPDATE watch_links SET state = 'ended', ended_at = ${endedAt}, seconds = ${lengthSeconds ?? null},
      looked_for = 0
    WHERE workspace_id = ${workspaceId} AND id = ${grantId}`;
}

const one = ({ workspaceId, grantId }: SessionEndGrant): Sql =>
  sql`workspace_id = ${workspaceId} AND id = ${grantId}`;

export function createWatchLinks(database: Database, now: () => number): WatchLinks {
  return {
    of: (workspaceId, userId, limit) =>
      database.read(
        sql`SELECT ${columns} FROM watch_links
          WHERE workspace_id = ${workspaceId} AND user_id = ${userId} AND issued_at > ${now() - SHOWN_MS}
          ORDER BY issued_at DESC, id LIMIT ${limit}`,
        Row,
      ),
    async inUse(workspaceId, visitorId, since) {
      const links = await database.read(
        sql`SELECT ${columns} FROM watch_links
          WHERE workspace_id = ${workspaceId} AND visitor_id = ${visitorId} AND issued_at >= ${since} AND state = 'open'
          ORDER BY issued_at DESC, id LIMIT ${MOST_IN_USE}`,
        Row,
      );
      return links.map(({ grant: { userId, grantId }, issuedAt: at }) => ({
        userId,
        visitorId,
        grantId,
        at,
      }));
    },
    lookedFor: (workspaceId, userId) =>
      database.read(
        sql`SELECT ${columns} FROM watch_links
          WHERE workspace_id = ${workspaceId} AND user_id = ${userId} AND looked_for = 1
          ORDER BY issued_at, id LIMIT ${MOST_LOOKED_FOR}`,
        Row,
      ),
    async conclude(grant, { concluded, at }) {
      const [changed] = await database.write(
        sql`UPDATE watch_links SET state = ${concluded}, ended_at = ${at} WHERE ${one(grant)} AND state = 'open'`,
      );
      return hasChanged(changed);
    },
    async leave(grant) {
      await database.write(sql`UPDATE watch_links SET looked_for = 0 WHERE ${one(grant)}`);
    },
    async fateOf(grant) {
      const [link] = await database.read(sql`SELECT ${columns} FROM watch_links WHERE ${one(grant)}`, Row);
      return link?.fate;
    },
  };
}
