import type { Visitor } from '../cobrowse/schemas.ts';
import { buttons, lines, message, notice } from './message.ts';
import type { Message, Part } from './message.ts';
import { bold, user } from './rich-text.ts';
import { short } from './text.ts';
import { visitorName, whoLine } from './visitor-pieces.ts';
import { stopButton } from './visitor-buttons.ts';

function sessionState(visitor: Visitor): string {
  if (visitor.is_in_session === true) return 'is in a session.';
  return visitor.is_in_session === false ? 'does not seem to be in a session.' : 'may be in a session.';
}

/** Asks before a session is stopped: a button a visitor, each with Slack's own confirmation. */
export function stopChoice(visitors: readonly Visitor[]): Message {
  const rows = visitors.flatMap((visitor): Part[] => [
    lines([...whoLine(visitor), '  ', sessionState(visitor)]),
    buttons(stopButton(visitor, 'Stop session')),
  ]);
  return message(...rows);
}

/** Says who stopped whose session. @param visitor the visitor, or its id where it could not be looked up */
export function stopped(visitor: Visitor | string, stoppedBy: string): Message {
  const name = typeof visitor === 'string' ? `visitor ${short(visitor, 60)}` : visitorName(visitor);
  return notice(['The session with ', bold(name), ' was stopped by ', user(stoppedBy), '.']);
}
