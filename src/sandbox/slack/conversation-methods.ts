import { z } from 'zod';

import { SlackError } from './slack-error.ts';
import { webMethod } from './web-method.ts';
import type { WebMethod } from './web-method.ts';
import type { Channel, World } from './world.ts';

/** Conversations as the app may ask for them. `conversations.list` is left out: the app must not need it. */
export const conversationMethods = (world: World): Readonly<Record<string, WebMethod>> => ({
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
});

const channelBody = (world: World, channel: Channel) => ({
  id: channel.id,
  is_channel: channel.kind === 'channel',
  is_im: channel.kind === 'dm',
  is_archived: channel.archived,
  is_member: channel.members.includes(world.app.botUser),
  is_private: false,
  is_shared: channel.sharedWith !== undefined,
  is_ext_shared: channel.sharedWith !== undefined,
  is_org_shared: false,
  context_team_id: world.workspace.id,
  ...(channel.sharedWith === undefined ? {} : { connected_team_ids: [channel.sharedWith] }),
  ...(channel.kind === 'dm'
    ? { user: channel.members.find((id) => id !== world.app.botUser) }
    : { name: channel.name, topic: { value: channel.topic } }),
});
