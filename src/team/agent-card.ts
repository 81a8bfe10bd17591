import type { FoundAgent } from '../cobrowse/client.ts';
import type { Session } from '../cobrowse/schemas.ts';
import { ACTION } from '../messages/action-ids.ts';
import { button, buttons, lines, message, points, rule, type Message } from '../messages/message.ts';
import { bold, code, date, short, user, type Line } from '../messages/text.ts';
import { latestFirst, sessionLineWith } from '../messages/session-words.ts';

export const SESSIONS_SHOWN = 5;

/** Running sessions first: what is going on now matters most. */
function runningFirst(sessions: readonly Session[]): readonly Session[] {
  return latestFirst(sessions).toSorted(
    (a, b) => Number(b.ended_at === undefined) - Number(a.ended_at === undefined),
  );
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
    total > end && buttons(next),
  );
}

/** Whose email was tried, where it's somebody's in Slack. */
interface Tried {
  readonly userId: string;
  readonly isYou: boolean;
  /** Whether the reader can watch. */
  readonly mayWatch: boolean;
}

function advice({ isYou, mayWatch }: Tried): string {
  if (!isYou)
    return 'If they watch, customers see their Slack name. To connect their account, use the same email in both.';
  const still = mayWatch ? 'You can still watch; customers see your Slack name. ' : '';
  return `${still}To connect your account, use the same email in both.`;
}

/** No such agent: what was tried, and what to do. @param tried an email, or an external id */
export function noAgent(tried: string, whose?: Tried): Message {
  if (whose === undefined && !tried.includes('@')) {
    return message(
      lines(
        ['No co-browsing agent has the external ID ', bold(short(tried)), '.'],
        ['The service learns an external ID when a session is opened with it.'],
      ),
    );
  }
  const person: Line = whose === undefined || whose.isYou ? [] : [', ', user(whose.userId)];
  return message(
    lines(
      ['I can’t find a co-browsing agent for ', bold(short(tried)), ...person, '.'],
      whose && [advice(whose)],
    ),
  );
}
