import type { Clue, SharedMessage } from './shortcut.ts';
import { clueIn } from './pasted-links.ts';
import { unescapeSlack } from './slack-input.ts';

const MOST_CLUES = 10;
/** Slack's limit for an option's text. */
const LONGEST_CLUE = 75;

const EMAIL = /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}/g;
const ID_TOKEN = /(?<![\w:])(?:integration_id:[\w-]+:[\w.@-]+|id:[\w.@-]+|ip:[\d.a-f:]+)/gi;
const VISITOR_ID = /\bvisitor(?:[ _-]?id)?[\s:=#"'`]+([\w-]*\d[\w-]*)/gi;
const LINK = /https?:\/\/[^\s<>"'`]+/gi;
const LOOKUP_CODE = /(?<![\w.:/@#-])\d{4}(?![\w:/@-]|\.\d)/g;

function all(pattern: RegExp, text: string, group = 0): string[] {
  return Array.from(text.matchAll(pattern), (match) => match[group] ?? '');
}

/** Emails in the message, in order. */
export function emailsIn(message: SharedMessage): readonly Clue[] {
  return asClues(all(EMAIL, unescapeSlack(message.text)));
}

/** Emails, ids, lookup codes and links in the message, the most likely to name one visitor first. */
export function visitorClues(message: SharedMessage): readonly Clue[] {
  const text = unescapeSlack(message.text);
  const links = all(LINK, text);
  const rest = text.replaceAll(LINK, ' ');
  return asClues([
    ...all(EMAIL, rest),
    ...all(ID_TOKEN, rest),
    ...all(VISITOR_ID, rest, 1),
    ...all(LOOKUP_CODE, rest),
    ...links.flatMap((link) => clueIn(link) ?? []),
  ]);
}

/** The only one; undefined if there are none or several. */
export function onlyClue(clues: readonly Clue[]): Clue | undefined {
  return clues.length === 1 ? clues[0] : undefined;
}

function asClues(found: readonly string[]): readonly Clue[] {
  const fitting = [...new Set(found)].filter((text) => text !== '' && text.length <= LONGEST_CLUE);
  return fitting.slice(0, MOST_CLUES).map((text) => ({ text, argument: text }));
}
