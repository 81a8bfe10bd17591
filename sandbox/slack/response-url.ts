import { z } from 'zod';

import { blocksProblems, isMessageBlocks } from './block-kit.ts';
import { SlackError, argumentsError } from './slack-error.ts';
import type { Message } from './messages.ts';
import { flag } from './web-method.ts';
import type { World } from './world.ts';

/** Where an answer through a response_url goes. */
interface ResponseTarget {
  readonly channel: string;
  readonly user: string;
  /** The message whose element was pressed: the only one that can be replaced. */
  readonly original?: Message;
}

export interface ResponseUrls {
  /** @returns the address, valid for 5 answers within 30 minutes. */
  issue(target: ResponseTarget): string;
  /** @throws {SlackError} used_url, expired_url, no_text, invalid_blocks, invalid_arguments. */
  answer(id: string, body: unknown): void;
}

const maxUses = 5;
const lifetimeMs = 30 * 60_000;

const answerSchema = z.looseObject({
  text: z.string().optional(),
  blocks: z.unknown().optional(),
  response_type: z.enum(['ephemeral', 'in_channel']).optional(),
  replace_original: flag.optional(),
  thread_ts: z.string().optional(),
});

/** A message an app answers with, through a response_url or in its acknowledgement of a command. */
export const parseAnswer = (body: unknown) => {
  const parsed = answerSchema.safeParse(body);
  if (!parsed.success) throw new SlackError('invalid_arguments');
  const { text = '', blocks = [], ...rest } = parsed.data;
  if (!isMessageBlocks(blocks)) throw argumentsError('invalid_blocks', blocksProblems(blocks));
  if (text === '' && blocks.length === 0) throw new SlackError('no_text');
  return { ...rest, text, blocks };
};

export const createResponseUrls = (
  world: World,
  options: { readonly now: () => number; readonly randomId: () => string; readonly base: string },
): ResponseUrls => {
  const issued = new Map<
    string,
    { readonly target: ResponseTarget; readonly expiresAt: number; uses: number }
  >();
  return {
    issue(target) {
      const id = options.randomId();
      issued.set(id, { target, expiresAt: options.now() + lifetimeMs, uses: 0 });
      return `${options.base}/response/${id}`;
    },
    answer(id, body) {
      const url = issued.get(id);
      if (url === undefined || url.expiresAt < options.now()) throw new SlackError('expired_url');
      if (url.uses >= maxUses) throw new SlackError('used_url');
      const answer = parseAnswer(body);
      url.uses += 1;
      act(world, url.target, answer);
    },
  };
};

/** Works in channels the bot isn't a member of: that is what a response_url is for. */
const act = (world: World, target: ResponseTarget, answer: ReturnType<typeof parseAnswer>): void => {
  const { original } = target;
  const current = original && world.message(original.channel, original.ts);
  // A replaced message keeps its audience: `response_type` can't make an ephemeral message public. One that is gone,
  // through a reload or a deletion, stays gone, and Slack says ok anyway.
  if (original !== undefined && answer.replace_original === true) {
    if (current !== undefined) world.edit(current, { text: answer.text, blocks: answer.blocks });
    return;
  }
  // A command has no original message: a replacement is a new message.
  world.post({
    channel: target.channel,
    user: world.app.botUser,
    text: answer.text,
    blocks: answer.blocks,
    threadTs: answer.thread_ts,
    visibleTo: answer.response_type === 'in_channel' ? undefined : target.user,
  });
};
