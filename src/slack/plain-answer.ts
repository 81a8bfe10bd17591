import { problem, type Message } from '../messages/message.ts';
import { LIMITS } from '../messages/text.ts';

/** A reader's time zone (an IANA name) and locale (BCP 47), each if Slack says it. */
export interface Reader {
  readonly timeZone?: string;
  readonly locale?: string;
}

/** Slack's date, as `spokenLine` writes it. Everything else in angle brackets is escaped. */
const DATE = /<!date\^(\d{1,12})\^([^|<>]*)\|([^<>]*)>/g;

function written(at: Date, format: string, { timeZone, locale }: Reader): string | undefined {
  if (timeZone === undefined) return undefined;
  try {
    return new Intl.DateTimeFormat(locale ?? 'en-US', {
      timeZone,
      dateStyle: format === '{time}' ? undefined : 'medium',
      timeStyle: format.includes('{time}') ? 'short' : undefined,
    }).format(at);
  } catch {
    // A zone or locale that this machine doesn't know: UTC says so itself.
    return undefined;
  }
}

/**
 * A message's text with its dates written out, for places where Slack doesn't: in the reader's zone and locale, else in UTC.
 *
 * @param text with Slack's date tokens
 */
export function writtenDates(text: string, reader: Reader): string {
  return text.replaceAll(DATE, (_token, seconds: string, format: string, inUtc: string) => {
    const at = new Date(Number(seconds) * 1_000);
    return written(at, format, reader) ?? inUtc;
  });
}

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
