import { z } from 'zod';
import type { Right, Viewer } from '../commands/rights.ts';
import {
  defineForm,
  definePress,
  type Complaints,
  type Filled,
  type Form,
  type Press,
  type Surface,
} from '../commands/command.ts';
import type { Message } from '../messages/message.ts';
import type { FormContent, Saved, Unsaved } from '../messages/modal.ts';

export interface AdminForm {
  readonly callbackId: string;
  /** Of what it answers; “Settings” if not given. */
  readonly title?: string;
  /** What it says while saving takes longer; that it's saving if not given. */
  readonly busy?: string;
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
  readonly complaints: (filled: Filled) => Complaints;
  /** Saves a form without complaints. @param seen from `open`: shows whether someone else changed it meanwhile */
  save(viewer: Viewer, filled: Filled, about: string, seen?: string): Promise<Message | Saved | Unsaved>;
}

export const formOf = (form: AdminForm): Form =>
  defineForm({
    callbackId: form.callbackId,
    busy: form.busy,
    title: form.title ?? 'Settings',
    right: ({ about }) => form.right(about),
    complaints: form.complaints,
    redraws: 'renew',
    closes: true,
    run: ({ filled, about, seen }, viewer) => form.save(viewer, filled, about, seen),
  });

/** A button in a modal that a form for the workspace's admins takes the place of. */
export const opening = (actionId: string, admin: AdminForm, form: Form): Press =>
  definePress({
    actionId,
    answer: 'replace',
    right: admin.right,
    value: z.string(),
    opens: {
      form,
      async content(about, viewer) {
        const answer = await admin.open(viewer, about);
        if ('refused' in answer) return answer.refused;
        return { ...answer.form, title: answer.title, seen: answer.seen };
      },
    },
  });

/** A button that changes something, for admins. The answer comes as a modal: a Home tab has no place for it. */
export const acting = (
  actionId: string,
  title: string,
  right: (value: string) => Right,
  run: (viewer: Viewer, value: string) => Promise<Message>,
  busy?: string,
): Press =>
  definePress({
    actionId,
    answer: 'add',
    title,
    busy,
    redraws: 'renew',
    right,
    value: z.string(),
    run: (value, presser) => run(presser, value),
  });

export function openedBy(actionId: string, admin: AdminForm): Surface {
  const form = formOf(admin);
  return { forms: [form], presses: [opening(actionId, admin, form)] };
}
