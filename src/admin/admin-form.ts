import type { Filled } from '../commands/form.ts';
import type { Message } from '../messages/message.ts';
import type { FormContent, Saved } from '../messages/modal.ts';
import type { Right } from '../commands/rights.ts';
import type { Viewer } from '../commands/caller.ts';

/** A form in the Home tab, for the workspace's admins. */
export interface AdminForm {
  readonly callbackId: string;
  /** Needed to open it, and again to save. @param about the value of the button that asked for it */
  readonly right: (about: string) => Right;
  /** The form, with what `save` needs to know of what it showed. */
  open(
    viewer: Viewer,
    about: string,
  ): Promise<
    | { readonly title: string; readonly form: FormContent; readonly seen: string }
    | { readonly refused: Message }
  >;
  /** What is wrong with a filled-in form, by block; empty if nothing is. */
  readonly complaints: (filled: Filled) => Readonly<Record<string, string>>;
  /**
   * Saves a form without complaints.
   *
   * @param seen from `open`: shows whether someone else changed it meanwhile
   */
  save(viewer: Viewer, filled: Filled, about: string, seen?: string): Promise<Message | Saved>;
}
