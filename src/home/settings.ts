import { POWERS } from '../grants/power.ts';
import type { SettingsBook } from '../grants/settings.ts';
import { SETTINGS_FORM } from '../views/home-ids.ts';
import { adminsOnly, settingsSaved } from '../views/home-settings.ts';
import { settingsForm } from '../views/home-settings-form.ts';
import type { AdminForm, RecordChanges } from './admin-form.ts';
import { changesBetween, complaintsIn, settingsAfter } from './filled-settings.ts';
import type { Viewer } from './viewer.ts';

export interface SettingsParts {
  readonly book: SettingsBook;
  /** Asked at each step. Rejects where Slack cannot be asked: then nothing is shown or saved. */
  readonly isAdmin: (viewer: Viewer) => Promise<boolean>;
  readonly record: RecordChanges;
}

/** What links grant in a workspace. */
export function createAdminSettings({ book, isAdmin, record }: SettingsParts): AdminForm {
  return {
    callbackId: SETTINGS_FORM.callbackId,
    async open(viewer) {
      if (!(await isAdmin(viewer))) return { refused: adminsOnly() };
      return { title: 'Settings', form: settingsForm(await book.of(viewer.workspaceId), POWERS) };
    },
    complaints: complaintsIn,
    async save(viewer, filled) {
      if (!(await isAdmin(viewer))) return adminsOnly();
      const before = await book.of(viewer.workspaceId);
      const after = settingsAfter(filled, before);
      await book.write(viewer.workspaceId, after);
      const changes = changesBetween(before, after);
      if (changes.length > 0) await record(viewer, changes);
      return settingsSaved(after);
    },
  };
}
