import { z } from 'zod';
import type { Viewer } from '../commands/caller.ts';
import type { Filled } from '../commands/form.ts';
import { SETTINGS_FORM } from '../messages/action-ids.ts';
import type { Message } from '../messages/message.ts';
import { ACCESS_LEVELS, Access } from '../permissions/access.ts';
import { channelSetting } from '../workspaces/settings.ts';
import type { KeptSettings, SettingChange, SettingsNow, SettingsRepository } from '../workspaces/settings.ts';
import type { AdminForm } from './admin-form.ts';
import { accessIn, channelAccessIn, complaintsIn } from './filled-settings.ts';
import { settingsForm } from './settings-form.ts';
import { forAdmins, settingsMenu, settingsSaved } from './settings-list.ts';
import type { SettingConflict } from './settings-list.ts';

/** The settings in the Home tab: what its button opens, and the form of the access levels. */
export interface AdminSettings extends AdminForm {
  menu(viewer: Viewer): Promise<Message>;
}

/** A setting as a form showed it. */
const Shown = z.object({ value: Access, version: z.number() });
const ShownSettings = z.object({ maxAccess: Shown, defaultAccess: Shown });
type ShownSettings = z.infer<typeof ShownSettings>;

const shownOf = ({ settings, kept }: KeptSettings): ShownSettings => ({
  maxAccess: { value: settings.maxAccess, version: kept('maxAccess').version },
  defaultAccess: { value: settings.defaultAccess, version: kept('defaultAccess').version },
});

/** What the form showed when it opened. If that can't be read, it counts as opened now. */
function readShown(seen: string | undefined, now: KeptSettings): ShownSettings {
  try {
    return ShownSettings.parse(JSON.parse(seen ?? ''));
  } catch {
    return shownOf(now);
  }
}

/** What the admin changed. A field left as it was isn't saved, even if someone else changed it meanwhile. */
function changesIn(filled: Filled, shown: ShownSettings, now: KeptSettings): readonly SettingChange[] {
  const accessLevels = (['maxAccess', 'defaultAccess'] as const).flatMap((setting) => {
    const to = accessIn(filled, setting);
    const { value: from, version } = shown[setting];
    return to === undefined || to === from
      ? []
      : [{ name: setting, value: to, version, recorded: { setting, from, to } }];
  });
  const chosen = channelAccessIn(filled);
  if (chosen === undefined) return accessLevels;
  const { channelId, access } = chosen;
  const own = now.settings.channelAccess[channelId];
  if (access === own) return accessLevels;
  const name = channelSetting(channelId);
  const from = own === undefined ? {} : { [channelId]: own };
  const to = access === undefined ? {} : { [channelId]: access };
  const { version } = now.kept(name);
  const recorded = { setting: 'channelAccess', from, to };
  return [...accessLevels, { name, value: access ?? null, version, recorded }];
}

/** The maximum and default access of a workspace, and each channel's. */
export function createAdminSettings({
  settings,
  settingsOf,
}: {
  readonly settings: SettingsRepository;
  /** With the rules in force. */
  readonly settingsOf: (workspaceId: string) => Promise<SettingsNow>;
}): AdminSettings {
  return {
    menu: async ({ workspaceId }) => settingsMenu(await settingsOf(workspaceId)),
    callbackId: SETTINGS_FORM.callbackId,
    right: () => forAdmins('settings'),
    async open(viewer) {
      const now = await settings.read(viewer.workspaceId);
      const seen = JSON.stringify(shownOf(now));
      return { title: 'Access', form: settingsForm(now.settings, ACCESS_LEVELS), seen };
    },
    complaints: complaintsIn,
    async save(viewer, filled, _about, seen) {
      const now = await settings.read(viewer.workspaceId);
      const conflicts: SettingConflict[] = [];
      for (const change of changesIn(filled, readShown(seen, now), now)) {
        const outcome = await settings.change(viewer, change);
        if (outcome !== 'changed') conflicts.push({ name: change.name, by: outcome.by });
      }
      const said = settingsSaved(await settings.of(viewer.workspaceId), conflicts);
      return conflicts.length === 0 ? { saved: said } : said;
    },
  };
}
