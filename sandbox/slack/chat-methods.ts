import { z } from 'zod';

import { blocksProblems, isMessageBlocks } from './block-kit.ts';
import { messageBody } from './bodies.ts';
import { isKnownToApp } from './conversation-access.ts';
import { SlackError, argumentsError } from './slack-error.ts';
import { webMethod, type WebMethod } from './web-method.ts';
import type { Message } from './messages.ts';
import { permalinkOf } from './permalinks.ts';
import type { Channel, World } from './world.ts';

const content = {
  text: z.string().default(''),
  blocks: z.unknown().optional(),
  metadata: z.unknown().optional(),
};

/** After https://docs.slack.dev/messaging/message-metadata; empty metadata removes what was there. */
const metadataShape = z.union([
  z.object({ event_type: z.string().min(1), event_payload: z.record(z.string(), z.unknown()) }),
  z.strictObject({}),
]);
const place = z.object({ channel: z.string(), thread_ts: z.string().optional(), ...content });

const longestPost = 40_000;
const longestUpdate = 4000;

/**
 * The chat methods. Left out: attachments, metadata schemas, `reply_broadcast`, posting under another name, and the
 * limit of one message a second per channel (use `fail` to make a method answer 429).
 *
 * @param base the stand-in Slack's address: permalinks lead to its page.
 */
export const chatMethods = (world: World, base: string): Readonly<Record<string, WebMethod>> => ({
  'chat.postMessage': webMethod(['chat:write'], place, (args) => {
    const channel = writableChannel(world, args.channel);
    const message = world.post({ ...draftOf(world, channel, args), ...contentOf(args, longestPost) });
    return { channel: channel.id, ts: message.ts, message: messageBody(world, message) };
  }),

  'chat.postEphemeral': webMethod(['chat:write'], place.extend({ user: z.string() }), (args) => {
    const channel = writableChannel(world, args.channel);
    if (!channel.members.includes(args.user)) throw new SlackError('user_not_in_channel');
    const draft = { ...draftOf(world, channel, args), ...contentOf(args, longestPost) };
    return { message_ts: world.post({ ...draft, visibleTo: args.user }).ts };
  }),

  'chat.update': webMethod(
    ['chat:write'],
    z.object({ channel: z.string(), ts: z.string(), ...content }),
    (args) => {
      const message = ownMessage(world, args);
      const { blocks, metadata, text } = contentOf(args, longestUpdate);
      const kept = metadata === undefined ? {} : { metadata };
      const edited = world.edit(message, { text, blocks, ...kept });
      return {
        channel: edited.channel,
        ts: edited.ts,
        text: edited.text,
        message: messageBody(world, edited),
      };
    },
  ),

  'chat.getPermalink': webMethod(
    [],
    z.object({ channel: z.string(), message_ts: z.string() }),
    ({ channel: id, message_ts }) => {
      const channel = world.channel(id);
      if (channel?.members.includes(world.app.botUser) !== true) throw new SlackError('channel_not_found');
      const message = world.message(id, message_ts);
      if (message === undefined || message.visibleTo !== undefined) throw new SlackError('message_not_found');
      return { channel: id, permalink: permalinkOf(base, message) };
    },
  ),
});

const draftOf = (world: World, channel: Channel, args: z.output<typeof place>) => ({
  channel: channel.id,
  user: world.app.botUser,
  threadTs: threadFor(world, channel, args.thread_ts),
});

/** @throws {SlackError} thread_not_found. */
export const threadFor = (world: World, channel: Channel, ts: string | undefined): string | undefined => {
  if (ts === undefined) return undefined;
  const root = world.threadRoot(channel.id, ts);
  if (root === undefined) throw new SlackError('thread_not_found');
  return root.ts;
};

/** A channel's id, or a person's: then it's the app's direct messages with them, its Messages tab. */
export const writableChannel = (world: World, id: string): Channel => {
  if (world.user(id)?.botId !== undefined) throw new SlackError('cannot_dm_bot');
  const channel = world.channel(id) ?? world.directMessages(id);
  if (channel === undefined || !isKnownToApp(world, channel)) throw new SlackError('channel_not_found');
  if (channel.archived) throw new SlackError('is_archived');
  if (!channel.members.includes(world.app.botUser)) throw new SlackError('not_in_channel');
  return channel;
};

/** Ephemeral messages aren't stored: chat.update doesn't find them. */
const ownMessage = (
  world: World,
  { channel: id, ts }: { readonly channel: string; readonly ts: string },
): Message => {
  const channel = world.channel(id);
  if (channel === undefined || !isKnownToApp(world, channel)) throw new SlackError('channel_not_found');
  const message = world.message(id, ts);
  if (message === undefined || message.visibleTo !== undefined || message.fromSlack) {
    throw new SlackError('message_not_found');
  }
  if (message.user !== world.app.botUser) throw new SlackError('cant_update_message');
  if (channel.archived) throw new SlackError('is_archived');
  return message;
};

const contentOf = (
  {
    text,
    blocks = [],
    metadata,
  }: { readonly text: string; readonly blocks?: unknown; readonly metadata?: unknown },
  longestText: number,
) => {
  if (!Array.isArray(blocks)) throw argumentsError('invalid_blocks_format', ['blocks must be a JSON array']);
  if (!isMessageBlocks(blocks)) throw argumentsError('invalid_blocks', blocksProblems(blocks));
  if (text === '' && blocks.length === 0) throw new SlackError('no_text');
  if (text.length > longestText) throw new SlackError('msg_too_long');
  if (metadata !== undefined && !metadataShape.safeParse(metadata).success) {
    throw new SlackError('invalid_metadata_format');
  }
  return { text, blocks, metadata };
};
