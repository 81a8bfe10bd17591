import { cobrowseFailureWords } from '../messages/failure-words.ts';
import type { CobrowseFailure } from '../messages/failure-words.ts';
import { LIMITS, short } from '../messages/text.ts';
import type { Message } from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
import type { Caller } from './caller.ts';
import type { Form } from './form.ts';
import type { IfAllowed, Needing, Right } from './rights.ts';
import { clueIn, unescapeSlack } from './typed.ts';

/** A message as a message shortcut gets it. */
export interface SharedMessage {
  /** All of its text, blocks and attachments included, in Slack's escaped form. */
  readonly text: string;
  /** Who wrote it; absent for a bot. */
  readonly authorId?: string;
}

/** Something found in a message that can be the command's argument. */
export interface Clue {
  readonly text: string;
  readonly argument: string;
}

/** How a message shortcut asks for the command's argument. */
export interface Shortcut {
  readonly callbackId: string;
  /** At most 24 characters: the modal's title. */
  readonly title: string;
  readonly label: string;
  /** What can be typed into the field, as "Type ..." goes on. */
  readonly asksFor: string;
  /** Whether it may lead to a session, whose notes can start with a link to the message. */
  readonly offersNotes: boolean;
  clues(message: SharedMessage): readonly Clue[];
  /** A clue clear enough to use without asking; undefined if the person has to choose. */
  clear(message: SharedMessage): Clue | undefined;
  /** The answer for a message of this app that is about one visitor. */
  readonly ofVisitor?: Needing<string, Caller, Message>;
}

/** A choice of an external select. */
export interface Choice {
  readonly text: string;
  readonly value: string;
}

/** A global shortcut: a form whose search field asks for suggestions. */
export interface GlobalShortcut {
  readonly callbackId: string;
  readonly form: Form;
  /** The form, or a refusal. */
  content(caller: Caller, ifAllowed: IfAllowed): Promise<FormContent | Message>;
  readonly suggestions: {
    readonly actionId: string;
    /** At most 100; none for who may not see them: the form itself explains that. */
    find(typed: string, caller: Caller, ifAllowed: IfAllowed): Promise<readonly Choice[]>;
  };
}

/** A global shortcut, and who can use it. */
export function defineGlobalShortcut(definition: {
  readonly callbackId: string;
  readonly right: Right;
  readonly form: Form;
  readonly content: (caller: Caller) => Promise<FormContent>;
  readonly suggestions: {
    readonly actionId: string;
    readonly find: (typed: string, caller: Caller) => Promise<readonly Choice[]>;
  };
}): GlobalShortcut {
  const { callbackId, right, form, content, suggestions } = definition;
  return {
    callbackId,
    form,
    content: (caller, ifAllowed) =>
      ifAllowed({ right, run: (_nothing, who) => content(who) }, undefined, caller),
    suggestions: {
      actionId: suggestions.actionId,
      async find(typed, caller, ifAllowed) {
        const found = await ifAllowed({ right, run: suggestions.find }, typed, caller);
        return 'blocks' in found ? [] : found;
      },
    },
  };
}

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

/** The value of a choice that only says something: no visitor's id can be a slash. */
export const NOBODY = '/';

/** Words in a list of choices, where Slack has no other place for them. */
const words = (text: string) => ({ text: short(text, LIMITS.optionText), value: NOBODY });

/** When the service takes longer than Slack waits for choices. */
export const stillSearchingChoice = words('Still searching… Type another letter to ask again.');

/** Instead of a search for a watch link: nobody else must learn it. */
export const watchLinkChoice = words('That looks like a watch link, so I didn’t search for it.');

/** @param failure what the service answered; undefined if something else went wrong */
export const failedSearchChoice = (failure: CobrowseFailure | undefined) =>
  words(
    failure === undefined
      ? 'Something went wrong in the app. Try again in a minute.'
      : cobrowseFailureWords(failure).text,
  );
