import { wasAccepted, type Session } from '../cobrowse/schemas.ts';
import type { Database } from '../database/database.ts';
import type { Conclusion, IssuedLink } from '../messages/link-request.ts';
import type { LookUps } from './look-up-records.ts';
import { hasUsableId } from './session-ends.ts';
import { candidates, CLOCKS_APART_MS, createSessionOwners, match, startWindow } from './session-links.ts';
import { endLink, type GivenLink, type RecordedLink, type WatchLinks } from './watch-links.ts';

const HOUR_MS = 60 * 60 * 1_000;
/** No session lasts this long. */
const HORIZON_MS = 48 * HOUR_MS;
/** If the service stops answering, give up after this; a webhook's ticket is valid as long. */
const LAST_HORIZON_MS = 7 * 24 * HOUR_MS;
/**
 * The service may list sessions only once they have ended, so keep looking for an unused link as long as a session
 * could have been running the whole time.
 */
const UNUSED_HORIZON_MS = 12 * HOUR_MS;

/** What a look-up found out about one link: `reported` if a webhook got there first. */
export type LookUpResult = 'recovered' | 'reported' | Conclusion['concluded'];

/** What a look-up said about an agent. */
interface LookUpAnswer {
  readonly now: number;
  /** How long to wait for a webhook before relying on what the service lists, milliseconds. */
  readonly graceMs: number;
  /**
   * The agent's links whose ends are looked for. One that was concluded to be unused has a result, and may turn out to be
   * used after all.
   */
  readonly open: readonly GivenLink[];
  /** Those of the same person under another agent id. */
  readonly elsewhere: readonly GivenLink[];
  /** What the service lists for the agent; undefined if it gave no answer, or couldn't be asked. */
  readonly sessions: readonly Session[] | undefined;
  /** Whether the service can't be asked about them ever again. */
  readonly isLost?: boolean;
  /** All look-ups so far; undefined if the service can't be asked at all. */
  readonly lookUps: LookUps | undefined;
}

/** What we can say about a link for which no ended session is listed, and whether to stop looking. */
function conclusionFor(open: RecordedLink, { now, lookUps, sessions, isLost = false }: LookUpAnswer) {
  if (isLost) return { concluded: 'unknown', isOver: true } as const;
  const age = now - open.issuedAt;
  // Two answers, since our clock may be wrong for a moment.
  const isAnsweredSince = (time: number) => (lookUps?.answered ?? []).filter((at) => at >= time).length >= 2;
  const isUsed = lookUps?.seen.includes(open.link.linkId) ?? false;
  if (sessions !== undefined && !isUsed && isAnsweredSince(startWindow(open).until))
    return { concluded: 'unused', isOver: age >= UNUSED_HORIZON_MS } as const;
  // Even then we want answers, in case nobody could ask for days.
  const isTold =
    lookUps === undefined || (sessions !== undefined && isAnsweredSince(open.issuedAt + HORIZON_MS));
  const isOver = age >= LAST_HORIZON_MS || (age >= HORIZON_MS && isTold);
  return { concluded: isOver ? ('unknown' as const) : undefined, isOver };
}

/** When to conclude a link whose service can't be asked. */
export const concludedWithoutAsking = (open: RecordedLink): number => open.issuedAt + HORIZON_MS;

/** A session that runs, and whose customer isn't still asked. */
const isUnderWay = (session: Session) => session.ended_at === undefined && wasAccepted(session) !== false;

/** A session that ended long enough ago for its webhook to have arrived. */
function isPast({ ended_at }: Session, { now, graceMs }: LookUpAnswer): boolean {
  const age = now - Date.parse(ended_at ?? '');
  // A clock that far ahead says nothing about how long ago it was.
  return age >= graceMs || age < -CLOCKS_APART_MS;
}

/** Adds the links with a session listed now to those that were used. */
function withSeen(lookUps: LookUps | undefined, found: Iterable<string>) {
  return lookUps && { ...lookUps, seen: [...lookUps.seen, ...found] };
}

export type RecordOutcomes = ReturnType<typeof createRecordOutcomes>;

/**
 * Draws the conclusions from one answer of the service: ended sessions become summaries, and unused links are closed.
 */
export function createRecordOutcomes({
  database,
  links,
  accept,
  show,
  showRunning,
  report,
  now,
}: {
  readonly database: Database;
  readonly links: Pick<WatchLinks, 'conclude' | 'leave'>;
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
  /** Milliseconds since 1970. */
  readonly now: () => number;
}) {
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
  async function recover({ link }: RecordedLink, session: Session): Promise<boolean> {
    if (!(await owners.assign(session.id, link))) return false;
    const accepted = await accept(link, session);
    report(accepted === 'accepted' ? 'recovered' : 'reported', link);
    return true;
  }

  async function withSessions(open: RecordedLink, sessions: readonly Session[], answer: LookUpAnswer) {
    const past = sessions.filter((session) => isPast(session, answer));
    let last: Session | undefined;
    for (const session of past) if (await recover(open, session)) last = session;
    if (last !== undefined && past.length === sessions.length) {
      const { id: sessionId, ended_at, length_seconds: lengthSeconds } = last;
      const endedAt = Math.min(Date.parse(ended_at ?? ''), answer.now);
      const end = { sessionId, endedAt, lengthSeconds, accepted: wasAccepted(last) };
      await database.write(endLink(open.link, end));
      return 'closed';
    }
    return sessions.some(({ ended_at }) => ended_at !== undefined) ? 'just-ended' : 'open';
  }

  async function withoutEnd(open: GivenLink, answer: LookUpAnswer, others: readonly IssuedLink[]) {
    const { concluded, isOver } = conclusionFor(open, answer);
    if (concluded !== undefined && open.result === undefined) {
      await show(open.link, concluded, others);
      await links.conclude(open.link, { concluded, at: answer.now });
      report(concluded, open.link);
    }
    if (!isOver) return 'open';
    await links.leave(open.link);
    return 'closed';
  }

  return async function recordOutcomes(answer: LookUpAnswer) {
    const found = await matched(answer);
    const about = { ...answer, lookUps: withSeen(answer.lookUps, found.keys()) };
    const undecided = new Set(
      [...answer.open, ...answer.elsewhere].filter(({ result }) => result === undefined),
    );
    const left: GivenLink[] = [];
    let isJustEnded = false;
    for (const open of answer.open) {
      const sessions = found.get(open.link.linkId) ?? [];
      if (sessions.some(isUnderWay)) await showRunning(open.link, answer.now);
      const ended = sessions.length === 0 ? 'open' : await withSessions(open, sessions, answer);
      undecided.delete(open);
      const others = Array.from(undecided, ({ link }) => link);
      const outcome = ended === 'open' ? await withoutEnd(open, about, others) : ended;
      if (outcome === 'closed') continue;
      left.push(open);
      if (outcome === 'just-ended') isJustEnded = true;
    }
    return {
      /** The links still looked for. */
      left,
      /** Ids of the links with a session listed. */
      found: [...found.keys()],
      /** Whether one of them ended just now: its webhook may still be on the way. */
      isJustEnded,
    };
  };
}
