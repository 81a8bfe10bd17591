import type { FoundAgent } from '../cobrowse/client.ts';
import { wasAccepted } from '../cobrowse/schemas.ts';
import type { Session } from '../cobrowse/schemas.ts';
import { ACTION } from './action-ids.ts';
import { button } from './buttons.ts';
import { buttons, lines, message, points, rule } from './message.ts';
import type { Message } from './message.ts';
import { bold, code, date, user } from './rich-text.ts';
import type { Line } from './rich-text.ts';
import { featuresInWords, lengthInWords } from './session-words.ts';
import { short } from './text.ts';

export const SESSIONS_SHOWN = 5;

export function latestFirst(sessions: readonly Session[]): readonly Session[] {
  return sessions.toSorted(
    (a, b) => (Date.parse(b.started_at ?? '') || 0) - (Date.parse(a.started_at ?? '') || 0),
  );
}

/** Running sessions first: what is going on now matters most. */
function runningFirst(sessions: readonly Session[]): readonly Session[] {
  return latestFirst(sessions).toSorted((a, b) => Number(isRunning(b)) - Number(isRunning(a)));
}

const isRunning = ({ ended_at }: Session) => ended_at === undefined;

function howItWent(session: Session): string {
  if (wasAccepted(session) === false) return isRunning(session) ? 'not accepted yet' : 'not accepted';
  return isRunning(session) ? 'still running' : (lengthInWords(session) ?? 'length unknown');
}

/** One session of a list: when, how long, with whom, what was used. @param other who took part, beside the one whose list it is */
export function sessionLineWith(session: Session, other: Line): Line {
  const started = new Date(session.started_at ?? Number.NaN);
  const features = wasAccepted(session) === false ? '' : featuresInWords(session);
  return [
    ...(Number.isNaN(started.getTime()) ? ['Start time unknown'] : [date(started)]),
    `, ${howItWent(session)}`,
    ...other,
    ...(features === '' ? [] : [`, ${features}`]),
  ];
}

function withVisitor({ visitor_id: visitorId }: Session): Line {
  const id = short(visitorId ?? '', 40);
  return id === '' ? [] : [', visitor ', code(id)];
}

/** One session of an agent's list. */
function sessionLine(session: Session): Line {
  return sessionLineWith(session, withVisitor(session));
}

/**
 * An agent as the service knows it, with a page of their sessions, latest first.
 *
 * @param offset sessions skipped before this page
 * @param more makes the value of the More button from the next offset
 */
export function agentCard(agent: FoundAgent, offset: number, more: (offset: number) => string): Message {
  const names = [agent.name, agent.agent_nickname, agent.email].map((text) => short(text ?? ''));
  const name = names.find((text) => text !== '') ?? `Agent ${short(agent.id, 60)}`;
  const lastSeen = new Date(agent.last_request_at ?? Number.NaN);
  const facts: Line[] = [
    [bold(name), ...(agent.email && short(agent.email) !== name ? [' · ', short(agent.email)] : [])],
    ...(Number.isNaN(lastSeen.getTime()) ? [] : [['Last active: ', date(lastSeen)]]),
    ['Id: ', code(short(agent.id, 60))],
  ];
  const end = offset + SESSIONS_SHOWN;
  const sessions = runningFirst(agent.sessions).slice(offset, end);
  if (sessions.length === 0)
    return message(lines(...facts, [offset === 0 ? 'No sessions yet.' : 'No more sessions.']));
  const total = agent.sessionCount;
  const title =
    total <= SESSIONS_SHOWN
      ? 'Sessions'
      : `Sessions ${offset + 1} to ${offset + sessions.length} of ${total}`;
  const next = button({
    text: 'More',
    actionId: ACTION.agentMore,
    value: more(end),
    label: 'More sessions',
  });
  return message(
    lines(...facts),
    rule,
    lines([bold(title)]),
    points(...sessions.map(sessionLine)),
    ...(total > end ? [buttons(next)] : []),
  );
}

/** No such agent: what was tried, and what to do. @param tried an email, or an external id */
export function noAgent(tried: string, slackUserId: string | undefined): Message {
  if (slackUserId === undefined && !tried.includes('@')) {
    return message(
      lines(
        ['No co-browsing agent has the external ID ', bold(short(tried)), '.'],
        ['The service learns an external ID when a session is opened with it.'],
      ),
    );
  }
  const whose: Line = slackUserId === undefined ? [] : [' for ', user(slackUserId)];
  return message(
    lines(
      ['I can’t find a co-browsing agent with the email ', bold(short(tried)), ...whose, '.'],
      [
        'They can still watch; customers see their Slack name. To connect their account, use the same email in both.',
      ],
    ),
  );
}

/** The Slack profile shows no email to look up or search for. @param command what to type it after */
export function noEmail(slackUserId: string, command: 'agent' | 'find'): Message {
  return message(
    lines(
      [
        user(slackUserId),
        '’s Slack profile doesn’t show this app an email address, so I can’t look them up.',
      ],
      ['Ask them for it and type ', code(`/cobrowse ${command} name@company.com`), '.'],
    ),
  );
}
