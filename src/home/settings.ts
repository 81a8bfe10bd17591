import { z } from 'zod';
import { POWERS, Power } from '../grants/power.ts';
import { channelSetting } from '../grants/settings-repository.ts';
import type { KeptSettings, SettingChange, SettingsRepository } from '../grants/settings-repository.ts';
import { SETTINGS_FORM } from '../views/home-ids.ts';
import { adminsOnly, settingsSaved } from '../views/home-settings.ts';
import type { SettingConflict } from '../views/home-settings.ts';
import { settingsForm } from '../views/home-settings-form.ts';
import type { AdminCheck } from './admin-check.ts';
import type { AdminForm, Filled } from './admin-form.ts';
import { channelPowerIn, complaintsIn, powerIn } from './filled-settings.ts';

export interface SettingsParts {
  readonly settings: SettingsRepository;
  readonly isAdmin: AdminCheck;
}

const WANTED = { act: 'settings' };

/** What a form showed of a setting. */
const Shown = z.object({ value: Power, version: z.number() });
const ShownSettings = z.object({ mostPower: Shown, usualPower: Shown });
type ShownSettings = z.infer<typeof ShownSettings>;

const shownOf = ({ settings, kept }: KeptSettings): ShownSettings => ({
  mostPower: { value: settings.mostPower, version: kept('mostPower').version },
  usualPower: { value: settings.usualPower, version: kept('usualPower').version },
});

/** What the form showed when it was opened. Where that can't be read, it counts as opened now. */
function readShown(seen: string | undefined, now: KeptSettings): ShownSettings {
  try {
    return ShownSettings.parse(JSON.parse(seen ?? ''));
  } catch {
    return shownOf(now);
  }
}

/** What the admin changed: a field that was left as the form showed it stays as it is, even if somebody else changed it. */
function changesIn(filled: Filled, shown: ShownSettings, now: KeptSettings): readonly SettingChange[] {
  const powers = (['mostPower', 'usualPower'] as const).flatMap((setting) => {
    const to = powerIn(filled, setting);
    const { value: from, version } = shown[setting];
    return to === undefined || to === from
      ? []
      : [{ name: setting, value: to, version, recorded: { setting, from, to } }];
  });
  const chosen = channelPowerIn(filled);
  if (chosen === undefined) return powers;
  const { channelId, power } = chosen;
  const own = now.settings.channelPower[channelId];
  if (power === own) return powers;
  const name = channelSetting(channelId);
  const from = own === undefined ? {} : { [channelId]: own };
  const to = power === undefined ? {} : { [channelId]: power };
  const { version } = now.kept(name);
  const recorded = { setting: 'channelPower', from, to };
  return [...powers, { name, value: power ?? null, version, recorded }];
}

/** What links grant in a workspace. */
export function createAdminSettings({ settings, isAdmin }: SettingsParts): AdminForm {
  return {
    callbackId: SETTINGS_FORM.callbackId,
    async open(viewer) {
      if (!(await isAdmin(viewer, WANTED))) return { refused: adminsOnly() };
      const now = await settings.read(viewer.workspaceId);
      const seen = JSON.stringify(shownOf(now));
      return { title: 'Settings', form: settingsForm(now.settings, POWERS), seen };
    },
    complaints: complaintsIn,
    async save(viewer, filled, _about, seen) {
      if (!(await isAdmin(viewer, WANTED))) return adminsOnly();
      const now = await settings.read(viewer.workspaceId);
      const conflicts: SettingConflict[] = [];
      for (const change of changesIn(filled, readShown(seen, now), now)) {
        const outcome = await settings.change(viewer, change);
        if (outcome !== 'changed') conflicts.push({ name: change.name, by: outcome.by });
      }
      return settingsSaved(await settings.of(viewer.workspaceId), conflicts);
    },
  };
}
