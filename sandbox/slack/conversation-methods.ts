import { z } from 'zod';

import { visibleChannel } from './conversation-access.ts';
import { pageArgs, pageOf } from './result-pages.ts';
import { SlackError } from './slack-error.ts';
import { webMethod, type WebMethod } from './web-method.ts';
import type { Channel, World } from './world.ts';

const readScopes = ['channels:read', 'groups:read', 'im:read', 'mpim:read'];

/** The methods about conversations. `conversations.list` is left out: the app must not need it. */
export const conversationMethods = (
  world: World,
  scopes: readonly string[],
): Readonly<Record<string, WebMethod>> => ({
  'conversations.open': webMethod(['im:write'], z.object({ users: z.string() }), ({ users }) => {
    // Only one user: group direct messages are left out.
    const channel = world.directMessages(users);
    if (channel === undefined) throw new SlackError('user_not_found');
    return { channel: { id: channel.id } };
  }),

  'conversations.info': webMethod(readScopes, z.object({ channel: z.string() }), ({ channel: id }) => ({
    channel: channelBody(world, visibleChannel(world, id, { scopes, access: 'read' })),
  })),

  'conversations.members': webMethod(readScopes, z.object({ channel: z.string(), ...pageArgs }), (args) => {
    const { members } = visibleChannel(world, args.channel, { scopes, access: 'read' });
    // Bots are members too. Slack doesn't say whether deactivated people are; here they are.
    const { items, nextCursor } = pageOf(members, (id) => id, args);
    return { members: items, response_metadata: { next_cursor: nextCursor } };
  }),
});

const channelBody = (world: World, channel: Channel) => ({
  id: channel.id,
  is_channel: channel.kind === 'channel' && !channel.isPrivate,
  is_group: channel.isPrivate,
  is_im: channel.kind === 'dm',
  is_archived: channel.archived,
  is_member: channel.members.includes(world.app.botUser),
  is_private: channel.isPrivate || channel.kind === 'dm',
  is_shared: channel.sharedWith !== undefined,
  is_ext_shared: channel.sharedWith !== undefined,
  is_org_shared: false,
  context_team_id: world.workspace.id,
  ...(channel.sharedWith === undefined ? {} : { connected_team_ids: [channel.sharedWith] }),
  ...(channel.kind === 'dm'
    ? { user: channel.members.find((id) => id !== world.app.botUser) }
    : { name: channel.name, topic: { value: channel.topic } }),
});
