import type { Press } from '../commands/press.ts';
import type { Home } from './home.ts';
import type { Message } from '../messages/message.ts';
import type { Surface } from '../catalog.ts';
import type { AdminSettings } from '../admin/settings.ts';
import type { AdminForm } from '../admin/admin-form.ts';
import type { DefaultAccess } from '../admin/default-access.ts';
import type { AdminDeliveries } from '../admin/deliveries.ts';
import type { Viewer } from '../commands/caller.ts';
import type { Form } from '../commands/form.ts';
import { HOME_ACTION } from '../messages/home-ids.ts';
import { findCommand } from '../visitors/find.ts';
import { ACCESS_LEVELS } from '../permissions/access.ts';
import { CHOOSE_ACCESS } from '../messages/home-ids.ts';
interface HomeSurfaceParts {
  readonly editSettings: AdminSettings;
  readonly changeRule: AdminForm;
  readonly defaultAccess: Pick<DefaultAccess, 'choose'>;
  readonly deliveries: Pick<AdminDeliveries, 'retry' | 'drop' | 'turn'>;
}

const viewerOf = ({ workspaceId, userId }: Viewer): Viewer => ({ workspaceId, userId });

const formOf = (form: AdminForm): Form => ({
  callbackId: form.callbackId,
  title: 'Settings',
  complaints: (filled) => form.complaints(filled),
  redraws: 'renew',
  closes: true,
  run: ({ filled, about, seen }, caller) => form.save(viewerOf(caller), filled, about, seen),
});

/** A button in a modal that a form for the workspace's admins takes the place of. */
function opening(actionId: string, admin: AdminForm, form: Form): Press {
  return {
    actionId,
    answer: 'replace',
    opens: {
      form,
      async content(about, caller) {
        const answer = await admin.open(viewerOf(caller), about);
        if ('refused' in answer) return answer.refused;
        return { ...answer.form, title: answer.title, seen: answer.seen };
      },
    },
    needsAnswer: () => true,
    run: async () => undefined,
  };
}

/** A button that only redraws the tab. */
const redrawing = (
  actionId: string,
  redraws: keyof Home,
  turn?: (viewer: Viewer, value: string) => void,
): Press => ({
  actionId,
  answer: 'add',
  redraws,
  needsAnswer: () => false,
  async run(value, presser) {
    turn?.(viewerOf(presser), value);
    return undefined;
  },
});

type AnswerPress = (viewer: Viewer, value: string) => Promise<Message>;

/** A button whose answer comes as a modal: a Home tab has no place for it. */
const answering = (actionId: string, title: string, act: AnswerPress): Press => ({
  actionId,
  answer: 'add',
  title,
  needsAnswer: () => true,
  run: (value, presser) => act(viewerOf(presser), value),
});

/** The same for one that changes something. */
const acting = (actionId: string, title: string, act: AnswerPress): Press => ({
  ...answering(actionId, title, act),
  redraws: 'renew',
});

/** The search field; the results open in a modal. */
const searching: Press = {
  actionId: HOME_ACTION.search,
  answer: 'add',
  title: 'Customers',
  needsAnswer: () => true,
  run: (typed, presser, services) => findCommand.run(typed, presser, services),
};

/** The buttons and forms of the Home tab. */
export function createHomeSurface(parts: HomeSurfaceParts): Surface {
  const { editSettings, changeRule, defaultAccess, deliveries } = parts;
  const [settingsForm, ruleForm] = [formOf(editSettings), formOf(changeRule)];
  const turn = (viewer: Viewer, before: string) => deliveries.turn(viewer, before);
  return {
    forms: [settingsForm, ruleForm],
    presses: [
      searching,
      redrawing(HOME_ACTION.refresh, 'show'),
      redrawing(HOME_ACTION.previousDeliveries, 'renew', turn),
      redrawing(HOME_ACTION.nextDeliveries, 'renew', turn),
      answering(HOME_ACTION.settings, 'Settings', (viewer) => editSettings.menu(viewer)),
      ...ACCESS_LEVELS.map((access) =>
        acting(CHOOSE_ACCESS[access], 'Settings', (viewer) => defaultAccess.choose(viewer, access)),
      ),
      opening(HOME_ACTION.editSettings, editSettings, settingsForm),
      opening(HOME_ACTION.changeRule, changeRule, ruleForm),
      acting(HOME_ACTION.retryDelivery, 'Summaries', (viewer, id) => deliveries.retry(viewer, id)),
      acting(HOME_ACTION.dropDelivery, 'Summaries', (viewer, id) => deliveries.drop(viewer, id)),
    ],
  };
}
