import { z } from 'zod';
import type { Session } from '../cobrowse/schemas.ts';
import { hasChanged, sql, hasComeIn, type Database, type Sql } from '../database/database.ts';
import type { IssuedLink } from '../messages/link-request.ts';
import type { RecordedLink } from './watch-links.ts';

/** The link that the session was started with, if the service returns the metadata the link was requested with. */
export const namedLink = ({ metadata }: Session): string | undefined => metadata?.slack_link;

/** Whether the session itself says it began with another link. */
export function isOfAnother(link: IssuedLink, session: Session): boolean {
  const named = namedLink(session);
  return named !== undefined && named !== link.linkId;
}

/**
 * Whether the session itself says it belongs to this link: it names the link, or names none and has the same visitor.
 * If it doesn't, that proves nothing: the document doesn't promise that a session's `visitor_id` is the id that links
 * are requested with.
 */
export function isOwn(link: IssuedLink, session: Session): boolean {
  const named = namedLink(session);
  return named === undefined ? session.visitor_id === link.visitorId : named === link.linkId;
}

const MINUTE_MS = 60_000;
/** How far the service's clock and ours may be apart. */
export const CLOCKS_APART_MS = 3 * MINUTE_MS;
/**
 * If the service doesn't say how long its link is valid. Generous, because a session that isn't found is a lost
 * summary.
 */
const ASSUMED_LIFETIME_MS = 30 * MINUTE_MS;
/** No link is valid longer, whatever the service says: links are short-lived. */
const LONGEST_LIFETIME_MS = 24 * 60 * MINUTE_MS;

/** A session that the service lists for an agent, and the link it already belongs to. */
interface ListedSession {
  readonly session: Session;
  readonly linkId: string | undefined;
}

/** When a session of this link can have started, by the service's clock. Milliseconds since 1970. */
export function startWindow({ issuedAt, expiresAt }: RecordedLink): {
  readonly from: number;
  readonly until: number;
} {
  const lifetime = expiresAt === undefined ? ASSUMED_LIFETIME_MS : expiresAt - issuedAt;
  const lives = Math.min(LONGEST_LIFETIME_MS, Math.max(0, lifetime));
  return { from: issuedAt - CLOCKS_APART_MS, until: issuedAt + lives + CLOCKS_APART_MS };
}

function canBe(open: RecordedLink, startedAt: number): boolean {
  const { from, until } = startWindow(open);
  return startedAt >= from && startedAt <= until;
}

interface Pair {
  readonly open: RecordedLink;
  readonly session: Session;
  readonly startedAt: number;
}

/** Those of an agent's sessions that can belong to one of these links. */
export function candidates(links: readonly RecordedLink[], sessions: readonly Session[]): readonly Session[] {
  const known = new Set(links.map(({ link }) => link.linkId));
  return sessions.filter((session) => {
    const named = namedLink(session);
    if (named !== undefined) return known.has(named);
    const startedAt = Date.parse(session.started_at ?? '');
    return links.some((open) => session.visitor_id === open.link.visitorId && canBe(open, startedAt));
  });
}

/** Pairs each link with the session of its visitor that is nearest in time; each link and each session once. */
function nearest(links: readonly RecordedLink[], sessions: readonly Session[]): readonly Pair[] {
  const pairs = links.flatMap((open) =>
    sessions.flatMap((session): Pair[] => {
      const startedAt = Date.parse(session.started_at ?? '');
      const isTheirs = session.visitor_id === open.link.visitorId && canBe(open, startedAt);
      return isTheirs ? [{ open, session, startedAt }] : [];
    }),
  );
  const distance = ({ open, startedAt }: Pair) => Math.abs(startedAt - open.issuedAt);
  const taken = new Set<string>();
  return pairs
    .toSorted((a, b) => distance(a) - distance(b))
    .filter(({ open, session }) => {
      const [link, its] = [`link ${open.link.linkId}`, `session ${session.id}`];
      if (taken.has(link) || taken.has(its)) return false;
      taken.add(link).add(its);
      return true;
    });
}

/**
 * The same pairs for one visitor, in order of time: if the clocks differ, the nearest session may belong to the next
 * link.
 */
function inOrder(pairs: readonly Pair[]): readonly Pair[] {
  const byStart = pairs.toSorted((a, b) => a.startedAt - b.startedAt);
  const ordered = pairs
    .toSorted((a, b) => a.open.issuedAt - b.open.issuedAt)
    .flatMap(({ open }, index): Pair[] => {
      const other = byStart[index];
      return other === undefined ? [] : [{ ...other, open }];
    });
  return ordered.every(({ open, startedAt }) => canBe(open, startedAt)) ? ordered : pairs;
}

/**
 * Which sessions belong to which links: by the link a session already belongs to or names, otherwise by visitor and
 * time. By time, each session goes to one link and each link gets one; a link that was opened twice gets all sessions
 * that name it.
 */
export function match(
  links: readonly RecordedLink[],
  listed: readonly ListedSession[],
): ReadonlyMap<string, readonly Session[]> {
  const known = new Map(links.map((open) => [open.link.linkId, open]));
  const matched = new Map<string, readonly Session[]>();
  const assign = (linkId: string, session: Session) =>
    void matched.set(linkId, [...(matched.get(linkId) ?? []), session]);
  const nameless: Session[] = [];
  for (const { session, linkId } of listed) {
    const owner = linkId ?? namedLink(session);
    if (owner === undefined) nameless.push(session);
    else if (known.has(owner)) assign(owner, session);
  }
  const left = links.filter(({ link }) => !matched.has(link.linkId));
  const visitors = new Set(left.map(({ link }) => link.visitorId));
  for (const visitorId of visitors) {
    const theirs = nearest(
      left.filter(({ link }) => link.visitorId === visitorId),
      nameless.filter((session) => session.visitor_id === visitorId),
    );
    for (const { open, session } of inOrder(theirs)) assign(open.link.linkId, session);
  }
  return matched;
}

const REMEMBERED_MS = 7 * 24 * 60 * 60 * 1_000;

const Owner = z.object({ link_id: z.string() });

/** Removes what nobody asks about any more. */
export const removeOldOwners = (until: number, limit: number): Sql =>
  sql`DELETE FROM session_owners WHERE (workspace_id, session_id) IN (
    SELECT workspace_id, session_id FROM session_owners WHERE expires_at <= ${until} LIMIT ${limit})`;

/** Remembers which link each session belongs to. @param now milliseconds since 1970 */
export function createSessionOwners(database: Pick<Database, 'read' | 'write'>, now: () => number) {
  /** A session from a webhook certainly belongs to the webhook's link, whoever else asked for it. */
  async function reportedOwner(workspaceId: string, sessionId: string): Promise<string | undefined> {
    const [reported] = await database.read(
      sql`SELECT link_id FROM session_ends
        WHERE workspace_id = ${workspaceId} AND session_id = ${sessionId} AND claimant = ''`,
      Owner,
    );
    return reported?.link_id;
  }

  return {
    /** The link that a session belongs to; undefined if it has none yet. */
    async of(workspaceId: string, sessionId: string): Promise<string | undefined> {
      const reported = await reportedOwner(workspaceId, sessionId);
      if (reported !== undefined) return reported;
      const [owner] = await database.read(
        sql`SELECT link_id FROM session_owners
          WHERE workspace_id = ${workspaceId} AND session_id = ${sessionId}
            AND NOT ${hasComeIn(sql`expires_at`, now(), REMEMBERED_MS)}`,
        Owner,
      );
      return owner?.link_id;
    },
    /** Assigns a session to a link, unless it belongs to another one: the first to ask gets it. */
    async assign(sessionId: string, { workspaceId, linkId }: IssuedLink): Promise<boolean> {
      const reported = await reportedOwner(workspaceId, sessionId);
      if (reported !== undefined) return reported === linkId;
      const time = now();
      const isFree = hasComeIn(sql`session_owners.expires_at`, time, REMEMBERED_MS);
      const [written] = await database.write(
        sql`INSERT INTO session_owners (workspace_id, session_id, link_id, expires_at)
          VALUES (${workspaceId}, ${sessionId}, ${linkId}, ${time + REMEMBERED_MS})
          ON CONFLICT (workspace_id, session_id)
          DO UPDATE SET link_id = excluded.link_id, expires_at = excluded.expires_at
          WHERE session_owners.link_id = ${linkId} OR ${isFree}`,
      );
      return hasChanged(written);
    },
  };
}
