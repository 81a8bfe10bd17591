import type { Message } from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
import type { Caller } from './caller.ts';
import type { Form } from './form.ts';
import type { Services } from '../services.ts';

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
  readonly ofVisitor?: (visitorId: string, caller: Caller, services: Services) => Promise<Message>;
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
  content(caller: Caller, services: Services): Promise<FormContent | Message>;
  readonly suggestions: {
    readonly actionId: string;
    /** At most 100. */
    find(typed: string, caller: Caller, services: Services): Promise<readonly Choice[]>;
  };
}
