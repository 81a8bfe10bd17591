import { z } from 'zod';
import { wasAccepted, withoutAddresses, type Session } from '../cobrowse/schemas.ts';
import { join, rowOf, sql, type Database } from '../database/database.ts';
import type { IssuedLink, Conclusion } from '../messages/link-request.ts';
import type { App } from '../parts.ts';
import { endLink, leaveLink, type GivenLink, type RecordedLink } from './watch-links.ts';

/* Which session belongs to which link, and what listed sessions say about links. Times: milliseconds since 1970. */

/** The id becomes a key in the database, which accepts only well-formed text, and mustn't hold what could be a watch link. */
export const hasUsableId = ({ id }: Pick<Session, 'id'>): boolean =>
  id.isWellFormed() && withoutAddresses(id) === id;

/** Known if the service returns the metadata the link was requested with. */
export const namedLink = ({ metadata }: Session): string | undefined => metadata?.slack_link;

export const isOfAnother = ({ linkId }: IssuedLink, session: Session): boolean =>
  ![undefined, linkId].includes(namedLink(session));

/** False proves nothing: no document promises that a session's `visitor_id` is the id that links are requested with. */
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

/** For a session that names no link. */
function canBe(open: RecordedLink, session: Session): boolean {
  if (session.visitor_id !== open.link.visitorId) return false;
  const { from, until } = startWindow(open);
  const startedAt = startOf(session);
  return startedAt >= from && startedAt <= until;
}

function candidates(links: readonly RecordedLink[], sessions: readonly Session[]): readonly Session[] {
  const known = new Set(links.map(({ link }) => link.linkId));
  return sessions.filter((session) => {
    const named = namedLink(session);
    return named === undefined ? links.some((open) => canBe(open, session)) : known.has(named);
  });
}

/** By the link that owns a session or that it names: all of them. Otherwise by visitor, each link the nearest that's left. */
export function match(
  links: readonly RecordedLink[],
  sessions: readonly Session[],
  owners: ReadonlyMap<string, string> = new Map(),
): ReadonlyMap<string, readonly Session[]> {
  const known = new Set(links.map(({ link }) => link.linkId));
  const matched = new Map<string, readonly Session[]>();
  const nameless: Session[] = [];
  for (const session of sessions) {
    const linkId = owners.get(session.id) ?? namedLink(session);
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

const Owner = rowOf({ sessionId: z.string(), linkId: z.string() });

/** Whose the stored ones of these sessions are: their first link's to tell of them. */
async function ownersOf(
  { read }: Pick<Database, 'read'>,
  workspaceId: string,
  sessions: readonly Session[],
): Promise<ReadonlyMap<string, string>> {
  if (sessions.length === 0) return new Map();
  const owners = await read(
    sql`SELECT session_id, link_id FROM session_ends WHERE workspace_id = ${workspaceId} AND claimant = ''
      AND session_id IN (${join(sessions.map(({ id }) => id))})`,
    Owner,
  );
  return new Map(owners.map(({ sessionId, linkId }) => [sessionId, linkId]));
}

/** No session lasts this long. */
const HORIZON_MS = 48 * HOUR_MS;
/** If the service stops answering, give up after this; a webhook's ticket is valid as long. */
const LAST_HORIZON_MS = 7 * 24 * HOUR_MS;
/** The service may list a session only once it has ended, so an unused link is looked for as long as one could last. */
const UNUSED_HORIZON_MS = 12 * HOUR_MS;

/** `reported` if a webhook got there first. */
export type LookUpResult = 'recovered' | 'reported' | Conclusion['concluded'];

interface LookUpAnswer {
  /** How long to wait for a webhook before relying on what the service lists, milliseconds. */
  readonly graceMs: number;
  /** Links whose ends are looked for. One that was called unused has a result, and may be used after all. */
  readonly open: readonly GivenLink[];
  /** Undefined if the service gave no answer, or couldn't be asked. */
  readonly sessions?: readonly Session[] | undefined;
  /** Whether the service can never be asked about them again. */
  readonly isLost?: boolean;
  /** Undefined if the service can't be asked at all. */
  readonly lookUps?: { readonly answered: readonly number[]; readonly seen: readonly string[] } | undefined;
}

/** For a link for which no ended session is listed. */
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

export const concludedWithoutAsking = (open: RecordedLink): number => open.issuedAt + HORIZON_MS;

/** A session that runs, and whose customer isn't still being asked. */
const isUnderWay = (session: Session) => session.ended_at === undefined && wasAccepted(session) !== false;

export interface OnOutcome {
  /** Resolves once the ended session is durable. */
  readonly accept: (link: IssuedLink, session: Session) => Promise<'accepted' | 'duplicate'>;
  /** Records it, and shows it on the link's card. */
  readonly conclude: (link: IssuedLink, conclusion: Conclusion) => Promise<void>;
  /** Shows on a link's card, once, that its session was seen running. */
  readonly showRunning: (link: IssuedLink, seenAt: number) => Promise<void>;
  readonly report: (result: LookUpResult, link: IssuedLink) => void;
}

/** Draws the conclusions from one answer of the service: ended sessions become summaries, and unused links are closed. */
export function createRecordOutcomes(parts: OnOutcome & Pick<App, 'database' | 'now'>) {
  const { database, now, accept, conclude, showRunning, report } = parts;
  async function matched({ open, sessions = [] }: LookUpAnswer) {
    const possible = candidates(open, sessions).filter(hasUsableId);
    const owners = await ownersOf(database, open[0]?.link.workspaceId ?? '', possible);
    return match(open, possible, owners);
  }

  async function withSessions(
    { link }: RecordedLink,
    sessions: readonly Session[],
    graceMs: number,
    time: number,
  ): Promise<'open' | 'just-ended' | 'closed'> {
    const past = sessions.filter(({ ended_at }) => {
      const age = time - Date.parse(ended_at ?? '');
      // Its webhook has had the time to arrive. A clock that far ahead says nothing about that.
      return age >= graceMs || age < -CLOCKS_APART_MS;
    });
    // Stored before the link is closed: after a kill they're duplicates.
    for (const session of past)
      report((await accept(link, session)) === 'accepted' ? 'recovered' : 'reported', link);
    const last = past.at(-1);
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

    async function withoutEnd(open: GivenLink): Promise<'open' | 'closed'> {
      const { link, result } = open;
      const { concluded, isOver } = conclusionFor(open, answer, { isUsed: used.has(link.linkId), time });
      if (concluded !== undefined && result === undefined) {
        await conclude(link, { concluded, at: time });
        report(concluded, link);
      }
      if (isOver) await database.write(leaveLink(link));
      return isOver ? 'closed' : 'open';
    }

    const left: GivenLink[] = [];
    let isJustEnded = false;
    for (const open of answer.open) {
      const sessions = found.get(open.link.linkId) ?? [];
      if (sessions.some(isUnderWay)) await showRunning(open.link, time);
      const ended = await withSessions(open, sessions, answer.graceMs, time);
      const outcome = ended === 'open' ? await withoutEnd(open) : ended;
      if (outcome !== 'closed') left.push(open);
      isJustEnded ||= outcome === 'just-ended';
    }
    return {
      left,
      /** Ids of those for which a session was ever listed. */
      seen: left.map(({ link }) => link.linkId).filter((id) => used.has(id)),
      /** Whether a webhook may still be on the way. */
      isJustEnded,
    };
  };
}
