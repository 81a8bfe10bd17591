import type { Message } from '../views/message.ts';
import type { FormContent, Saved } from '../views/modal.ts';
import type { Viewer } from './viewer.ts';

/** What was filled in, by block: what was typed, or what was chosen. */
export type Filled = Readonly<Record<string, readonly string[]>>;

/** A form of the Home tab, in the hands of the workspace's admins. */
export interface AdminForm {
  readonly callbackId: string;
  /**
   * The form as it is to be shown, with what `save` is to know of what it showed, or the words for who is no admin, which is on record then. Rejects where Slack cannot be asked.
   *
   * @param about the value of the button that asked for it
   */
  open(
    viewer: Viewer,
    about: string,
  ): Promise<
    | { readonly title: string; readonly form: FormContent; readonly seen: string }
    | { readonly refused: Message }
  >;
  /** What is wrong with a filled-in form, by block; empty where nothing is. */
  complaints(filled: Filled): Readonly<Record<string, string>>;
  /**
   * Saves a form without complaints, where the viewer is an admin still; who is not is on record.
   *
   * @param seen what `open` gave, by which it is known whether somebody else changed it meanwhile
   */
  save(viewer: Viewer, filled: Filled, about: string, seen?: string): Promise<Message | Saved>;
}
