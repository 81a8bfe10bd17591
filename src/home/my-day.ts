import type { AgentKey, CobrowseClient } from '../cobrowse/client.ts';
import { ifFound } from '../cobrowse/errors.ts';
import { wasAccepted, type Agent, type Session } from '../cobrowse/schemas.ts';
import type { Viewer } from '../commands/rights.ts';
import type { PersonalZone } from '../messages/days.ts';
import type { LinkResult } from '../messages/link-request.ts';
import { button, buttons, lines, points, type Part } from '../messages/message.ts';
import { lengthInWords } from '../messages/session-words.ts';
import { bold, count, duration, say, short, time, type Line, type Maybe } from '../messages/text.ts';
import { visitorName } from '../messages/visitor-pieces.ts';
import { namedLink } from '../sessions/session-links.ts';
import type { GivenLink } from '../sessions/watch-links.ts';

/** Who a Slack user is to the service. `slackName` is what links carry without an agent. */
export type Identity =
  | { readonly is: 'agent'; readonly agent: Agent; readonly email: string }
  | { readonly is: 'unknown'; readonly email: string; readonly slackName: string }
  | { readonly is: 'without-email'; readonly slackName: string }
  /** The service can't be asked for agents. */
  | { readonly is: 'not-asked'; readonly slackName: string }
  /** Slack didn't show the profile. */
  | { readonly is: 'no-profile' };

function agentName({ name, agent_nickname, email, id }: Agent): string {
  const names = [name, agent_nickname, email].map((text) => short(text ?? ''));
  return names.find((text) => text !== '') ?? `agent ${short(id, 60)}`;
}

export function whoYouAre(identity: Identity, mayWatch: boolean): readonly Part[] {
  const name = 'slackName' in identity ? short(identity.slackName) : '';
  const named = name && say`, ${bold(name)}`;
  const stillWatching = mayWatch && say`You can still watch; customers see your Slack name${named}.`;
  switch (identity.is) {
    case 'agent':
      return [lines(say`Connected as ${bold(agentName(identity.agent))} (${short(identity.email)})`)];
    case 'unknown':
      return [
        lines(say`No co-browsing agent has your email, ${bold(short(identity.email))}.`, stillWatching, [
          'To connect your account, use the same email in both.',
        ]),
      ];
    case 'without-email':
      return [
        lines(
          ['Your Slack profile doesn’t show this app your email, so it can’t find your account.'],
          stillWatching,
        ),
      ];
    case 'not-asked':
      return mayWatch ? [lines(say`Customers see your Slack name${named}.`)] : [];
    case 'no-profile':
      return [lines(['The app couldn’t read your Slack profile. Press Refresh in a minute to try again.'])];
  }
}

const startedAt = ({ started_at }: Session): number => Date.parse(started_at ?? '') || 0;

export interface SlackProfile extends PersonalZone {
  readonly name: string | undefined;
  readonly email: string | undefined;
  readonly isAdmin: boolean;
}

/** Who the viewer is to the service, and their sessions of the day; undefined if the service can't be asked. */
interface OwnWork {
  readonly identity: Identity;
  readonly sessions: readonly Session[] | undefined;
}

/** Of all agents that a person is: several may list the same session. */
function sessionsSince(agents: readonly Agent[], start: Date): readonly Session[] {
  const different = new Map(agents.flatMap(({ sessions }) => sessions.map((one) => [one.id, one])));
  return [...different.values()].filter((session) => startedAt(session) >= start.getTime());
}

function identityOf(agent: Agent | undefined, who: SlackProfile | undefined, viewer: Viewer): Identity {
  if (who === undefined) return { is: 'no-profile' };
  const slackName = who.name ?? viewer.userId;
  if (who.email === undefined) return { is: 'without-email', slackName };
  return agent === undefined
    ? { is: 'unknown', email: who.email, slackName }
    : { is: 'agent', agent, email: who.email };
}

/**
 * Looks a viewer up by email and by the id that links carry without an account: which of them finds a session started by a watch
 * link isn't documented. Rejects with a CobrowseError. Source: GET /agents/lookup. @param start of the viewer's day
 */
export async function lookUp(
  cobrowse: Pick<CobrowseClient, 'offers' | 'lookupAgent'>,
  viewer: Viewer,
  who: SlackProfile | undefined,
  externalId: string,
  start: Date,
): Promise<OwnWork> {
  if (!cobrowse.offers.lookupAgent)
    return { identity: { is: 'not-asked', slackName: who?.name ?? viewer.userId }, sessions: undefined };
  const agentBy = (key: AgentKey) =>
    cobrowse.lookupAgent(key, { sessions: { since: start, linkIds: new Set() } }).catch(ifFound);
  const [agent, external] = await Promise.all([
    who?.email === undefined ? undefined : agentBy({ email: who.email }),
    agentBy({ externalId }),
  ]);
  const known = [agent, external].filter((one) => one !== undefined);
  return { identity: identityOf(agent, who, viewer), sessions: sessionsSince(known, start) };
}

/** What the reader did: a session, or a link without a listed session. `visitor` is a name, or the id if none is known. */
export type DayEntry = { readonly visitor: string; readonly at: Date } & (
  | { readonly session: Session }
  | { readonly result: LinkResult | undefined }
);

export interface MyDay {
  readonly latest: readonly DayEntry[];
  /** How many there are before those. */
  readonly earlier: number;
  /** Whether the service could be asked for the sessions. */
  readonly hasSessions: boolean;
  /** Whether session ends become known here; if not, nothing follows from a missing one. */
  readonly reportsEnds: boolean;
}

const endedWords = (length: string | undefined, at: Date) =>
  say`${length && ` · ${length}`} · ended ${time(at)}`;
const notAccepted = (at: Date) => say` · didn’t accept · ended ${time(at)}`;

function sessionWords(session: Session, at: Date): Line {
  const end = new Date(session.ended_at ?? Number.NaN);
  const isOver = !Number.isNaN(end.getTime());
  if (wasAccepted(session) === false)
    return isOver ? notAccepted(end) : say` · asked ${time(at)} · hasn’t accepted yet`;
  return isOver ? endedWords(lengthInWords(session), end) : say` · in session since ${time(at)}`;
}

/** The service reports ends and nothing else, so nothing more is claimed. */
function linkWords(result: LinkResult | undefined, at: Date, reportsEnds: boolean): Line {
  if (result === undefined) return say` · asked ${time(at)}${reportsEnds && ' · no end reported yet'}`;
  // Whoever didn't open the link asked nobody.
  if ('concluded' in result) {
    return result.concluded === 'unused'
      ? say` · link not opened, ${time(at)}`
      : say` · asked ${time(at)} · outcome unknown`;
  }
  const { lengthSeconds, accepted } = result;
  const endedAt = new Date(result.endedAt);
  if (accepted === false) return notAccepted(endedAt);
  const known = lengthSeconds !== undefined && Number.isFinite(lengthSeconds);
  return endedWords(known ? duration(lengthSeconds) : undefined, endedAt);
}

const endedSessions = button({
  text: 'Sessions that ended',
  actionId: 'home_sessions',
  value: 'all',
  label: 'Sessions that ended, newest first',
});

export function dayParts({ latest, earlier, hasSessions, reportsEnds }: MyDay): readonly Maybe<Part>[] {
  const line = (entry: DayEntry) =>
    say`${bold(short(entry.visitor) || 'A customer')}${
      'session' in entry
        ? sessionWords(entry.session, entry.at)
        : linkWords(entry.result, entry.at, reportsEnds)
    }`;
  return [
    latest.length > 0 && points(...latest.map(line)),
    latest.length === 0 &&
      hasSessions &&
      lines(['Nothing yet today. Press Watch next to a customer to start.']),
    earlier > 0 && lines([`And ${count(earlier, 'earlier one')} today.`]),
    !hasSessions && lines(['Your sessions can’t be loaded right now: see the top of this tab.']),
    reportsEnds && buttons(endedSessions),
  ];
}

/** How far the service's clock may be behind ours. */
const APART_MS = 60_000;

type DayRow = { readonly at: number; readonly visitorId: string | undefined } & (
  | { readonly session: Session }
  | { readonly link: GivenLink }
);

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
export const MOST_LINKS = 50;
/** Each may cost a request for the visitor's name. */
const DAY_SHOWN = 8;

/** A name is undefined if the visitor is gone, or the service fails. */
async function namesOf(cobrowse: Pick<CobrowseClient, 'visitor'>, visitorIds: ReadonlySet<string>) {
  const named = Array.from(visitorIds, async (id) => {
    const visitor = await cobrowse.visitor(id).catch(() => undefined);
    return [id, visitor && visitorName(visitor)] as const;
  });
  return new Map(await Promise.all(named));
}

/** @param links the latest the viewer opened  @param start of their day  @param sessions undefined if not to be had */
export async function dayOf(
  cobrowse: Pick<CobrowseClient, 'visitor'>,
  links: readonly GivenLink[],
  start: Date,
  sessions: readonly Session[] | undefined,
): Promise<Omit<MyDay, 'reportsEnds'>> {
  const ofToday = links.filter(({ issuedAt }) => issuedAt >= start.getTime());
  const all = mergeDay(ofToday, sessions ?? []);
  const shown = all.slice(0, DAY_SHOWN);
  const names = await namesOf(cobrowse, new Set(shown.flatMap(({ visitorId }) => visitorId ?? [])));
  const latest = shown.map((row): DayEntry => {
    const visitor = names.get(row.visitorId ?? '') ?? row.visitorId ?? '';
    const at = new Date(row.at);
    return 'session' in row
      ? { visitor, at, session: row.session }
      : { visitor, at, result: row.link.result };
  });
  return { latest, earlier: all.length - shown.length, hasSessions: sessions !== undefined };
}
