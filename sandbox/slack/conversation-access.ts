import { SlackError } from './slack-error.ts';
import type { Channel, World } from './world.ts';

/** The kind of conversation in scopes: `channels:read`, `groups:history`, `im:read`. */
const scopeFamily = (channel: Channel): string => {
  if (channel.kind === 'dm') return 'im';
  return channel.isPrivate ? 'groups' : 'channels';
};

/** Whether the app can know that a conversation exists: private ones are for members. */
export const isKnownToApp = (world: World, channel: Channel): boolean =>
  channel.members.includes(world.app.botUser) || (channel.kind === 'channel' && !channel.isPrivate);

/**
 * A conversation the app can see, with the scope for its kind.
 *
 * @throws {SlackError} channel_not_found, also for a private channel without the app; missing_scope.
 */
export const visibleChannel = (
  world: World,
  id: string,
  { scopes, access }: { readonly scopes: readonly string[]; readonly access: 'read' | 'history' },
): Channel => {
  const channel = world.channel(id);
  if (channel === undefined || !isKnownToApp(world, channel)) throw new SlackError('channel_not_found');
  const needed = `${scopeFamily(channel)}:${access}`;
  if (!scopes.includes(needed)) {
    throw new SlackError('missing_scope', { needed, provided: scopes.join(',') });
  }
  return channel;
};
