import { POWERS } from '../grants/power.ts';
import type { SettingsBook } from '../grants/settings.ts';
import { adminsOnly, settingsSaved } from '../views/home-settings.ts';
import { settingsForm } from '../views/home-settings-form.ts';
import type { Message } from '../views/message.ts';
import type { FormContent } from '../views/modal.ts';
import { changesBetween, complaintsIn, settingsAfter } from './filled-settings.ts';
import type { Filled, SettingChange } from './filled-settings.ts';
import type { Viewer } from './viewer.ts';

interface SettingsParts {
  readonly book: SettingsBook;
  /** Asked at each step. Rejects where Slack cannot be asked: then nothing is shown or saved. */
  readonly isAdmin: (viewer: Viewer) => Promise<boolean>;
  /** Told who changed what, after it was saved. */
  readonly record: (viewer: Viewer, changes: readonly SettingChange[]) => void;
}

/** The workspace's settings, in the hands of its admins. */
export interface AdminSettings {
  /** The form as it is to be shown, or the words for who is no admin. */
  form(viewer: Viewer): Promise<{ readonly form: FormContent } | { readonly refused: Message }>;
  /** What is wrong with a filled-in form, by block; empty where nothing is. */
  complaints(filled: Filled): Readonly<Record<string, string>>;
  /** Saves a form without complaints, where the viewer is an admin still. */
  save(viewer: Viewer, filled: Filled): Promise<Message>;
}

export function createAdminSettings({ book, isAdmin, record }: SettingsParts): AdminSettings {
  return {
    async form(viewer) {
      if (!(await isAdmin(viewer))) return { refused: adminsOnly() };
      return { form: settingsForm(await book.of(viewer.workspaceId), POWERS) };
    },
    complaints: complaintsIn,
    async save(viewer, filled) {
      if (!(await isAdmin(viewer))) return adminsOnly();
      const before = await book.of(viewer.workspaceId);
      const after = settingsAfter(filled, before);
      await book.write(viewer.workspaceId, after);
      const changes = changesBetween(before, after);
      if (changes.length > 0) record(viewer, changes);
      return settingsSaved(after);
    },
  };
}
