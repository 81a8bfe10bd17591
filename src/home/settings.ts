import { POWERS } from '../grants/power.ts';
import type { ChangeSettings } from '../grants/setting-changes.ts';
import type { SettingsBook } from '../grants/settings.ts';
import { SETTINGS_FORM } from '../views/home-ids.ts';
import { adminsOnly, settingsSaved } from '../views/home-settings.ts';
import { settingsForm } from '../views/home-settings-form.ts';
import type { AdminCheck } from './admin-check.ts';
import type { AdminForm } from './admin-form.ts';
import { changesBetween, complaintsIn, settingsAfter } from './filled-settings.ts';

export interface SettingsParts {
  readonly book: Pick<SettingsBook, 'of'>;
  readonly change: ChangeSettings;
  readonly isAdmin: AdminCheck;
}

const WANTED = { act: 'settings' };

/** What links grant in a workspace. */
export function createAdminSettings({ book, change, isAdmin }: SettingsParts): AdminForm {
  return {
    callbackId: SETTINGS_FORM.callbackId,
    async open(viewer) {
      if (!(await isAdmin(viewer, WANTED))) return { refused: adminsOnly() };
      return { title: 'Settings', form: settingsForm(await book.of(viewer.workspaceId), POWERS) };
    },
    complaints: complaintsIn,
    async save(viewer, filled) {
      if (!(await isAdmin(viewer, WANTED))) return adminsOnly();
      const saved = await change(viewer, (before) => {
        const after = settingsAfter(filled, before);
        return { after, changes: changesBetween(before, after) };
      });
      return settingsSaved(saved);
    },
  };
}
