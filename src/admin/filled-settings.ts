import { ACCESS_LEVELS, Access, accessWords } from '../permissions/access.ts';
import { SETTINGS_FORM } from '../messages/action-ids.ts';
import type { Filled } from '../commands/form.ts';

const first = (filled: Filled, block: string): string | undefined => filled[block]?.[0];

function blockAccess(filled: Filled, block: string): Access | undefined {
  return Access.safeParse(first(filled, block)).data;
}

function exceeds(access: Access | undefined, bound: Access): boolean {
  return access !== undefined && ACCESS_LEVELS.indexOf(access) > ACCESS_LEVELS.indexOf(bound);
}

/** What is wrong with the form, by block; empty if nothing is. */
export function complaintsIn(filled: Filled): Readonly<Record<string, string>> {
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
export function channelAccessIn(
  filled: Filled,
): { readonly channelId: string; readonly access: Access | undefined } | undefined {
  const channelId = first(filled, SETTINGS_FORM.channelBlock);
  return channelId === undefined
    ? undefined
    : { channelId, access: blockAccess(filled, SETTINGS_FORM.channelAccessBlock) };
}

/** A setting as a form without complaints has it. */
export const accessIn = (filled: Filled, setting: 'maxAccess' | 'defaultAccess'): Access | undefined =>
  blockAccess(filled, setting === 'maxAccess' ? SETTINGS_FORM.mostBlock : SETTINGS_FORM.usualBlock);
