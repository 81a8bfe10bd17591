import type { Filled } from '../commands/form.ts';
import type { Message } from '../messages/message.ts';
import type { FormContent, Saved } from '../messages/modal.ts';
import type { Viewer } from '../commands/caller.ts';

/** A form in the Home tab, for the workspace's admins. */
export interface AdminForm {
  readonly callbackId: string;
  /**
   * The form, with what `save` needs to know of what it showed; a refusal for anyone who isn't an admin, on record. Rejects
   * if Slack can't be asked.
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
  /** What is wrong with a filled-in form, by block; empty if nothing is. */
  complaints(filled: Filled): Readonly<Record<string, string>>;
  /**
   * Saves a form without complaints if the viewer is still an admin; a refusal is on record.
   *
   * @param seen from `open`: shows whether someone else changed it meanwhile
   */
  save(viewer: Viewer, filled: Filled, about: string, seen?: string): Promise<Message | Saved>;
}
