import { z } from 'zod';
import { wasAccepted, type Session } from '../cobrowse/schemas.ts';
import type { Access } from '../permissions/permissions.ts';
import { bold, briefly, count, date, duration, link, short, type Line, type Maybe } from './text.ts';
import type { Shared } from './visitor-pieces.ts';

const FEATURE_WORDS: ReadonlyMap<string, string> = new Map([
  ['audio', 'audio'],
  ['click', 'click'],
  ['console', 'console'],
  ['draw', 'drawing'],
  ['navigate', 'page change'],
  ['redirect', 'page change'],
  ['remote_cursor', 'pointer'],
  ['scroll', 'scroll'],
  ['type', 'typing'],
  ['video', 'video'],
]);

/** A tool we have no word for is shown as the service names it. */
export const featureInWords = (feature: string): string =>
  FEATURE_WORDS.get(feature.toLowerCase()) ?? short(feature.replaceAll('_', ' '), 40);

export function featuresInWords(session: Session): string {
  const words = session.features_used.map(featureInWords);
  const different = [...new Set(words)].filter((word) => word !== '');
  const shown = different.slice(0, 10);
  const rest = different.length - shown.length;
  return rest === 0 ? shown.join(', ') : `${shown.join(', ')} and ${rest} more`;
}

/** Undefined where neither the length nor both ends are known. */
export const secondsOf = (session: Session): number | undefined =>
  session.length_seconds ?? between(session.started_at, session.ended_at);

/** @param inWords of seconds */
export function lengthInWords(session: Session, inWords = duration): string | undefined {
  const seconds = secondsOf(session);
  return seconds === undefined ? undefined : inWords(seconds);
}

/** A request that the customer never accepted: the service doesn't say whether they declined, or had no time to answer. */
export function notAcceptedWords(visitor: string, session: Session): string {
  // The service may give no length for a session that never went live.
  const seconds = Math.round(between(session.started_at, session.ended_at) ?? session.length_seconds ?? 0);
  return `${visitor} · Not accepted${seconds > 0 ? ` (after ${briefly(seconds)})` : ''}`;
}

export const notAccepted = (sessions: number, atLeast = false): Maybe<Line> =>
  sessions > 0 && [
    bold('Not accepted: '),
    `${atLeast ? 'at least ' : ''}${sessions.toLocaleString('en-US')}`,
  ];

function between(start: string | null | undefined, end: string | null | undefined): number | undefined {
  const seconds = (Date.parse(end ?? '') - Date.parse(start ?? '')) / 1_000;
  return Number.isNaN(seconds) ? undefined : seconds;
}

/** As the service names an agent; undefined where it doesn't. */
export const agentName = (agent: Pick<Session['agents'][number], 'name' | 'agent_nickname' | 'email'>) =>
  [agent.name, agent.agent_nickname, agent.email].map((name) => short(name ?? '', 80)).find(Boolean);

/** At most five. */
export function agentNames(session: Session): readonly string[] {
  const different = [...new Set(session.agents.flatMap((agent) => agentName(agent) ?? []))];
  return different.length <= 5 ? different : [...different.slice(0, 5), count(different.length - 5, 'other')];
}

/** Left out where people of other organizations can read it. */
export const ticketLine = (ticketUrl: string | undefined, isCut: Shared): Maybe<Line> =>
  ticketUrl !== undefined &&
  isCut === false && [bold('Ticket: '), link(ticketUrl, short(ticketUrl.replace('https://', ''), 80))];

export function latestFirst(sessions: readonly Session[]): readonly Session[] {
  return sessions.toSorted(
    (a, b) => (Date.parse(b.started_at ?? '') || 0) - (Date.parse(a.started_at ?? '') || 0),
  );
}

const isRunning = ({ ended_at }: Session) => ended_at === undefined;

function howItWent(session: Session): string {
  if (wasAccepted(session) === false) return isRunning(session) ? 'not accepted yet' : 'not accepted';
  return isRunning(session) ? 'still running' : (lengthInWords(session) ?? 'length unknown');
}

/** @param other who took part, beside the one whose list it is */
export function sessionLineWith(session: Session, other: Line): Line {
  const started = new Date(session.started_at ?? Number.NaN);
  const features = wasAccepted(session) === false ? '' : featuresInWords(session);
  const when = Number.isNaN(started.getTime()) ? 'Start time unknown' : date(started);
  return [when, `, ${howItWent(session)}`, ...other, features && `, ${features}`];
}

export const SessionOutcome = z.enum(['solved', 'follow-up', 'other']);
export type SessionOutcome = z.infer<typeof SessionOutcome>;

export interface SetOutcome {
  readonly outcome: SessionOutcome;
  readonly by: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const OUTCOMES: Readonly<Record<SessionOutcome, string>> = {
  solved: 'Solved',
  'follow-up': 'Follow up',
  other: 'Other',
};

export const outcomeWords = (outcome: SessionOutcome): string => OUTCOMES[outcome];

export const outcomeValue = (endId: string, outcome: SessionOutcome): string => `${endId} ${outcome}`;

/** The meaning for the customer is also an option's description. */
const ACCESS: Readonly<Record<Access, readonly [title: string, meaning: string]>> = {
  view: ['View only', 'Agents see the page. Only the customer acts.'],
  point: ['Point and scroll', 'Agents also point and scroll. The customer clicks.'],
  full: ['Full control', 'Agents also click and type in the customer’s page.'],
};

export const accessTitle = (access: Access): string => ACCESS[access][0];
export const accessWords = (access: Access): string => accessTitle(access).toLowerCase();
export const accessMeaning = (access: Access): string => ACCESS[access][1];
