import { z } from 'zod';
import type { Viewer } from '../commands/rights.ts';
import { jsonText, type Filled } from '../commands/command.ts';
import { inputs } from '../commands/inputs.ts';
import { SETTINGS_FORM as FORM } from '../messages/action-ids.ts';
import type { Message } from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
import { accessMeaning, accessTitle, accessWords } from '../messages/session-words.ts';
import { Access, ACCESS_LEVELS } from '../permissions/access.ts';
import {
  channelSetting,
  type KeptSettings,
  type SettingChange,
  type SettingsNow,
  type SettingsRepository,
  type WorkspaceSettings,
} from '../workspaces/settings.ts';
import type { AdminForm } from './home-buttons.ts';
import { forAdmins, settingsMenu, settingsSaved, type SettingConflict } from './settings-list.ts';

const LEVELS = ACCESS_LEVELS.map((access) => [access, accessTitle(access), accessMeaning(access)] as const);
const { select, channel } = inputs(FORM.input);

const maximum = select(FORM.mostBlock, 'Maximum access', LEVELS, {
  hint: 'Applies immediately, to every link in this workspace.',
});
const usual = select(FORM.usualBlock, 'Default access', LEVELS, {
  hint: 'The menu beside Watch offers the others, up to the maximum.',
});
const overridden = channel(FORM.channelBlock, 'Channel override', {
  hint: 'To change the access in one channel, choose the channel here and its access below.',
  optional: true,
  placeholder: 'Choose a channel',
});
const override = select(
  FORM.channelAccessBlock,
  'Access in that channel',
  [...LEVELS, [FORM.noAccess, 'Same as elsewhere'] as const],
  { hint: 'Applies until you change it here.', optional: true, placeholder: 'Choose access' },
);

/** The settings as a form, filled in with what they are. */
export const settingsForm = ({ maxAccess, defaultAccess }: WorkspaceSettings): FormContent => ({
  submit: 'Save',
  blocks: [
    maximum.show(maxAccess),
    usual.show(defaultAccess),
    overridden.show(undefined),
    override.show(undefined),
  ],
});

/** What is wrong with the form, by block; empty if nothing is. */
function complaintsIn(filled: Filled): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  const most = maximum.read(filled);
  if (most === undefined) found[maximum.block] = 'Choose the maximum access.';
  const bound = most ?? 'full';
  const exceeds = (access: Access | typeof FORM.noAccess | undefined) =>
    ACCESS_LEVELS.findIndex((one) => one === access) > ACCESS_LEVELS.indexOf(bound);
  const tooMuch = `This is more than the maximum above: ${accessWords(bound)}.`;
  if (usual.read(filled) === undefined) found[usual.block] = 'Choose the default access.';
  if (exceeds(usual.read(filled))) found[usual.block] = tooMuch;
  const channelId = overridden.read(filled);
  const access = override.read(filled);
  if (channelId !== undefined && access === undefined)
    found[override.block] = 'Choose the access there, or remove the channel.';
  if (channelId === undefined && access !== undefined)
    found[overridden.block] = 'Choose the channel this is for.';
  if (exceeds(access)) found[override.block] = tooMuch;
  return found;
}

/** The settings in the Home tab: what its button opens, and the form of the access levels. */
interface AdminSettings extends AdminForm {
  menu(viewer: Viewer): Promise<Message>;
  /** Allows customers' names in files, or doesn't any more; answers with the menu. */
  allowNames(viewer: Viewer, to: boolean): Promise<Message>;
}

/** A setting as a form showed it. */
const Shown = z.object({ value: Access, version: z.number() });
const ShownSettings = jsonText.pipe(z.object({ maxAccess: Shown, defaultAccess: Shown }));
type ShownSettings = z.infer<typeof ShownSettings>;

const shownOf = ({ settings, kept }: KeptSettings): ShownSettings => ({
  maxAccess: { value: settings.maxAccess, version: kept('maxAccess').version },
  defaultAccess: { value: settings.defaultAccess, version: kept('defaultAccess').version },
});

/** What the admin changed. A field left as it was isn't saved, even if someone else changed it meanwhile. */
function changesIn(filled: Filled, shown: ShownSettings, now: KeptSettings): readonly SettingChange[] {
  const chosen = { maxAccess: maximum.read(filled), defaultAccess: usual.read(filled) };
  const levels = (['maxAccess', 'defaultAccess'] as const).flatMap((setting): SettingChange[] => {
    const { value: from, version } = shown[setting];
    const to = chosen[setting];
    if (to === undefined || to === from) return [];
    return [{ name: setting, value: to, version, recorded: { setting, from, to } }];
  });
  const channelId = overridden.read(filled);
  if (channelId === undefined) return levels;
  const { data: access } = Access.safeParse(override.read(filled));
  const own = now.settings.channelAccess[channelId];
  if (access === own) return levels;
  const name = channelSetting(channelId);
  // JSON leaves out what is undefined.
  const recorded = { setting: 'channelAccess', from: { [channelId]: own }, to: { [channelId]: access } };
  return [...levels, { name, value: access ?? null, version: now.kept(name).version, recorded }];
}

/**
 * The maximum and default access of a workspace, and each channel's.
 *
 * @param settingsOf with the rules in force
 */
export function createAdminSettings(
  settings: SettingsRepository,
  settingsOf: (workspaceId: string) => Promise<SettingsNow>,
): AdminSettings {
  const menu = async ({ workspaceId }: Viewer) => settingsMenu(await settingsOf(workspaceId));
  return {
    menu,
    async allowNames(viewer, to) {
      const { settings: own, kept } = await settings.read(viewer.workspaceId);
      const { version } = kept('namesInFiles');
      const recorded = { setting: 'namesInFiles', from: own.namesInFiles, to };
      // Whoever pressed at the same moment is no conflict: the menu shows how it is.
      if (own.namesInFiles !== to)
        await settings.change(viewer, { name: 'namesInFiles', value: to, version, recorded });
      return menu(viewer);
    },
    callbackId: FORM.callbackId,
    right: () => forAdmins('settings'),
    async open({ workspaceId }) {
      const now = await settings.read(workspaceId);
      return { title: 'Access', form: settingsForm(now.settings), seen: JSON.stringify(shownOf(now)) };
    },
    complaints: complaintsIn,
    async save(viewer, filled, _about, seen = '') {
      const now = await settings.read(viewer.workspaceId);
      // If that can't be read, it counts as opened now.
      const shown = ShownSettings.safeParse(seen).data ?? shownOf(now);
      const conflicts: SettingConflict[] = [];
      for (const change of changesIn(filled, shown, now)) {
        const outcome = await settings.change(viewer, change);
        if (outcome !== 'changed') conflicts.push({ name: change.name, by: outcome.by });
      }
      const said = settingsSaved(await settings.of(viewer.workspaceId), conflicts);
      return conflicts.length === 0 ? { saved: said } : said;
    },
  };
}
