import { notice } from './message.ts';
import type { Message } from './message.ts';
import { LIMITS } from './text.ts';

const WITHOUT =
  'Slack refused this answer as it was, so here it is without formatting and buttons. Run the command again if you need them.';

const unescaped = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** An answer that Slack refused, as text alone: nothing in it is left to be refused. */
export function plainAnswer({ text }: Message): Message {
  const whole = `${WITHOUT}\n\n${text}`;
  const shown = unescaped(whole);
  const cut =
    shown.length > LIMITS.sectionText ? `${shown.slice(0, LIMITS.sectionText - 1).toWellFormed()}…` : shown;
  return {
    text: whole.length > LIMITS.messageText ? WITHOUT : whole,
    blocks: [{ type: 'section', text: { type: 'plain_text', text: cut, emoji: false } }],
  };
}

/** Where it isn't known that somebody saw what they asked for: it may have been for other eyes, so none of it is in here. */
export const answerNotShown: Message = notice(
  ['Slack did not confirm that you got the answer to your last request.'],
  ['If you do not see it, try again. If this keeps happening, ask your admin to run "/cobrowse doctor".'],
);
