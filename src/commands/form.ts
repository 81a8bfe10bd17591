import type { Message } from '../views/message.ts';
import type { Saved } from '../views/modal.ts';
import type { Caller } from './caller.ts';
import type { Services } from './services.ts';

/** What was filled in, by block: what was typed, or the value that was chosen; many values where many were. */
export type Filled = Readonly<Record<string, readonly string[]>>;

/** A form as it was submitted. */
export interface Submission {
  readonly filled: Filled;
  /** The value of the press that opened it; empty where a shortcut did. */
  readonly about: string;
  /** What the form's content said that it showed; undefined where it said nothing. */
  readonly seen?: string | undefined;
}

/** A modal with inputs. */
export interface Form {
  readonly callbackId: string;
  /** At most 24 characters. */
  readonly title: string;
  /** What is wrong, by block, to be shown beside the inputs. */
  complaints(filled: Filled): Readonly<Record<string, string>>;
  /**
   * The channel that was chosen for what follows, where the form asks for one: the caller is then as good as there, and
   * so is whoever presses a button of the answer.
   */
  channelOf?(filled: Filled): string | undefined;
  /** Whether the Home tab is drawn anew after it. */
  readonly redraws?: 'renew';
  /** Whether it stays open while it is saved, for two seconds, and closes where that is enough. */
  readonly closes?: true;
  /** Answers with {@link Saved} where nothing needs to be said if the form closes at once. */
  run(submission: Submission, caller: Caller, services: Services): Promise<Message | Saved>;
}
