import type { FormContent } from '../messages/modal.ts';
import { given, LIMITS } from '../messages/text.ts';
import type { Shortcut } from './command.ts';
import { inputs } from './inputs.ts';
import { clueIn, emailsIn, mentionedUser, TYPED_DOMAIN, unescapeSlack, withoutLinks } from './typed.ts';
import { linksIn, withoutSlackLinks } from './ticket-links.ts';

export interface SharedMessage {
  /** In Slack's escaped form, with blocks, attachments, and who wrote forwarded emails and their subjects. */
  readonly text: string;
  readonly quoted?: string;
  /** Absent for a bot. */
  readonly authorId?: string;
}

/** Each as it would be typed. */
export interface Clues {
  readonly all: readonly string[];
  /** Clear enough to use without asking: surely not a piece of something else. */
  readonly clear: string | undefined;
}

const ID_TOKEN = /^(?:integration_id:[^\s:]+:|id:|ip:)[\p{L}\p{M}\p{N}.:@_-]+$/iu;
const VISITOR_ID = /(?<![\p{L}\p{M}\p{N}_])visitor(?:[ _-]?id)?[\s:=#"'`*]+(\S{1,200})(?!\S)/giu;
const LOOKUP_CODE = /^\d{4}$/;
/** A word without what a sentence puts around it, and what stands behind it. */
const WORD = /^[("'`*_~[{<«“‘]*(.*?)(?:['’]s)?([)"'`*_~\]}>»”’.,;:!?…]*)$/su;

/** Empty if it may be cut off. */
function bare(word: string): string {
  if (word.length > 200) return '';
  const [, inside = '', behind = ''] = WORD.exec(word.normalize('NFKC')) ?? [];
  return behind.includes('..') ? '' : inside;
}

const isNumber = (word = '') => /\d/.test(word) && !/\p{L}/u.test(word);

/** Four digits that aren't part of a longer number, like those of phones and cards. */
function codesIn(words: readonly string[]): readonly string[] {
  return words.filter(
    (word, at) => LOOKUP_CODE.test(word) && !isNumber(words[at - 1]) && !isNumber(words[at + 1]),
  );
}

const fitting = (found: readonly string[]): readonly string[] =>
  found.filter((text) => text !== '' && text.length <= LIMITS.optionText).slice(0, LIMITS.choices);

/** Slack took it for a link. */
const DOMAIN_IN_WORD = new RegExp(String.raw`(?<=[\p{L}\p{M}\p{N}@＠._'’\-])${TYPED_DOMAIN.source}`, 'giu');

/** Links, and the lines without them, in and out of Slack's forms. */
function readMessage(message: string) {
  const text = message.replaceAll(DOMAIN_IN_WORD, '$1');
  const typed = withoutSlackLinks(text);
  const lines = typed.split('\n').map((line) => withoutLinks(unescapeSlack(line)));
  return { links: linksIn(text), lines, emails: emailsIn(lines.join('\n'), typed) };
}

const whole = ({ text, quoted = '' }: SharedMessage) => readMessage(`${text}\n${quoted}`);

/** `isEmpty`: whether there's not even a doubtful one. */
export function emailClues(message: SharedMessage): Clues & { readonly isEmpty: boolean } {
  const { all } = whole(message).emails;
  // Who wrote an email matters more than whom it names.
  const { only, hasSome } = readMessage(message.text).emails;
  return { all: fitting(all), clear: only, isEmpty: !hasSome };
}

/** The most likely to name one visitor first; the only one is clear. */
export function visitorClues(message: SharedMessage): Clues {
  const { lines, links, emails } = whole(message);
  const words = lines.map((line) => line.split(/\s+/).map(bare));
  const others = [
    ...words.flat().filter((word) => ID_TOKEN.test(word)),
    ...lines
      .flatMap((line) => Array.from(line.matchAll(VISITOR_ID), ([, word = '']) => bare(word)))
      .filter((word) => /^[\w-]*\d[\w-]*$/.test(word)),
    ...words.flatMap(codesIn),
    ...links.flatMap((link) => clueIn(link) ?? []),
  ];
  const found = [...new Set([...emails.all, ...others])];
  const only = emails.only ?? (emails.hasSome ? undefined : others[0]);
  return { all: fitting(found), clear: found.length === 1 ? only : undefined };
}

const notesInput = inputs.checkboxes('notes', 'Notes', [['yes', 'Link this message in the session notes']], {
  optional: true,
});

/** @param offersNotes whether the session's notes may begin with the message's address */
export function clueForm(
  { label, asksFor }: Pick<Shortcut, 'label' | 'asksFor'>,
  found: readonly string[],
  offersNotes: boolean,
): FormContent {
  const clues = found.slice(0, LIMITS.choices);
  const [first = '', second] = clues;
  const isOne = second === undefined;
  const hint = !isOne
    ? 'What you type here replaces the choice above.'
    : clues.length === 0
      ? `I found nothing to search for in this message. Type ${asksFor}.`
      : 'Edit if needed.';
  const choice = inputs.radios(
    'choice',
    'Found in the message',
    clues.map((clue) => [clue, mentionedUser(clue) === undefined ? clue : 'The author of the message']),
  );
  const typed = inputs.text('text', isOne ? label : 'Something else', { hint, optional: !isOne, most: 200 });
  return {
    submit: 'Continue',
    blocks: given([
      !isOne && choice.show(first),
      typed.show(isOne ? first : ''),
      offersNotes && notesInput.show(['yes']),
    ]),
  };
}
