import type { Button } from '@slack/types';
import { z } from 'zod';
import {
  defineForm,
  definePress,
  type Filled,
  type Form,
  type Press,
  type Surface,
} from '../commands/command.ts';
import type { AdminsOnly, Right, Viewer } from '../commands/rights.ts';
import { button, refusal, type Message } from '../messages/message.ts';
import type { FormContent, Saved, Unsaved } from '../messages/modal.ts';
import type { Workspace } from '../workspaces/workspaces.ts';

export const adminsOnly = (): Message =>
  refusal(['Only workspace admins and owners can change this. Nothing changed.'], ['Ask one of them.']);

/** @param act what they can't who aren't admins, for the audit */
export const forAdmins = (act: string, detail?: AdminsOnly['detail']): Right => ({
  admins: act,
  detail,
  refused: adminsOnly,
});

/** Who acts; a test can't make a workspace whole. */
export interface Admin extends Viewer {
  readonly workspace: Pick<Workspace, 'defaults' | 'linkHosts'>;
}

export interface AdminForm extends Pick<Form, 'callbackId' | 'complaints'> {
  /** Of what it answers; “Settings” if not given. */
  readonly title?: string;
  /** What somebody may not who is no admin, for the audit. @param about the value of the button that asked for it */
  readonly act: (about: string) => string;
  readonly open: (admin: Admin, about: string) => Promise<FormContent | Message>;
  /** Saves a form without complaints. @param seen from `open`: shows whether someone else changed it meanwhile */
  readonly save: (
    admin: Admin,
    filled: Filled,
    about: string,
    seen?: string,
  ) => Promise<Message | Saved | Unsaved>;
}

/** A form, and the button in a modal that it takes the place of. */
export function openedBy(actionId: string, { act, open, save, ...definition }: AdminForm): Surface {
  const form = defineForm({
    title: 'Settings',
    redraws: 'renew',
    closes: true,
    ...definition,
    right: ({ about }) => forAdmins(act(about)),
    run: ({ filled, about, seen }, admin) => save(admin, filled, about, seen),
  });
  const press = definePress({
    actionId,
    answer: 'replace',
    right: (about) => forAdmins(act(about)),
    value: z.string(),
    opens: { form, content: (about, admin) => open(admin, about) },
  });
  return { forms: [form], presses: [press] };
}

/** A button that changes something, for admins. The answer comes as a modal: a Home tab has no place for it. A modal's can `replace` it. */
export const acting = (
  actionId: string,
  title: string,
  right: Right | ((value: string) => Right),
  run: (viewer: Viewer, value: string) => Promise<Message>,
  more: Partial<Pick<Press, 'answer'>> = {},
): Press =>
  definePress({
    actionId,
    answer: 'add',
    title,
    redraws: 'renew',
    right,
    value: z.string(),
    run: (value, presser) => run(presser, value),
    ...more,
  });

export const together = (...all: readonly (Surface | Press)[]): Surface => ({
  forms: all.flatMap((one) => ('forms' in one ? one.forms : [])),
  presses: all.flatMap((one) => ('forms' in one ? one.presses : [one])),
});

/** About something that couldn't be sent. @param action what sends it: "posted" */
export const retryAndDiscard = (
  one: string,
  number: number,
  value: string,
  [retryId, discardId]: readonly [retry: string, discard: string],
  action: string,
): readonly Button[] => [
  button({ text: 'Retry', actionId: retryId, value, label: `Retry ${one} ${number}` }),
  button({
    text: 'Discard',
    actionId: discardId,
    value,
    label: `Discard ${one} ${number}`,
    style: 'danger',
    confirm: {
      title: `Discard this ${one}?`,
      text: `It won’t be ${action}, and you can’t undo this.`,
      yes: 'Discard',
      no: 'Keep',
    },
  }),
];
