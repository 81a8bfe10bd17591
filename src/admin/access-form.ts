import type { InputBlock, KnownBlock, PlainTextOption } from '@slack/types';
import { z } from 'zod';
import type { Viewer } from '../commands/caller.ts';
import type { Filled } from '../commands/form.ts';
import { SETTINGS_FORM } from '../messages/action-ids.ts';
import { field, plain } from '../messages/form-fields.ts';
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

const option = (access: Access): PlainTextOption => ({
  text: plain(accessTitle(access)),
  description: plain(accessMeaning(access)),
  value: access,
});

function accessSelect(initial: Access, accessLevels: readonly Access[]): InputBlock['element'] {
  return {
    type: 'static_select',
    action_id: SETTINGS_FORM.input,
    options: accessLevels.map(option),
    initial_option: option(initial),
  };
}

function channelFields(accessLevels: readonly Access[]): KnownBlock[] {
  return [
    field({
      block: SETTINGS_FORM.channelBlock,
      label: 'Channel override',
      hint: 'To change the access in one channel, choose the channel here and its access below.',
      optional: true,
      element: {
        type: 'conversations_select',
        action_id: SETTINGS_FORM.input,
        placeholder: plain('Choose a channel'),
        filter: { include: ['public', 'private'], exclude_bot_users: true },
      },
    }),
    field({
      block: SETTINGS_FORM.channelAccessBlock,
      label: 'Access in that channel',
      hint: 'Applies until you change it here.',
      optional: true,
      element: {
        type: 'static_select',
        action_id: SETTINGS_FORM.input,
        placeholder: plain('Choose access'),
        options: [
          ...accessLevels.map(option),
          { text: plain('Same as elsewhere'), value: SETTINGS_FORM.noAccess },
        ],
      },
    }),
  ];
}

/** The settings as a form, filled in with what they are. @param access levels all there are, from least to most */
export function settingsForm(
  { maxAccess, defaultAccess }: WorkspaceSettings,
  accessLevels: readonly Access[],
): FormContent {
  return {
    submit: 'Save',
    blocks: [
      field({
        block: SETTINGS_FORM.mostBlock,
        label: 'Maximum access',
        hint: 'Applies immediately, to every link in this workspace.',
        element: accessSelect(maxAccess, accessLevels),
      }),
      field({
        block: SETTINGS_FORM.usualBlock,
        label: 'Default access',
        hint: 'The menu beside Watch offers the others, up to the maximum.',
        element: accessSelect(defaultAccess, accessLevels),
      }),
      ...channelFields(accessLevels),
    ],
  };
}

const first = (filled: Filled, block: string): string | undefined => filled[block]?.[0];

function blockAccess(filled: Filled, block: string): Access | undefined {
  return Access.safeParse(first(filled, block)).data;
}

function exceeds(access: Access | undefined, bound: Access): boolean {
  return access !== undefined && ACCESS_LEVELS.indexOf(access) > ACCESS_LEVELS.indexOf(bound);
}

/** What is wrong with the form, by block; empty if nothing is. */
function complaintsIn(filled: Filled): Readonly<Record<string, string>> {
  const { mostBlock, usualBlock, channelBlock, channelAccessBlock } = SETTINGS_FORM;
  const found: Record<string, string> = {};
  const most = blockAccess(filled, mostBlock);
  if (most === undefined) found[mostBlock] = 'Choose the maximum access.';
  const bound = most ?? 'full';
  const tooMuch = `This is more than the maximum above: ${accessWords(bound)}.`;
  const usual = blockAccess(filled, usualBlock);
  if (usual === undefined) found[usualBlock] = 'Choose the default access.';
  if (exceeds(usual, bound)) found[usualBlock] = tooMuch;
  const channel = first(filled, channelBlock);
  const channelAccess = first(filled, channelAccessBlock);
  if (channel !== undefined && channelAccess === undefined)
    found[channelAccessBlock] = 'Choose the access there, or remove the channel.';
  if (channel === undefined && channelAccess !== undefined)
    found[channelBlock] = 'Choose the channel this is for.';
  if (exceeds(blockAccess(filled, channelAccessBlock), bound)) found[channelAccessBlock] = tooMuch;
  return found;
}

/** The access that a form sets for one channel (undefined: the default); undefined if it names no channel. */
function channelAccessIn(
  filled: Filled,
): { readonly channelId: string; readonly access: Access | undefined } | undefined {
  const channelId = first(filled, SETTINGS_FORM.channelBlock);
  return channelId === undefined
    ? undefined
    : { channelId, access: blockAccess(filled, SETTINGS_FORM.channelAccessBlock) };
}

/** A setting as a form without complaints has it. */
const accessIn = (filled: Filled, setting: 'maxAccess' | 'defaultAccess'): Access | undefined =>
  blockAccess(filled, setting === 'maxAccess' ? SETTINGS_FORM.mostBlock : SETTINGS_FORM.usualBlock);

/** The settings in the Home tab: what its button opens, and the form of the access levels. */
export interface AdminSettings extends AdminForm {
  menu(viewer: Viewer): Promise<Message>;
  /** Allows customers' names in files, or doesn't any more; answers with the menu. */
  allowNames(viewer: Viewer, to: boolean): Promise<Message>;
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
