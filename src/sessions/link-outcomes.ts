import type { Session } from '../cobrowse/schemas.ts';
import type { Conclusion } from '../messages/link-result.ts';
import type { IssuedLink } from '../messages/link-request.ts';
import type { RecordedLink, WatchLinks } from './watch-links.ts';
import { wasAccepted } from '../cobrowse/accepted.ts';
import type { AgentLooks } from './agent-looks.ts';
import { linkStateOf } from './link-state.ts';
import type { LinkEnds } from './link-ends.ts';
import { CLOCKS_APART_MS, candidates, match } from './match.ts';
import { hasUsableId, isTooDeep } from './belonging.ts';

/** What a look-up found out about one link: `reported` if a webhook got there first. */
export type Finding = 'recovered' | 'reported' | Conclusion['concluded'];

/**
 * Shows a conclusion on a link's card. False if it has to be tried again.
 *
 * @param others the same person's links that are still looked for, and may have the same card
 */
export type ShowConclusion = (
  link: IssuedLink,
  concluded: Conclusion['concluded'],
  others: readonly IssuedLink[],
) => Promise<boolean>;

export interface OutcomeParts {
  readonly links: Pick<WatchLinks, 'conclude' | 'leave'>;
  readonly ends: LinkEnds;
  /** Starts delivering an ended session; resolves once it's durable. */
  readonly accept: (link: IssuedLink, session: Session) => Promise<'accepted' | 'duplicate'>;
  readonly show: ShowConclusion;
  /** Shows on a link's card, once, that its session was seen running. */
  readonly showRunning: (link: IssuedLink, seenAt: number) => Promise<void>;
  readonly report: (finding: Finding, link: IssuedLink) => void;
}

/** A link that is looked for; `isUnused` if that was concluded already, though it may turn out to be wrong. */
export interface Waiting {
  readonly open: RecordedLink;
  readonly isUnused: boolean;
}

/** What a look-up found. */
export interface Sighting {
  readonly now: number;
  /** How long to wait for a webhook before relying on what the service lists, milliseconds. */
  readonly graceMs: number;
  /** The agent's links. */
  readonly waiting: readonly Waiting[];
  /** Links of the same person under another agent id. */
  readonly elsewhere: readonly Waiting[];
  /** What the service lists for the agent; undefined if it gave no answer, or couldn't be asked. */
  readonly sessions: readonly Session[] | undefined;
  /** Undefined if the service can't be asked at all. */
  readonly looks: AgentLooks | undefined;
}

export interface Outcomes {
  /** The links still looked for. */
  readonly left: readonly Waiting[];
  /** Ids of the links with a session listed. */
  readonly found: readonly string[];
  /** Whether one of them ended just now: its webhook may still be on the way. */
  readonly isJustEnded: boolean;
}

/** Adds the links with a session listed now to those that were used. */
function withSeen(looks: AgentLooks | undefined, found: ReadonlyMap<string, unknown>) {
  return looks && { ...looks, seen: [...looks.seen, ...found.keys()] };
}

/** What became of one link. */
type Outcome = 'closed' | 'open' | 'just-ended';

/** A session that runs, and whose customer isn't still asked. */
const isUnderWay = (session: Session) => session.ended_at === undefined && wasAccepted(session) !== false;

/** A session that ended long enough ago for its webhook to have arrived. */
function isPast({ ended_at }: Session, { now: lookedAt, graceMs }: Sighting): boolean {
  const age = lookedAt - Date.parse(ended_at ?? '');
  // A clock that far ahead says nothing about how long ago it was.
  return age >= graceMs || age < -CLOCKS_APART_MS;
}

/**
 * Draws the conclusions from one answer of the service: ended sessions become summaries, and unused links are closed.
 */
export function createRecordOutcomes(parts: OutcomeParts) {
  const { links, ends, accept, show, showRunning, report } = parts;

  async function matched({
    waiting,
    sessions = [],
  }: Sighting): Promise<ReadonlyMap<string, readonly Session[]>> {
    const all = waiting.map(({ open }) => open);
    const possible = candidates(all, sessions).filter((one) => hasUsableId(one) && !isTooDeep(one));
    const workspaceId = all[0]?.link.workspaceId ?? '';
    const listed = await Promise.all(
      possible.map(async (session) => ({ session, linkId: await ends.ownerOf(workspaceId, session.id) })),
    );
    return match(all, listed);
  }

  /**
   * False if the session went to another link meanwhile. The summary is durable before the link is closed, so after a
   * kill in between it's found again, as a duplicate.
   */
  async function recover({ link }: RecordedLink, session: Session): Promise<boolean> {
    if (!(await ends.assign(session.id, link))) return false;
    const accepted = await accept(link, session);
    report(accepted === 'accepted' ? 'recovered' : 'reported', link);
    return true;
  }

  async function withSessions(
    open: RecordedLink,
    sessions: readonly Session[],
    sighting: Sighting,
  ): Promise<Outcome> {
    const past = sessions.filter((session) => isPast(session, sighting));
    let last: Session | undefined;
    for (const session of past) if (await recover(open, session)) last = session;
    if (last !== undefined && past.length === sessions.length) {
      const { id: sessionId, ended_at, length_seconds: lengthSeconds } = last;
      const endedAt = Math.min(Date.parse(ended_at ?? ''), sighting.now);
      const length = lengthSeconds === undefined ? {} : { lengthSeconds };
      await ends.end(open.link, { sessionId, endedAt, ...length, accepted: wasAccepted(last) });
      return 'closed';
    }
    return sessions.some(({ ended_at }) => ended_at !== undefined) ? 'just-ended' : 'open';
  }

  async function withoutEnd(
    { open, isUnused }: Waiting,
    { now: lookedAt, looks, sessions }: Sighting,
    others: readonly IssuedLink[],
  ): Promise<Outcome> {
    const isAnswered = sessions !== undefined || looks === undefined;
    const { concluded, isOver } = linkStateOf(open, { now: lookedAt, looks, isAnswered });
    if (concluded !== undefined && !isUnused) {
      if (!(await show(open.link, concluded, others))) return 'open';
      await links.conclude(open.link, { concluded, at: lookedAt });
      report(concluded, open.link);
    }
    if (!isOver) return 'open';
    await links.leave(open.link);
    return 'closed';
  }

  return async function recordOutcomes(sighting: Sighting): Promise<Outcomes> {
    const { waiting, elsewhere } = sighting;
    const found = await matched(sighting);
    const about = { ...sighting, looks: withSeen(sighting.looks, found) };
    const undecided = new Set([...waiting, ...elsewhere].filter(({ isUnused }) => !isUnused));
    const left: Waiting[] = [];
    let isJustEnded = false;
    for (const one of waiting) {
      const { link } = one.open;
      const sessions = found.get(link.linkId) ?? [];
      if (sessions.some(isUnderWay)) await showRunning(link, sighting.now);
      const ended = sessions.length === 0 ? 'open' : await withSessions(one.open, sessions, sighting);
      undecided.delete(one);
      const others = Array.from(undecided, ({ open }) => open.link);
      const outcome = ended === 'open' ? await withoutEnd(one, about, others) : ended;
      if (outcome === 'closed') continue;
      left.push(one);
      if (outcome === 'just-ended') isJustEnded = true;
    }
    return { left, found: [...found.keys()], isJustEnded };
  };
}
