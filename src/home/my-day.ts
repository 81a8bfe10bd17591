import type { CobrowseClient } from '../cobrowse/client.ts';
import { wasAccepted, type Session } from '../cobrowse/schemas.ts';
import type { Viewer } from '../commands/rights.ts';
import type { LinkResult } from '../messages/link-request.ts';
import { HOME_ACTION } from '../messages/action-ids.ts';
import { button, buttons, lines, points, type Part } from '../messages/message.ts';
import { lengthInWords } from '../messages/session-words.ts';
import { bold, count, duration, short, time, type Line } from '../messages/text.ts';
import { visitorName } from '../messages/visitor-pieces.ts';
import { namedLink } from '../sessions/session-links.ts';
import type { GivenLink, WatchLinks } from '../sessions/watch-links.ts';

/** What the reader did: a session, or a link without a listed session. `visitor` is a name, or the id if none is known. */
export type DayEntry = { readonly visitor: string; readonly at: Date } & (
  | { readonly session: Session }
  | { readonly result: LinkResult | undefined }
);

/** What the reader did today, newest first. */
export interface MyDay {
  readonly latest: readonly DayEntry[];
  /** How many there are before those. */
  readonly earlier: number;
  /** Whether the service could be asked for the sessions. */
  readonly hasSessions: boolean;
  /** Whether session ends become known here; if not, nothing follows from a missing one. */
  readonly reportsEnds: boolean;
}

const endedWords = (length: string | undefined, at: Date): Line => [
  ...(length === undefined ? [] : [` · ${length}`]),
  ' · ended ',
  time(at),
];

const notAccepted = (at: Date): Line => [' · didn’t accept · ended ', time(at)];

function sessionWords(session: Session, at: Date): Line {
  const end = new Date(session.ended_at ?? Number.NaN);
  const isOver = !Number.isNaN(end.getTime());
  if (wasAccepted(session) === false)
    return isOver ? notAccepted(end) : [' · asked ', time(at), ' · hasn’t accepted yet'];
  return isOver ? endedWords(lengthInWords(session), end) : [' · in session since ', time(at)];
}

/** The service reports ends and nothing else, so nothing more is claimed. */
function linkWords(result: LinkResult | undefined, at: Date, reportsEnds: boolean): Line {
  const asked: Line = [' · asked ', time(at)];
  if (result === undefined) return reportsEnds ? [...asked, ' · no end reported yet'] : asked;
  // Whoever didn't open the link asked nobody.
  if ('concluded' in result)
    return result.concluded === 'unused'
      ? [' · link not opened, ', time(at)]
      : [...asked, ' · outcome unknown'];
  const { lengthSeconds, accepted } = result;
  const endedAt = new Date(result.endedAt);
  if (accepted === false) return notAccepted(endedAt);
  const known = lengthSeconds !== undefined && Number.isFinite(lengthSeconds);
  return endedWords(known ? duration(lengthSeconds) : undefined, endedAt);
}

/** Leads to the list of `/cobrowse sessions`. */
const endedSessions = button({
  text: 'Sessions that ended',
  actionId: HOME_ACTION.sessions,
  value: 'all',
  label: 'Sessions that ended, newest first',
});

export function dayParts({ latest, earlier, hasSessions, reportsEnds }: MyDay): readonly Part[] {
  const ended = reportsEnds ? [buttons(endedSessions)] : [];
  const missing = hasSessions
    ? []
    : [lines(['Your sessions can’t be loaded right now: see the top of this tab.'])];
  if (latest.length === 0)
    return [
      ...(hasSessions ? [lines(['Nothing yet today. Press Watch next to a customer to start.'])] : missing),
      ...ended,
    ];
  const line = (entry: DayEntry): Line => [
    bold(short(entry.visitor) || 'A customer'),
    ...('session' in entry
      ? sessionWords(entry.session, entry.at)
      : linkWords(entry.result, entry.at, reportsEnds)),
  ];
  const rest = earlier === 0 ? [] : [lines([`And ${count(earlier, 'earlier one')} today.`])];
  return [points(...latest.map(line)), ...rest, ...missing, ...ended];
}

/** How far the service's clock may be behind ours. */
const APART_MS = 60_000;

/** A session, or a link without a listed session. */
type DayRow = { readonly at: number; readonly visitorId: string | undefined } & (
  | { readonly session: Session }
  | { readonly link: GivenLink }
);

export function startedAt({ started_at }: Session): number {
  return Date.parse(started_at ?? '') || 0;
}

/** Whether one of the sessions belongs to this link: it names the link, or names none and began before the next link. */
function isListed({ link, issuedAt }: GivenLink, links: readonly GivenLink[], sessions: readonly Session[]) {
  const later = links
    .filter((other) => other.link.visitorId === link.visitorId && other.issuedAt > issuedAt)
    .map((other) => other.issuedAt - APART_MS);
  const until = Math.min(...later, Number.POSITIVE_INFINITY);
  return sessions.some((session) => {
    const named = namedLink(session);
    if (named !== undefined) return named === link.linkId;
    const start = startedAt(session);
    return session.visitor_id === link.visitorId && start >= issuedAt - APART_MS && start < until;
  });
}

/** Sessions, and links without one, in one list, newest first. */
function mergeDay(links: readonly GivenLink[], sessions: readonly Session[]): readonly DayRow[] {
  const alone = links.filter((link) => !isListed(link, links, sessions));
  return [
    ...sessions.map((session) => ({
      at: startedAt(session),
      visitorId: session.visitor_id ?? undefined,
      session,
    })),
    ...alone.map((link) => ({ at: link.issuedAt, visitorId: link.link.visitorId, link })),
  ].toSorted((one, other) => other.at - one.at);
}

/** More than anyone opens in a day. */
const MOST_LINKS = 50;
/** Each may cost a request for the visitor's name. */
const DAY_SHOWN = 8;

export function createDay({
  cobrowseOf,
  linksOf,
  reportsEnds,
}: {
  readonly cobrowseOf: (workspaceId: string) => Promise<Pick<CobrowseClient, 'visitor'>>;
  readonly linksOf: WatchLinks['of'];
  /** Whether a session's end becomes known: the service reports it, or can be asked. */
  readonly reportsEnds: (workspaceId: string) => Promise<boolean>;
}) {
  /** Undefined if the visitor is gone, or the service fails. */
  async function namesOf(workspaceId: string, visitorIds: ReadonlySet<string>) {
    const cobrowse = await cobrowseOf(workspaceId);
    const named = Array.from(visitorIds, async (id) => {
      const visitor = await cobrowse.visitor(id).catch(() => undefined);
      return [id, visitor && visitorName(visitor)] as const;
    });
    return new Map(await Promise.all(named));
  }

  /** @param sessions undefined if the service couldn't be asked for them */
  return async function dayOf(
    { workspaceId, userId }: Viewer,
    today: Date,
    sessions: readonly Session[] | undefined,
  ): Promise<MyDay> {
    const links = await linksOf(workspaceId, userId, MOST_LINKS);
    const ofToday = links.filter(({ issuedAt }) => issuedAt >= today.getTime());
    const all = mergeDay(ofToday, sessions ?? []);
    const shown = all.slice(0, DAY_SHOWN);
    const ids = shown.flatMap(({ visitorId }) => (visitorId === undefined ? [] : [visitorId]));
    const names = await namesOf(workspaceId, new Set(ids));
    const latest = shown.map((row): DayEntry => {
      const visitor = names.get(row.visitorId ?? '') ?? row.visitorId ?? '';
      const at = new Date(row.at);
      return 'session' in row
        ? { visitor, at, session: row.session }
        : { visitor, at, result: row.link.result };
    });
    return {
      latest,
      earlier: all.length - shown.length,
      hasSessions: sessions !== undefined,
      reportsEnds: await reportsEnds(workspaceId),
    };
  };
}
