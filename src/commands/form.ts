import type { Message } from '../messages/message.ts';
import type { Saved, Unsaved } from '../messages/modal.ts';
import type { Caller } from './caller.ts';
import type { IfAllowed, Needing } from './rights.ts';

/** What was filled in, by block: typed text, or the chosen values. */
export type Filled = Readonly<Record<string, readonly string[]>>;

/** What is wrong, by block; nothing is wrong with the others. */
export type Complaints = Readonly<Record<string, string | false | undefined>>;

/** A form as it was submitted. */
export interface Submission {
  readonly filled: Filled;
  /** The value of the button that opened it; empty for a shortcut. */
  readonly about: string;
  /** What its content says that it has to know, like what the form showed when it opened. */
  readonly seen?: string;
}

/** A modal with inputs. */
export interface Form {
  readonly callbackId: string;
  /** At most 24 characters. */
  readonly title: string;
  /** What is wrong, by block, to be shown beside the inputs. */
  complaints(filled: Filled): Complaints;
  /**
   * The channel chosen for what follows, if the form asks for one: the caller, and whoever presses a button of the answer,
   * then counts as being there.
   */
  channelOf?(filled: Filled): string | undefined;
  /** What it says while it's at work; that it's loading if not given. */
  readonly busy?: string;
  /** Whether the Home tab is redrawn afterwards. */
  readonly redraws?: 'renew';
  /** Whether it stays open for up to two seconds while saving, and closes if that's enough. */
  readonly closes?: true;
  /** Answers with {@link Saved} if closing the form says enough, and with {@link Unsaved} if it stays. */
  run(submission: Submission, caller: Caller, ifAllowed: IfAllowed): Promise<Message | Saved | Unsaved>;
}

/** A form, and who can send it in: whoever opened it may no longer be one of them. */
export function defineForm(
  definition: Omit<Form, 'run'> & Needing<Submission, Caller, Message | Saved | Unsaved>,
): Form {
  return {
    ...definition,
    run: (submission, caller, ifAllowed) => ifAllowed(definition, submission, caller),
  };
}
