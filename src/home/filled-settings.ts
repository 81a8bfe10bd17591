import { Power, POWERS } from '../grants/power.ts';
import { SETTINGS_FORM } from '../views/home-ids.ts';
import { powerWords } from '../views/power-words.ts';
import type { Filled } from './admin-form.ts';

const first = (filled: Filled, block: string): string | undefined => filled[block]?.[0];

function blockPower(filled: Filled, block: string): Power | undefined {
  return Power.safeParse(first(filled, block)).data;
}

function exceeds(power: Power | undefined, bound: Power): boolean {
  return power !== undefined && POWERS.indexOf(power) > POWERS.indexOf(bound);
}

/** What is wrong with the form, by block; empty where nothing is. */
export function complaintsIn(filled: Filled): Readonly<Record<string, string>> {
  const { mostBlock, usualBlock, channelBlock, channelPowerBlock } = SETTINGS_FORM;
  const found: Record<string, string> = {};
  const most = blockPower(filled, mostBlock);
  if (most === undefined) found[mostBlock] = 'Choose the most that a link may grant.';
  const bound = most ?? 'full';
  const tooMuch = `This is more than the limit above: ${powerWords(bound)}.`;
  const usual = blockPower(filled, usualBlock);
  if (usual === undefined) found[usualBlock] = 'Choose what Watch grants.';
  if (exceeds(usual, bound)) found[usualBlock] = tooMuch;
  const channel = first(filled, channelBlock);
  const channelPower = first(filled, channelPowerBlock);
  if (channel !== undefined && channelPower === undefined)
    found[channelPowerBlock] = 'Choose what Watch grants there, or take the channel away.';
  if (channel === undefined && channelPower !== undefined)
    found[channelBlock] = 'Choose the channel that this is for.';
  if (exceeds(blockPower(filled, channelPowerBlock), bound)) found[channelPowerBlock] = tooMuch;
  return found;
}

/** The power that a form gives one channel, undefined for the same as elsewhere; undefined where it names no channel. */
export function channelPowerIn(
  filled: Filled,
): { readonly channelId: string; readonly power: Power | undefined } | undefined {
  const channelId = first(filled, SETTINGS_FORM.channelBlock);
  return channelId === undefined
    ? undefined
    : { channelId, power: blockPower(filled, SETTINGS_FORM.channelPowerBlock) };
}

/** What a form without complaints says of a setting. */
export const powerIn = (filled: Filled, setting: 'mostPower' | 'usualPower'): Power | undefined =>
  blockPower(filled, setting === 'mostPower' ? SETTINGS_FORM.mostBlock : SETTINGS_FORM.usualBlock);
