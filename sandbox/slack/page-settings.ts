import { z } from 'zod';

import { archiveChannel, joinChannel, leaveChannel, unarchiveChannel } from './channel-life.ts';
import { done, refused, type Interaction, type Outcome } from './interaction.ts';

/** What a person changes about a channel, or their phone, to see what happens to the app's messages then. */

const as = z.string();

export const channelChange = z.object({
  as,
  channel: z.string(),
  change: z.enum(['archive', 'unarchive', 'invite-app', 'remove-app']),
});

export const phoneChange = z.object({ as, loses_link_presses: z.boolean() });

/** Slack lets members archive and invite; whoever isn't in a channel has no menu for it. */
export const changeChannel = (
  parts: Interaction,
  { as: by, channel, change }: z.output<typeof channelChange>,
): Outcome => {
  const { world } = parts;
  if (world.channel(channel)?.members.includes(by) !== true) return refused('You are not in this channel.');
  const act = { channel, by, user: world.app.botUser };
  if (change === 'archive') return archiveChannel(parts, act);
  if (change === 'unarchive') return unarchiveChannel(parts, act);
  return change === 'invite-app' ? joinChannel(parts, act) : leaveChannel(parts, act);
};

export const changePhone = (
  { world }: Interaction,
  { as: user, loses_link_presses: losesLinkPresses }: z.output<typeof phoneChange>,
): Outcome => {
  world.changePerson(user, { losesLinkPresses });
  return done;
};
