import { z } from 'zod';
import type { Viewer } from '../commands/caller.ts';
import type { Surface } from '../commands/catalog.ts';
import { defineForm, type Complaints, type Filled, type Form } from '../commands/form.ts';
import { definePress, type Press } from '../commands/press.ts';
import type { Right } from '../commands/rights.ts';
import { CHOOSE_ACCESS, HOME_ACTION } from '../messages/action-ids.ts';
import type { Message } from '../messages/message.ts';
import type { FormContent, Saved, Unsaved } from '../messages/modal.ts';
import { ACCESS_LEVELS } from '../permissions/access.ts';
import type { AdminSettings } from './access-form.ts';
import type { AdminAccount } from './account-form.ts';
import type { DefaultAccess } from './default-access.ts';
import { forAdmins } from './settings-list.ts';
import { deliveriesForAdminsOnly, howToInvite, type AdminDeliveries } from './undelivered.ts';

/** A form in the Home tab, for the workspace's admins. */
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
  /**
   * Saves a form without complaints.
   *
   * @param seen from `open`: shows whether someone else changed it meanwhile
   */
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

const toDelivery = (act: 'retry' | 'drop') => (id: string) => ({
  admins: act,
  detail: { delivery: id },
  refused: deliveriesForAdminsOnly,
});

/** To another page of the summaries in trouble. */
const turning = (actionId: string, { turn }: Pick<AdminDeliveries, 'turn'>): Press =>
  definePress({
    actionId,
    answer: 'add',
    redraws: 'renew',
    needsAnswer: false,
    // The tab asks by itself who may see what.
    right: 'everybody',
    value: z.string(),
    async run(before, viewer) {
      turn(viewer, before);
      return undefined;
    },
  });

function accountSurface({ form, summaryChannelForm, disconnect }: AdminAccount): Surface {
  const [accountForm, channelForm] = [formOf(form), formOf(summaryChannelForm)];
  return {
    forms: [accountForm, channelForm],
    presses: [
      opening(HOME_ACTION.connectAccount, form, accountForm),
      opening(HOME_ACTION.summaryChannel, summaryChannelForm, channelForm),
      acting(HOME_ACTION.disconnectAccount, 'Co-browsing account', form.right, disconnect),
    ],
  };
}

/** The buttons and forms in the Home tab that are for the workspace's admins. */
export function createHomeButtons({
  settings,
  rules,
  tickets,
  defaultAccess,
  deliveries,
  account,
}: {
  readonly settings: AdminSettings;
  readonly rules: AdminForm;
  readonly tickets: AdminForm;
  readonly defaultAccess: DefaultAccess;
  readonly deliveries: AdminDeliveries;
  /** Undefined where the operator's account is the only one. */
  readonly account: AdminAccount | undefined;
}): Surface {
  const [settingsForm, ruleForm, ticketForm] = [formOf(settings), formOf(rules), formOf(tickets)];
  const ofAccount = account === undefined ? { forms: [], presses: [] } : accountSurface(account);
  return {
    forms: [settingsForm, ruleForm, ticketForm, ...ofAccount.forms],
    presses: [
      ...ofAccount.presses,
      turning(HOME_ACTION.previousDeliveries, deliveries),
      turning(HOME_ACTION.nextDeliveries, deliveries),
      definePress({
        actionId: HOME_ACTION.settings,
        answer: 'add',
        title: 'Settings',
        right: forAdmins('settings'),
        value: z.string(),
        run: (_value, viewer) => settings.menu(viewer),
      }),
      definePress({
        actionId: HOME_ACTION.namesInFiles,
        answer: 'replace',
        redraws: 'renew',
        right: forAdmins('settings'),
        value: z.enum(['on', 'off']),
        run: (value, viewer) => settings.allowNames(viewer, value === 'on'),
      }),
      ...ACCESS_LEVELS.map((access) =>
        acting(
          CHOOSE_ACCESS[access],
          'Settings',
          () => forAdmins('settings'),
          (viewer) => defaultAccess.choose(viewer, access),
        ),
      ),
      opening(HOME_ACTION.editSettings, settings, settingsForm),
      opening(HOME_ACTION.changeRule, rules, ruleForm),
      opening(HOME_ACTION.ticketAddresses, tickets, ticketForm),
      acting(HOME_ACTION.retryDelivery, 'Summaries', toDelivery('retry'), deliveries.retry),
      acting(HOME_ACTION.dropDelivery, 'Summaries', toDelivery('drop'), deliveries.drop),
      definePress({
        actionId: HOME_ACTION.inviteApp,
        answer: 'add',
        title: 'Summaries',
        right: 'everybody',
        value: z.string(),
        run: async (channelId) => howToInvite(channelId),
      }),
    ],
  };
}
