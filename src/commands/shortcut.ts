import { cobrowseFailureWords, type CobrowseFailure } from '../messages/failure-words.ts';
import { LIMITS, short } from '../messages/text.ts';
import type { Message } from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
import type { Caller } from './caller.ts';
import type { Clues, SharedMessage } from './clues.ts';
import type { Form } from './form.ts';
import type { IfAllowed, Needing, Right } from './rights.ts';

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
  clues(message: SharedMessage): Clues;
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
