import type { AgentKey, CobrowseClient } from '../cobrowse/client.ts';
import { ifFound } from '../cobrowse/errors.ts';
import { wasAccepted, type Agent, type Session } from '../cobrowse/schemas.ts';
import type { LinkEnd, LinkResult } from '../messages/link-request.ts';
import { button, buttons, lines, points, type Part } from '../messages/message.ts';
import { agentName, secondsOf } from '../messages/session-words.ts';
import { bold, count, duration, say, short, time, type Line, type Maybe } from '../messages/text.ts';
import { visitorName } from '../messages/visitor-pieces.ts';
import type { App } from '../parts.ts';
import { namedLink } from '../sessions/session-links.ts';
import type { GivenLink } from '../sessions/watch-links.ts';

export function whoYouAre({ agent, sessions }: OwnWork, who: SlackProfile | undefined, mayWatch: boolean) {
  const name = short(who?.name ?? '');
  const named = name && say`, ${bold(name)}`;
  if (sessions === undefined) return mayWatch ? [lines(say`Customers see your Slack name${named}.`)] : [];
  if (who === undefined)
    return [lines(['The app couldn’t read your Slack profile. Press Refresh in a minute to try again.'])];
  const stillWatching = mayWatch && say`You can still watch; customers see your Slack name${named}.`;
  if (who.email === undefined)
    return [
      lines(
        ['The app can’t read your email in your Slack profile, so it can’t find your account.'],
        stillWatching,
      ),
    ];
  const email = short(who.email);
  if (agent !== undefined)
    return [lines(say`Connected as ${bold(agentName(agent) ?? `agent ${short(agent.id, 60)}`)} (${email})`)];
  return [
    lines(say`No co-browsing agent has your email, ${bold(email)}.`, stillWatching, [
      'To connect your account, use the same email in both.',
    ]),
  ];
}

const startedAt = ({ started_at }: Session): number => Date.parse(started_at ?? '') || 0;

type SlackProfile = Awaited<ReturnType<App['profileOf']>>;

interface OwnWork {
  /** Whom the service knows by the viewer's email. */
  readonly agent: Agent | undefined;
  /** Of the viewer's day; undefined if the service can't be asked for agents. */
  readonly sessions: readonly Session[] | undefined;
}

export type DayService = Pick<CobrowseClient, 'offers' | 'lookupAgent' | 'visitor'>;

/**
 * Looks a viewer up by email or, where no account has it, by the id that their links carry. Rejects with a CobrowseError.
 * Source: GET /agents/lookup. @param start of the viewer's day
 */
export async function lookUp(
  cobrowse: DayService,
  who: SlackProfile | undefined,
  externalId: string,
  start: number,
): Promise<OwnWork> {
  if (!cobrowse.offers.lookupAgent) return { agent: undefined, sessions: undefined };
  const agentBy = (key: AgentKey) =>
    cobrowse.lookupAgent(key, { sessions: { since: new Date(start) } }).catch(ifFound);
  const agent = who?.email === undefined ? undefined : await agentBy({ email: who.email });
  const { sessions = [] } = agent ?? (await agentBy({ externalId })) ?? {};
  return { agent, sessions };
}

function endedWords({ endedAt, lengthSeconds, accepted }: LinkEnd): Line {
  const length = lengthSeconds !== undefined && ` · ${duration(lengthSeconds)}`;
  return say`${accepted === false ? ' · didn’t accept' : length} · ended ${time(new Date(endedAt))}`;
}

function sessionWords(session: Session, at: Date): Line {
  const endedAt = Date.parse(session.ended_at ?? '');
  const accepted = wasAccepted(session);
  if (!Number.isNaN(endedAt)) return endedWords({ endedAt, lengthSeconds: secondsOf(session), accepted });
  return accepted === false
    ? say` · asked ${time(at)} · hasn’t accepted yet`
    : say` · in session since ${time(at)}`;
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
  return endedWords(result);
}

const endedSessions = button({
  text: 'Sessions that ended',
  actionId: 'home_sessions',
  label: 'Sessions that ended, newest first',
});

/** How far the service's clock may be behind ours. */
const APART_MS = 60_000;

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

/** Sessions, and links without a listed session, latest first. */
function mergeDay(links: readonly GivenLink[], sessions: readonly Session[], reportsEnds: boolean) {
  const ofSessions = sessions.map((session) => {
    const at = startedAt(session);
    return { at, visitorId: session.visitor_id ?? '', words: sessionWords(session, new Date(at)) };
  });
  const alone = links.filter((link) => !isListed(link, links, sessions));
  const ofLinks = alone.map(({ issuedAt: at, link: { visitorId }, result }) => ({
    at,
    visitorId,
    words: linkWords(result, new Date(at), reportsEnds),
  }));
  return [...ofSessions, ...ofLinks].toSorted((one, other) => other.at - one.at);
}

/** More than anyone opens in a day. */
export const MOST_LINKS = 50;
/** Each may cost a request for the visitor's name. */
const DAY_SHOWN = 8;

/** A name is undefined if the visitor is gone, or the service fails. */
async function namesOf(cobrowse: DayService, visitorIds: ReadonlySet<string>) {
  const named = Array.from(visitorIds, async (id) => {
    const visitor = id === '' ? undefined : await cobrowse.visitor(id).catch(() => undefined);
    return [id, visitor && visitorName(visitor)] as const;
  });
  return new Map(await Promise.all(named));
}

/** @param sessions undefined if the service can't be asked  @param reportsEnds if not, nothing follows from a missing end */
export async function dayParts(
  cobrowse: DayService,
  links: readonly GivenLink[],
  start: number,
  sessions: OwnWork['sessions'] | 'failed',
  reportsEnds: boolean,
): Promise<readonly Maybe<Part>[]> {
  const ofToday = links.filter(({ issuedAt }) => issuedAt >= start);
  const isMissing = sessions === 'failed';
  const all = mergeDay(ofToday, isMissing ? [] : (sessions ?? []), reportsEnds);
  const shown = all.slice(0, DAY_SHOWN);
  const names = await namesOf(cobrowse, new Set(shown.map(({ visitorId }) => visitorId)));
  const earlier = all.length - shown.length;
  const nameOf = (visitorId: string) => short(names.get(visitorId) ?? visitorId) || 'A customer';
  return [
    shown.length > 0 &&
      points(...shown.map(({ visitorId, words }) => say`${bold(nameOf(visitorId))}${words}`)),
    shown.length === 0 &&
      !isMissing &&
      lines(['Nothing yet today. Press Watch next to a customer to start.']),
    earlier > 0 && lines([`And ${count(earlier, 'earlier one')} today.`]),
    isMissing && lines(['Your sessions can’t be loaded right now.']),
    reportsEnds && buttons(endedSessions),
  ];
}
