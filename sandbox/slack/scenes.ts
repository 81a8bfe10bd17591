import type { KnownBlock } from '@slack/types';

import type { Scene } from './block-payloads.ts';
import type { Interaction } from './interaction.ts';
import type { PressSource } from './page-api.ts';
import { shownBlocks, viewOf } from './views.ts';

/** The message, modal or Home tab that a person uses, and the blocks they see there; undefined if it's gone. */
export const sceneAt = (
  parts: Interaction,
  userId: string,
  source: PressSource,
): { readonly scene: Scene; readonly blocks: readonly KnownBlock[] } | undefined => {
  const { world } = parts;
  if (source.type === 'view') {
    const view = viewOf(parts, userId, source.view_id);
    return view && { scene: { view }, blocks: shownBlocks(world, view) };
  }
  const channel = world.channel(source.channel);
  const message = world.message(source.channel, source.ts);
  if (channel === undefined || message === undefined || !channel.members.includes(userId)) return undefined;
  if ((message.visibleTo ?? userId) !== userId) return undefined;
  return { scene: { channel, message }, blocks: message.blocks };
};
