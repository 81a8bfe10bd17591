import { LRUCache } from 'lru-cache';
import type { NamedClaims } from '../database/named-claims.ts';
import type { Message } from '../messages/message.ts';
import { kindOf } from '../messages/slack-codes.ts';
import { LONGEST_WAIT_MS } from './channels.ts';

export interface Destination {
  readonly workspaceId: string;
  /** A channel's id, or a user's for a direct message. */
  readonly to: string;
  readonly threadTs?: string;
  /** The message to replace, by `ts`. */
  readonly replaces?: string;
  /** The card whose place it takes, by its id: the post is recognized by that, too. */
  readonly cardId?: string;
}

/** `reason` is Slack's code or ours. */
export interface Refusal {
  readonly reason: string;
  readonly neededScope?: string;
}

/** Slack didn't do it, or isn't known to have. */
export interface NotDone extends Refusal {
  /** Whether it can be tried again, after `afterMs` if Slack said when. */
  readonly outcome: 'later' | 'never';
  readonly afterMs?: number;
  /** It may have arrived. */
  readonly outcomeUnknown?: true;
}

export type PostOutcome =
  | {
      readonly outcome: 'posted';
      readonly ts: string | undefined;
      /** Where it is: for direct messages not the id it was sent to. */
      readonly channelId?: string;
    }
  | NotDone;

/** Never rejects. `messageId` is put into the message's metadata to recognize the post; an id and nothing else. */
export type Post = (to: Destination, message: Message, messageId: string) => Promise<PostOutcome>;

/** The messages that carry an id, or why that isn't known. */
export type Sighting =
  /** By `ts`, oldest first, and then what took their place since. `isPartial`: too many newer messages to read, so maybe more. */
  | {
      readonly found: readonly string[];
      readonly channelId: string;
      readonly isPartial?: true;
    }
  | NotDone;

/** Looks where the message was sent to. Nothing was posted before `since`, milliseconds since 1970. Never rejects. */
export type FindPosts = (
  to: Pick<Destination, 'workspaceId' | 'to' | 'threadTs'>,
  messageId: string,
  since: number,
) => Promise<Sighting>;

export interface Transport {
  /** Between two posts in one place. */
  readonly paceMs: number;
  readonly post: Post;
  readonly find: FindPosts;
}

/** Not every client and plan has these blocks yet. */
const REFUSED_FOR_MS = 24 * 60 * 60_000;

/** Which workspaces' Slack has refused such a block within a day. Never rejects. */
export const createBlockRefusals = (claims: Pick<NamedClaims, 'claim' | 'isClaimed'>) => ({
  /** Also where that can't be read. */
  areRefused: (workspaceId: string, blocks: 'charts' | 'tables'): Promise<boolean> =>
    claims.isClaimed(workspaceId, blocks).catch(() => true),
  async refuse(workspaceId: string, blocks: 'charts' | 'tables'): Promise<void> {
    await claims.claim(workspaceId, blocks, REFUSED_FOR_MS).catch(() => false);
  },
});
export type BlockRefusals = ReturnType<typeof createBlockRefusals>;

/** Slack accepts one post a second in a channel. Counted from its answer, so that no post arrives too early. */
const PACE_MS = 1_000;
const MOST_HELD = 1_000;

/**
 * A method that Slack makes a workspace wait for isn't called until then, by any delivery. That's kept in memory, since every
 * process hears it from Slack itself.
 */
export function createSlackTransport(
  slack: { readonly post: Post; readonly find: FindPosts },
  newBlocks: BlockRefusals,
  now: () => number,
  paceMs = PACE_MS,
): Transport {
  const held = new LRUCache<string, number>({ max: MOST_HELD });

  async function unlessHeld<Done extends PostOutcome | Sighting>(method: string, call: () => Promise<Done>) {
    const afterMs = (held.get(method) ?? 0) - now();
    if (afterMs > 0) return { outcome: 'later', reason: 'ratelimited', afterMs } as const;
    const result = await call();
    if ('afterMs' in result && result.afterMs !== undefined)
      held.set(method, now() + Math.min(result.afterMs, LONGEST_WAIT_MS));
    return result;
  }

  /** Where Slack refuses a message for its layout, a chart may be why: then it goes in words. */
  async function postNew(...[to, message, messageId]: Parameters<Post>): Promise<PostOutcome> {
    const { richer, ...words } = message;
    if (richer === undefined || (await newBlocks.areRefused(to.workspaceId, 'charts')))
      return slack.post(to, words, messageId);
    const result = await slack.post(to, message, messageId);
    if (result.outcome !== 'never' || kindOf(result.reason) !== 'layout') return result;
    const plain = await slack.post(to, words, messageId);
    if (plain.outcome === 'posted') await newBlocks.refuse(to.workspaceId, 'charts');
    return plain;
  }

  return {
    paceMs,
    post: (to, message, messageId) =>
      to.replaces === undefined
        ? postNew(to, message, messageId)
        : unlessHeld(`${to.workspaceId} update`, () => slack.post(to, message, messageId)),
    find: (to, messageId, since) =>
      unlessHeld(`${to.workspaceId} history`, () => slack.find(to, messageId, since)),
  };
}
