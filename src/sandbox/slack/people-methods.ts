import { z } from 'zod';

import type { SeedUser } from './seed.ts';
import { SlackError } from './slack-error.ts';
import { webMethod } from './web-method.ts';
import type { WebMethod } from './web-method.ts';
import type { Channel, World } from './world.ts';

/** auth.test, and people and conversations as the app may ask for them. */
export const peopleMethods = (
  world: World,
  scopes: readonly string[],
): Readonly<Record<string, WebMethod>> => {
  const showEmail = scopes.includes('users:read.email');
  return {
    'auth.test': webMethod([], z.object({}), () => ({
      url: `https://${world.workspace.domain}.slack.com/`,
      team: world.workspace.name,
      user: world.user(world.app.botUser)?.name,
      team_id: world.workspace.id,
      user_id: world.app.botUser,
      bot_id: world.app.botId,
      is_enterprise_install: false,
    })),

    'users.info': webMethod(['users:read'], z.object({ user: z.string() }), ({ user: id }) => {
      const user = world.user(id);
      if (user === undefined) throw new SlackError('user_not_found');
      return { user: userBody(world, user, showEmail) };
    }),

    'users.lookupByEmail': webMethod(['users:read.email'], z.object({ email: z.string() }), ({ email }) => {
      const wanted = email.toLowerCase();
      const user = world.users.find((it) => it.email?.toLowerCase() === wanted && it.deactivated !== true);
      if (user === undefined) throw new SlackError('users_not_found');
      return { user: userBody(world, user, showEmail) };
    }),

    'conversations.open': webMethod(['im:write'], z.object({ users: z.string() }), ({ users }) => {
      // Group direct messages are left out: one user only.
      const channel = world.directMessages(users);
      if (channel === undefined) throw new SlackError('user_not_found');
      return { channel: { id: channel.id } };
    }),

    'conversations.info': webMethod(
      ['channels:read', 'im:read', 'groups:read', 'mpim:read'],
      z.object({ channel: z.string() }),
      (args) => {
        const channel = world.channel(args.channel);
        if (channel === undefined) throw new SlackError('channel_not_found');
        return { channel: channelBody(world, channel) };
      },
    ),
  };
};

const userBody = (world: World, user: SeedUser, showEmail: boolean) => ({
  id: user.id,
  team_id: world.workspace.id,
  name: user.name,
  real_name: user.realName,
  deleted: user.deactivated ?? false,
  tz: 'Europe/Amsterdam',
  profile: {
    real_name: user.realName,
    display_name: user.realName,
    ...(showEmail && user.email !== undefined ? { email: user.email } : {}),
  },
  is_admin: false,
  is_restricted: user.guest ?? false,
  is_ultra_restricted: false,
  is_bot: user.botId !== undefined,
});

const channelBody = (world: World, channel: Channel) => ({
  id: channel.id,
  is_channel: channel.kind === 'channel',
  is_im: channel.kind === 'dm',
  is_archived: channel.archived,
  is_member: channel.members.includes(world.app.botUser),
  is_private: false,
  ...(channel.kind === 'dm'
    ? { user: channel.members.find((id) => id !== world.app.botUser) }
    : { name: channel.name, topic: { value: channel.topic } }),
});
