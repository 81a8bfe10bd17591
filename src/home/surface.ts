import { z } from 'zod';
import type { AdminForm } from '../admin/admin-form.ts';
import type { createAdmin } from '../admin/admin.ts';
import { forAdmins } from '../admin/settings-list.ts';
import { deliveriesForAdminsOnly } from '../admin/undelivered-list.ts';
import type { Viewer } from '../commands/caller.ts';
import type { Surface } from '../commands/catalog.ts';
import type { Command } from '../commands/command.ts';
import { defineForm } from '../commands/form.ts';
import type { Form } from '../commands/form.ts';
import { definePress } from '../commands/press.ts';
import type { Press } from '../commands/press.ts';
import type { Right } from '../commands/rights.ts';
import { CHOOSE_ACCESS, HOME_ACTION } from '../messages/action-ids.ts';
import type { Message } from '../messages/message.ts';
import { ACCESS_LEVELS } from '../permissions/access.ts';
import type { Home } from './home.ts';

const formOf = (form: AdminForm): Form =>
  defineForm({
    callbackId: form.callbackId,
    title: 'Settings',
    right: ({ about }) => form.right(about),
    complaints: form.complaints,
    redraws: 'renew',
    closes: true,
    run: ({ filled, about, seen }, viewer) => form.save(viewer, filled, about, seen),
  });

/** A button in a modal that a form for the workspace's admins takes the place of. */
const opening = (actionId: string, admin: AdminForm, form: Form): Press =>
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

/** A button that only redraws the tab, which asks by itself who may see what. */
const redrawing = (
  actionId: string,
  redraws: keyof Home,
  turn?: (viewer: Viewer, value: string) => void,
): Press =>
  definePress({
    actionId,
    answer: 'add',
    redraws,
    needsAnswer: false,
    right: 'everybody',
    value: z.string(),
    async run(value, presser) {
      turn?.(presser, value);
      return undefined;
    },
  });

/** A button that changes something, for admins. The answer comes as a modal: a Home tab has no place for it. */
const acting = (
  actionId: string,
  title: string,
  right: (value: string) => Right,
  run: (viewer: Viewer, value: string) => Promise<Message>,
): Press =>
  definePress({
    actionId,
    answer: 'add',
    title,
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

/** The buttons and forms of the Home tab. */
export function createHomeSurface(
  find: Command,
  { settings: editSettings, rules: changeRule, defaultAccess, deliveries }: ReturnType<typeof createAdmin>,
): Surface {
  const [settingsForm, ruleForm] = [formOf(editSettings), formOf(changeRule)];
  return {
    forms: [settingsForm, ruleForm],
    presses: [
      // The search field; the results open in a modal.
      { actionId: HOME_ACTION.search, answer: 'add', title: 'Customers', run: find.run },
      redrawing(HOME_ACTION.refresh, 'show'),
      redrawing(HOME_ACTION.previousDeliveries, 'renew', deliveries.turn),
      redrawing(HOME_ACTION.nextDeliveries, 'renew', deliveries.turn),
      definePress({
        actionId: HOME_ACTION.settings,
        answer: 'add',
        title: 'Settings',
        right: forAdmins('settings'),
        value: z.string(),
        run: (_value, viewer) => editSettings.menu(viewer),
      }),
      ...ACCESS_LEVELS.map((access) =>
        acting(
          CHOOSE_ACCESS[access],
          'Settings',
          () => forAdmins('settings'),
          (viewer) => defaultAccess.choose(viewer, access),
        ),
      ),
      opening(HOME_ACTION.editSettings, editSettings, settingsForm),
      opening(HOME_ACTION.changeRule, changeRule, ruleForm),
      acting(HOME_ACTION.retryDelivery, 'Summaries', toDelivery('retry'), deliveries.retry),
      acting(HOME_ACTION.dropDelivery, 'Summaries', toDelivery('drop'), deliveries.drop),
    ],
  };
}
