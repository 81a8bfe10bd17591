import { problem } from './message.ts';
import type { Message } from './message.ts';
import { writtenDates } from './written-dates.ts';
import type { Reader } from './written-dates.ts';
import { LIMITS } from './text.ts';

const WITHOUT = 'Slack wouldn’t show this answer, so here it is as plain text, without buttons.';

const unescaped = (text: string) =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');

/** An answer that Slack refused, as plain text, which it has no reason to refuse. @param reader whose time zone it uses */
export function plainAnswer({ text }: Message, reader: Reader = {}): Message {
  const whole = `${WITHOUT}\n\n${text}`;
  const shown = unescaped(writtenDates(whole, reader));
  const cut =
    shown.length > LIMITS.sectionText ? `${shown.slice(0, LIMITS.sectionText - 1).toWellFormed()}…` : shown;
  return {
    text: whole.length > LIMITS.messageText ? WITHOUT : whole,
    blocks: [{ type: 'section', text: { type: 'plain_text', text: cut, emoji: false } }],
  };
}

/** For people who may not have seen their answer. It may have been meant for another place, so this contains none of it. */
export const answerNotShown: Message = problem(
  ['Slack didn’t confirm that you got the answer to your last request.'],
  ['If you don’t see it, try again. If this keeps happening, ask your admin to run “/cobrowse doctor”.'],
);
