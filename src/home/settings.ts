import { POWERS } from '../grants/power.ts';
import type { ChangeSettings } from '../grants/setting-changes.ts';
import type { SettingsBook } from '../grants/settings.ts';
import { SETTINGS_FORM } from '../views/home-ids.ts';
import { adminsOnly, settingsSaved } from '../views/home-settings.ts';
import { settingsForm } from '../views/home-settings-form.ts';
import type { AdminForm, RecordRefusal } from './admin-form.ts';
import { changesBetween, complaintsIn, settingsAfter } from './filled-settings.ts';
import type { Viewer } from './viewer.ts';

export interface SettingsParts {
  readonly book: Pick<SettingsBook, 'of'>;
  readonly change: ChangeSettings;
  /** Asked at each step. Rejects where Slack cannot be asked: then nothing is shown or saved. */
  readonly isAdmin: (viewer: Viewer) => Promise<boolean>;
  readonly refused: RecordRefusal;
}

/** What links grant in a workspace. */
export function createAdminSettings({ book, change, isAdmin, refused }: SettingsParts): AdminForm {
  async function refuse(viewer: Viewer) {
    await refused(viewer, 'settings');
    return adminsOnly();
  }

  return {
    callbackId: SETTINGS_FORM.callbackId,
    async open(viewer) {
      if (!(await isAdmin(viewer))) return { refused: await refuse(viewer) };
      return { title: 'Settings', form: settingsForm(await book.of(viewer.workspaceId), POWERS) };
    },
    complaints: complaintsIn,
    async save(viewer, filled) {
      if (!(await isAdmin(viewer))) return refuse(viewer);
      const saved = await change(viewer, (before) => {
        const after = settingsAfter(filled, before);
        return { after, changes: changesBetween(before, after) };
      });
      return settingsSaved(saved);
    },
  };
}
