import type { Message } from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
import type { Caller } from './caller.ts';
import type { Form } from './form.ts';
import type { IfAllowed, Needing, Right } from './rights.ts';

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
