import { z } from 'zod';

import { messageBody } from './bodies.ts';
import { visibleChannel } from './conversation-access.ts';
import type { Message } from './messages.ts';
import { pageArgs, pageOf } from './result-pages.ts';
import { SlackError } from './slack-error.ts';
import { flag, webMethod, type WebMethod } from './web-method.ts';
import type { World } from './world.ts';

const range = {
  channel: z.string(),
  oldest: z.string().optional(),
  latest: z.string().optional(),
  inclusive: flag.default(false),
  include_all_metadata: flag.default(false),
  ...pageArgs,
};
const reading = z.object(range);
const readingThread = reading.extend({ ts: z.string() });
const historyScopes = ['channels:history', 'groups:history', 'im:history', 'mpim:history'];

/**
 * Message history, after https://docs.slack.dev/reference/methods/conversations.history and conversations.replies.
 * Ephemeral messages are never in it. Left out: replies also sent to the channel, pins, and the lower limits of apps
 * that are sold outside Slack's marketplace (15 messages, one call a minute).
 */
export const historyMethods = (
  world: World,
  scopes: readonly string[],
): Readonly<Record<string, WebMethod>> => ({
  'conversations.history': webMethod(historyScopes, reading, (args) => {
    const said = saidIn(world, args, scopes).filter(({ threadTs }) => threadTs === undefined);
    const { items, more, nextCursor } = pageOf(within(said, args).toReversed(), tsOf, args);
    return {
      messages: items.map((message) => historyBody(world, message, args.include_all_metadata)),
      has_more: more,
      pin_count: 0,
      response_metadata: { next_cursor: nextCursor },
    };
  }),

  'conversations.replies': webMethod(historyScopes, readingThread, (args) => {
    const said = saidIn(world, args, scopes);
    const root = world.threadRoot(args.channel, args.ts);
    if (root === undefined || root.visibleTo !== undefined) throw new SlackError('thread_not_found');
    const replies = within(
      said.filter(({ threadTs }) => threadTs === root.ts),
      args,
    );
    // Slack puts the thread's parent first, whatever the range.
    const { items, more, nextCursor } = pageOf([root, ...replies], tsOf, { ...args, usual: 999 });
    return {
      messages: items.map((message) => historyBody(world, message, args.include_all_metadata)),
      has_more: more,
      response_metadata: { next_cursor: nextCursor },
    };
  }),
});

type Range = z.output<typeof reading>;

/** @returns what everyone in the channel sees, oldest first. */
const saidIn = (world: World, { channel: id }: Range, scopes: readonly string[]): readonly Message[] => {
  const channel = visibleChannel(world, id, { scopes, access: 'history' });
  if (!channel.members.includes(world.app.botUser)) throw new SlackError('not_in_channel');
  return world
    .messages()
    .filter((message) => message.channel === id && message.visibleTo === undefined)
    .toSorted((one, other) => Number(one.ts) - Number(other.ts));
};

const within = (said: readonly Message[], { oldest, latest, inclusive }: Range): readonly Message[] => {
  const from = timeOf(oldest, 'invalid_ts_oldest') ?? Number.NEGATIVE_INFINITY;
  const to = timeOf(latest, 'invalid_ts_latest') ?? Number.POSITIVE_INFINITY;
  return said.filter(({ ts }) => {
    const at = Number(ts);
    return (at > from && at < to) || (inclusive && (at === from || at === to));
  });
};

const timeOf = (ts: string | undefined, refusal: string): number | undefined => {
  if (ts === undefined || ts === '') return undefined;
  if (!/^\d+(?:\.\d+)?$/u.test(ts)) throw new SlackError(refusal);
  return Number(ts);
};

const tsOf = ({ ts }: Message): string => ts;

const historyBody = (world: World, message: Message, withMetadata: boolean) => {
  const { metadata, ...body } = messageBody(world, message);
  const replies = world
    .messages()
    .filter(({ channel, threadTs }) => channel === message.channel && threadTs === message.ts);
  return {
    ...body,
    ...(withMetadata && metadata !== undefined ? { metadata } : {}),
    ...(replies.length === 0
      ? {}
      : {
          thread_ts: message.ts,
          reply_count: replies.length,
          reply_users_count: new Set(replies.map(({ user }) => user)).size,
          latest_reply: replies.at(-1)?.ts,
        }),
  };
};
