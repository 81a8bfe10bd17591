import type { Agent, Session } from '../cobrowse/schemas.ts';
import { lines, message, points, rule } from './message.ts';
import type { Message } from './message.ts';
import { bold, code, date, user } from './rich-text.ts';
import type { Line } from './rich-text.ts';
import { count, short } from './text.ts';
import { featuresInWords, lengthOf } from './session-words.ts';

const SESSIONS_SHOWN = 5;

function sessionLine(session: Session): Line {
  const started = new Date(session.started_at ?? Number.NaN);
  const features = featuresInWords(session);
  const visitorId = short(session.visitor_id ?? '', 40);
  const running = session.ended_at === null || session.ended_at === undefined;
  return [
    ...(Number.isNaN(started.getTime()) ? ['Start not known'] : [date(started)]),
    `, ${running ? 'still running' : (lengthOf(session) ?? 'length not known')}`,
    ...(visitorId === '' ? [] : [', visitor ', code(visitorId)]),
    ...(features === '' ? [] : [`, ${features}`]),
  ];
}

/** An agent as the service knows it, with the latest sessions. */
export function agentCard(agent: Agent): Message {
  const names = [agent.name, agent.agent_nickname, agent.email].map((text) => short(text ?? ''));
  const name = names.find((text) => text !== '') ?? `Agent ${short(agent.id, 60)}`;
  const lastSeen = new Date(agent.last_request_at ?? Number.NaN);
  const latest = agent.sessions
    .toSorted((a, b) => (Date.parse(b.started_at ?? '') || 0) - (Date.parse(a.started_at ?? '') || 0))
    .slice(0, SESSIONS_SHOWN);
  const facts: Line[] = [
    [bold(name), ...(agent.email && short(agent.email) !== name ? ['  ', short(agent.email)] : [])],
    ...(Number.isNaN(lastSeen.getTime()) ? [] : [['Last active: ', date(lastSeen)]]),
    ['Id: ', code(short(agent.id, 60))],
  ];
  if (latest.length === 0) return message(lines(...facts, ['No sessions yet.']));
  const rest = agent.sessions.length - latest.length;
  const title = rest === 0 ? 'Sessions' : `Latest sessions (and ${count(rest, 'older one')})`;
  return message(lines(...facts), rule, lines([bold(title)]), points(...latest.map(sessionLine)));
}

/** The service knows no such agent: which address was tried, and what to do. */
export function noAgent(tried: string, slackUserId: string | undefined): Message {
  const whose: Line = slackUserId === undefined ? [] : [' for ', user(slackUserId)];
  return message(
    lines(
      ['The co-browsing service knows no agent with the email ', bold(short(tried)), ...whose, '.'],
      [
        'They can still watch: their links carry their Slack name. To link them to their account, use the same email in both.',
      ],
    ),
  );
}

/** The Slack profile shows no email to look up or search for. @param command what to type it after */
export function noEmail(slackUserId: string, command: 'agent' | 'find'): Message {
  return message(
    lines(
      [
        'The Slack profile of ',
        user(slackUserId),
        ' shows the app no email address, so there is none to look up.',
      ],
      ['Ask for the email and type ', code(`/cobrowse ${command} name@company.com`), '.'],
    ),
  );
}
