import { z } from 'zod';
import { wasAccepted, type Session } from '../cobrowse/schemas.ts';
import { withoutAddresses } from '../cobrowse/watch-link.ts';
import { hasChanged, sql, type Database, type Sql } from '../database/database.ts';
import { rowOf } from '../database/row.ts';
import type { IssuedLink, Conclusion } from '../messages/link-request.ts';
import type { LookUps } from './poll-schedule.ts';
import { endLink, type GivenLink, type RecordedLink, type WatchLinks } from './watch-links.ts';

/*
 * Which session belongs to which link, and what the sessions that the service lists say about the links. Times are
 * milliseconds since 1970.
 */

/** The id becomes a key in the database, which accepts only well-formed text. What could be a watch link is no id. */
export const hasUsableId = ({ id }: Pick<Session, 'id'>): boolean =>
  id.isWellFormed() && withoutAddresses(id) === id;

/** The link that the session was started with, if the service returns the metadata the link was requested with. */
export const namedLink = ({ metadata }: Session): string | undefined => metadata?.slack_link;

/** Whether the session itself says it began with another link. */
export const isOfAnother = ({ linkId }: IssuedLink, session: Session): boolean =>
  ![undefined, linkId].includes(namedLink(session));

/**
 * Whether the session itself says it belongs to this link: it names the link, or names none and has the same visitor. If it
 * doesn't, that proves nothing: the document doesn't promise that a session's `visitor_id` is the id that links are
 * requested with.
 */
export function isOwn(link: IssuedLink, session: Session): boolean {
  const named = namedLink(session);
  return named === undefined ? session.visitor_id === link.visitorId : named === link.linkId;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** How far the service's clock and ours may be apart. */
const CLOCKS_APART_MS = 3 * MINUTE_MS;
/** If the service doesn't say how long its link is valid. Generous: a session that isn't found is a lost summary. */
const ASSUMED_LIFETIME_MS = 30 * MINUTE_MS;
/** No link is valid longer, whatever the service says. */
const LONGEST_LIFETIME_MS = 24 * HOUR_MS;

/** When a session of this link can have started, by the service's clock. */
export function startWindow({ issuedAt, expiresAt = issuedAt + ASSUMED_LIFETIME_MS }: RecordedLink) {
  const lives = Math.min(LONGEST_LIFETIME_MS, Math.max(0, expiresAt - issuedAt));
  return { from: issuedAt - CLOCKS_APART_MS, until: issuedAt + lives + CLOCKS_APART_MS };
}

const startOf = ({ started_at }: Session) => Date.parse(started_at ?? '');

/** Whether a session that names no link may be this one's: of its visitor, at its time. */
function canBe(open: RecordedLink, session: Session): boolean {
  if (session.visitor_id !== open.link.visitorId) return false;
  const { from, until } = startWindow(open);
  const startedAt = startOf(session);
  return startedAt >= from && startedAt <= until;
}

/** Those of an agent's sessions that can belong to one of these links. */
function candidates(links: readonly RecordedLink[], sessions: readonly Session[]): readonly Session[] {
  const known = new Set(links.map(({ link }) => link.linkId));
  return sessions.filter((session) => {
    const named = namedLink(session);
    return named === undefined ? links.some((open) => canBe(open, session)) : known.has(named);
  });
}

/**
 * Which sessions belong to which links: by the link that a session already belongs to or names, otherwise by visitor and
 * time. By time, each link gets the nearest session that is left; a link that was opened twice gets all that name it.
 *
 * @param listed what the service lists, each with the link it already belongs to
 */
export function match(
  links: readonly RecordedLink[],
  listed: readonly { readonly session: Session; readonly linkId: string | undefined }[],
): ReadonlyMap<string, readonly Session[]> {
  const known = new Set(links.map(({ link }) => link.linkId));
  const matched = new Map<string, readonly Session[]>();
  const nameless: Session[] = [];
  for (const { session, linkId = namedLink(session) } of listed) {
    if (linkId === undefined) nameless.push(session);
    else if (known.has(linkId)) matched.set(linkId, [...(matched.get(linkId) ?? []), session]);
  }
  const pairs = links
    .filter(({ link }) => !matched.has(link.linkId))
    .flatMap((open) =>
      nameless
        .filter((session) => canBe(open, session))
        .map((session) => ({ open, session, apartMs: Math.abs(startOf(session) - open.issuedAt) })),
    )
    .toSorted((one, other) => one.apartMs - other.apartMs);
  const taken = new Set<Session>();
  for (const { open, session } of pairs) {
    if (matched.has(open.link.linkId) || taken.has(session)) continue;
    matched.set(open.link.linkId, [session]);
    taken.add(session);
  }
  return matched;
}

const REMEMBERED_MS = 7 * 24 * HOUR_MS;

const Owner = rowOf({ linkId: z.string().optional() });

/** Removes what nobody asks about any more. */
export const removeOldOwners = (until: number, limit: number): Sql =>
  sql`DELETE FROM session_owners WHERE (workspace_id, session_id) IN (
    SELECT workspace_id, session_id FROM session_owners WHERE expires_at <= ${until} LIMIT ${limit})`;

/** A session from a webhook certainly belongs to the webhook's link, whoever else asked for it. */
const reportedOwner = (workspaceId: string, sessionId: string): Sql =>
  sql`SELECT link_id FROM session_ends
    WHERE workspace_id = ${workspaceId} AND session_id = ${sessionId} AND claimant = ''`;

/** Remembers which link each session belongs to. */
export function createSessionOwners(database: Pick<Database, 'read' | 'write'>, now: () => number) {
  return {
    /** The link that a session belongs to; undefined if it has none yet. */
    async of(workspaceId: string, sessionId: string): Promise<string | undefined> {
      const [owner] = await database.read(
        sql`SELECT COALESCE((${reportedOwner(workspaceId, sessionId)}), (SELECT link_id FROM session_owners
          WHERE workspace_id = ${workspaceId} AND session_id = ${sessionId} AND expires_at > ${now()})) AS link_id`,
        Owner,
      );
      return owner?.linkId;
    },
    /** Assigns a session to a link, unless it belongs to another one: the first to ask gets it. */
    async assign(sessionId: string, { workspaceId, linkId }: IssuedLink): Promise<boolean> {
      const [reported] = await database.read(reportedOwner(workspaceId, sessionId), Owner);
      if (reported !== undefined) return reported.linkId === linkId;
      const time = now();
      const [written] = await database.write(
        sql`INSERT INTO session_owners (workspace_id, session_id, link_id, expires_at)
          VALUES (${workspaceId}, ${sessionId}, ${linkId}, ${time + REMEMBERED_MS})
          ON CONFLICT (workspace_id, session_id)
          DO UPDATE SET link_id = excluded.link_id, expires_at = excluded.expires_at
          WHERE session_owners.link_id = ${linkId} OR session_owners.expires_at <= ${time}`,
      );
      return hasChanged(written);
    },
  };
}

/** No session lasts this long. */
const HORIZON_MS = 48 * HOUR_MS;
/** If the service stops answering, give up after this; a webhook's ticket is valid as long. */
const LAST_HORIZON_MS = 7 * 24 * HOUR_MS;
/** The service may list a session only once it has ended, so an unused link is looked for as long as one could last. */
const UNUSED_HORIZON_MS = 12 * HOUR_MS;

/** What a look-up found out about one link: `reported` if a webhook got there first. */
export type LookUpResult = 'recovered' | 'reported' | Conclusion['concluded'];

/** What a look-up said about an agent. */
interface LookUpAnswer {
  /** How long to wait for a webhook before relying on what the service lists, milliseconds. */
  readonly graceMs: number;
  /** The agent's links whose ends are looked for. One that was called unused has a result, and may be used after all. */
  readonly open: readonly GivenLink[];
  /** Those of the same person under another agent id. */
  readonly elsewhere: readonly GivenLink[];
  /** What the service lists for the agent; undefined if it gave no answer, or couldn't be asked. */
  readonly sessions?: readonly Session[] | undefined;
  /** Whether the service can't be asked about them ever again. */
  readonly isLost?: boolean;
  /** All look-ups so far; undefined if the service can't be asked at all. */
  readonly lookUps?: LookUps | undefined;
}

/** What we can say about a link for which no ended session is listed, and whether to stop looking. */
function conclusionFor(
  open: RecordedLink,
  { lookUps, sessions, isLost }: LookUpAnswer,
  { isUsed, time }: { readonly isUsed: boolean; readonly time: number },
): { readonly concluded: Conclusion['concluded'] | undefined; readonly isOver: boolean } {
  if (isLost === true) return { concluded: 'unknown', isOver: true };
  const age = time - open.issuedAt;
  const isAnsweredSince = (since: number) =>
    sessions !== undefined && (lookUps?.answered ?? []).filter((at) => at >= since).length >= 2;
  if (!isUsed && isAnsweredSince(startWindow(open).until))
    return { concluded: 'unused', isOver: age >= UNUSED_HORIZON_MS };
  // Even then we want answers, in case nobody could ask for days.
  const isTold = lookUps === undefined || isAnsweredSince(open.issuedAt + HORIZON_MS);
  const isOver = age >= LAST_HORIZON_MS || (age >= HORIZON_MS && isTold);
  return { concluded: isOver ? 'unknown' : undefined, isOver };
}

/** When to conclude a link whose service can't be asked. */
export const concludedWithoutAsking = (open: RecordedLink): number => open.issuedAt + HORIZON_MS;

/** A session that runs, and whose customer isn't still asked. */
const isUnderWay = (session: Session) => session.ended_at === undefined && wasAccepted(session) !== false;

/** What is done with the conclusions. */
export interface OnOutcome {
  /** Starts delivering an ended session; resolves once it's durable. */
  readonly accept: (link: IssuedLink, session: Session) => Promise<'accepted' | 'duplicate'>;
  /**
   * Shows a conclusion on a link's card.
   *
   * @param others the same person's links that are still looked for, and may have the same card
   */
  readonly show: (
    link: IssuedLink,
    concluded: Conclusion['concluded'],
    others: readonly IssuedLink[],
  ) => Promise<void>;
  /** Shows on a link's card, once, that its session was seen running. */
  readonly showRunning: (link: IssuedLink, seenAt: number) => Promise<void>;
  readonly report: (result: LookUpResult, link: IssuedLink) => void;
}

/** Draws the conclusions from one answer of the service: ended sessions become summaries, and unused links are closed. */
export function createRecordOutcomes(
  { database, now }: { readonly database: Database; readonly now: () => number },
  links: Pick<WatchLinks, 'conclude' | 'leave'>,
  { accept, show, showRunning, report }: OnOutcome,
) {
  const owners = createSessionOwners(database, now);

  async function matched({ open, sessions = [] }: LookUpAnswer) {
    const possible = candidates(open, sessions).filter(hasUsableId);
    const workspaceId = open[0]?.link.workspaceId ?? '';
    const listed = await Promise.all(
      possible.map(async (session) => ({ session, linkId: await owners.of(workspaceId, session.id) })),
    );
    return match(open, listed);
  }

  /**
   * False if the session went to another link meanwhile. The summary is durable before the link is closed, so after a
   * kill in between it's found again, as a duplicate.
   */
  async function recover(link: IssuedLink, session: Session): Promise<boolean> {
    if (!(await owners.assign(session.id, link))) return false;
    const accepted = await accept(link, session);
    report(accepted === 'accepted' ? 'recovered' : 'reported', link);
    return true;
  }

  async function withSessions(
    { link }: RecordedLink,
    sessions: readonly Session[],
    graceMs: number,
    time: number,
  ) {
    const past = sessions.filter(({ ended_at }) => {
      const age = time - Date.parse(ended_at ?? '');
      // Its webhook has had the time to arrive. A clock that far ahead says nothing about that.
      return age >= graceMs || age < -CLOCKS_APART_MS;
    });
    let last: Session | undefined;
    for (const session of past) if (await recover(link, session)) last = session;
    if (last === undefined || past.length < sessions.length)
      return sessions.some(({ ended_at }) => ended_at !== undefined) ? 'just-ended' : 'open';
    const { id: sessionId, ended_at, length_seconds: lengthSeconds } = last;
    const endedAt = Math.min(Date.parse(ended_at ?? ''), time);
    await database.write(endLink(link, { sessionId, endedAt, lengthSeconds, accepted: wasAccepted(last) }));
    return 'closed';
  }

  return async function recordOutcomes(answer: LookUpAnswer) {
    const time = now();
    const found = await matched(answer);
    const used = new Set([...(answer.lookUps?.seen ?? []), ...found.keys()]);
    const undecided = new Set(
      [...answer.open, ...answer.elsewhere].filter(({ result }) => result === undefined),
    );

    async function withoutEnd(open: GivenLink): Promise<'open' | 'closed'> {
      const { link, result } = open;
      const { concluded, isOver } = conclusionFor(open, answer, { isUsed: used.has(link.linkId), time });
      if (concluded !== undefined && result === undefined) {
        await show(
          link,
          concluded,
          Array.from(undecided, (other) => other.link),
        );
        await links.conclude(link, { concluded, at: time });
        report(concluded, link);
      }
      if (isOver) await links.leave(link);
      return isOver ? 'closed' : 'open';
    }

    const left: GivenLink[] = [];
    let isJustEnded = false;
    for (const open of answer.open) {
      const sessions = found.get(open.link.linkId) ?? [];
      if (sessions.some(isUnderWay)) await showRunning(open.link, time);
      const ended = await withSessions(open, sessions, answer.graceMs, time);
      undecided.delete(open);
      const outcome = ended === 'open' ? await withoutEnd(open) : ended;
      if (outcome !== 'closed') left.push(open);
      isJustEnded ||= outcome === 'just-ended';
    }
    return {
      /** The links still looked for. */
      left,
      /** Ids of those for which a session was listed, now or earlier. */
      seen: left.map(({ link }) => link.linkId).filter((id) => used.has(id)),
      /** Whether one of them ended just now: its webhook may still be on the way. */
      isJustEnded,
    };
  };
}
