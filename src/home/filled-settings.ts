import { Power, POWERS } from '../grants/power.ts';
import type { WorkspaceSettings } from '../grants/settings.ts';
import { SETTINGS_FORM } from '../views/home-ids.ts';
import { MOST_DELETERS } from '../views/home-settings-form.ts';
import { powerWords } from '../views/power-words.ts';

/** What was filled in, by block: what was typed, or what was chosen. */
export type Filled = Readonly<Record<string, readonly string[]>>;

/** A setting that is no longer what it was. */
export interface SettingChange {
  readonly setting: keyof WorkspaceSettings;
  readonly from: unknown;
  readonly to: unknown;
}

const first = (filled: Filled, block: string): string | undefined => filled[block]?.[0];

function powerIn(filled: Filled, block: string): Power | undefined {
  return Power.safeParse(first(filled, block)).data;
}

function groupIds(filled: Filled): readonly string[] {
  const typed = first(filled, SETTINGS_FORM.groupsBlock) ?? '';
  return typed
    .toUpperCase()
    .split(/[\s,;]+/)
    .filter((id) => id !== '');
}

function exceeds(power: Power | undefined, bound: Power): boolean {
  return power !== undefined && POWERS.indexOf(power) > POWERS.indexOf(bound);
}

/** What is wrong with the form, by block; empty where nothing is. */
export function complaintsIn(filled: Filled): Readonly<Record<string, string>> {
  const { mostBlock, usualBlock, channelBlock, channelPowerBlock, deletersBlock, groupsBlock } =
    SETTINGS_FORM;
  const found: Record<string, string> = {};
  const most = powerIn(filled, mostBlock);
  if (most === undefined) found[mostBlock] = 'Choose the most that a link may grant.';
  const bound = most ?? 'full';
  const tooMuch = `This is more than the limit above: ${powerWords(bound)}.`;
  const usual = powerIn(filled, usualBlock);
  if (usual === undefined) found[usualBlock] = 'Choose what Watch grants.';
  if (exceeds(usual, bound)) found[usualBlock] = tooMuch;
  const channel = first(filled, channelBlock);
  const channelPower = first(filled, channelPowerBlock);
  if (channel !== undefined && channelPower === undefined)
    found[channelPowerBlock] = 'Choose what Watch grants there, or take the channel away.';
  if (channel === undefined && channelPower !== undefined)
    found[channelBlock] = 'Choose the channel that this is for.';
  if (exceeds(powerIn(filled, channelPowerBlock), bound)) found[channelPowerBlock] = tooMuch;
  const groups = groupIds(filled);
  const wrong = groups.find((id) => !/^S[A-Z0-9]{2,30}$/.test(id));
  if (wrong !== undefined)
    found[groupsBlock] = `"${wrong.slice(0, 40)}" is no id of a user group: those look like S0123ABCD.`;
  if ((filled[deletersBlock] ?? []).length + groups.length > MOST_DELETERS)
    found[groupsBlock] = `At most ${MOST_DELETERS} people and groups together.`;
  return found;
}

/** What becomes of a channel's own power: nothing where none was chosen. */
function channelPowers(filled: Filled, before: WorkspaceSettings['channelPower']) {
  const channel = first(filled, SETTINGS_FORM.channelBlock);
  if (channel === undefined) return before;
  const { [channel]: own, ...others } = before;
  const power = powerIn(filled, SETTINGS_FORM.channelPowerBlock);
  if (power === own) return before;
  return power === undefined ? others : { ...others, [channel]: power };
}

/** The settings as the form without complaints wants them. */
export function settingsAfter(filled: Filled, before: WorkspaceSettings): WorkspaceSettings {
  const users = filled[SETTINGS_FORM.deletersBlock] ?? [];
  return {
    mostPower: powerIn(filled, SETTINGS_FORM.mostBlock) ?? before.mostPower,
    usualPower: powerIn(filled, SETTINGS_FORM.usualBlock) ?? before.usualPower,
    channelPower: channelPowers(filled, before.channelPower),
    deleters: [...new Set([...users, ...groupIds(filled)])],
  };
}

/** What is no longer as it was. */
export function changesBetween(
  before: WorkspaceSettings,
  after: WorkspaceSettings,
): readonly SettingChange[] {
  const settings = ['mostPower', 'usualPower', 'channelPower', 'deleters'] as const;
  return settings
    .map((setting) => ({ setting, from: before[setting], to: after[setting] }))
    .filter(({ from, to }) => JSON.stringify(from) !== JSON.stringify(to));
}
