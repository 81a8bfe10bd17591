import { Power, POWERS } from '../grants/power.ts';
import type { SettingChange } from '../grants/setting-changes.ts';
import type { WorkspaceSettings } from '../grants/settings.ts';
import { SETTINGS_FORM } from '../views/home-ids.ts';
import { powerWords } from '../views/power-words.ts';
import type { Filled } from './admin-form.ts';

const first = (filled: Filled, block: string): string | undefined => filled[block]?.[0];

function powerIn(filled: Filled, block: string): Power | undefined {
  return Power.safeParse(first(filled, block)).data;
}

function exceeds(power: Power | undefined, bound: Power): boolean {
  return power !== undefined && POWERS.indexOf(power) > POWERS.indexOf(bound);
}

/** What is wrong with the form, by block; empty where nothing is. */
export function complaintsIn(filled: Filled): Readonly<Record<string, string>> {
  const { mostBlock, usualBlock, channelBlock, channelPowerBlock } = SETTINGS_FORM;
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
  return {
    ...before,
    mostPower: powerIn(filled, SETTINGS_FORM.mostBlock) ?? before.mostPower,
    usualPower: powerIn(filled, SETTINGS_FORM.usualBlock) ?? before.usualPower,
    channelPower: channelPowers(filled, before.channelPower),
  };
}

/** What is no longer as it was. */
export function changesBetween(
  before: WorkspaceSettings,
  after: WorkspaceSettings,
): readonly SettingChange[] {
  const settings = ['mostPower', 'usualPower', 'channelPower'] as const;
  return settings
    .map((setting) => ({ setting, from: before[setting], to: after[setting] }))
    .filter(({ from, to }) => JSON.stringify(from) !== JSON.stringify(to));
}
