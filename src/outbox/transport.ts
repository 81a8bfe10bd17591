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

interface TransportOptions {
  readonly newBlocks: BlockRefusals;
  readonly now: () => number;
  readonly paceMs?: number | undefined;
}

/** Slack accepts one post a second in a channel. Counted from its answer, so that no post arrives too early. */
const PACE_MS = 1_000;
const MOST_HELD = 1_000;

const ratelimited = (afterMs: number) => ({ outcome: 'later', reason: 'ratelimited', afterMs }) as const;

/**
 * A method that Slack makes a workspace wait for isn't called until then, by any delivery. That's kept in memory, since every
 * process hears it from Slack itself.
 */
export function createSlackTransport(
  slack: { readonly post: Post; readonly find: FindPosts },
  { newBlocks, now, paceMs = PACE_MS }: TransportOptions,
): Transport {
  const held = new LRUCache<string, number>({ max: MOST_HELD });

  /** Milliseconds until a method can be called again; undefined means now. */
  function waitFor(workspaceId: string, method: string): number | undefined {
    const until = held.get(`${workspaceId} ${method}`);
    return until === undefined || until <= now() ? undefined : until - now();
  }

  function hold(workspaceId: string, method: string, result: PostOutcome | Sighting): void {
    if (!('afterMs' in result) || result.afterMs === undefined) return;
    held.set(`${workspaceId} ${method}`, now() + Math.min(result.afterMs, LONGEST_WAIT_MS));
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
    async post(to, message, messageId) {
      const { workspaceId, replaces } = to;
      if (replaces === undefined) return postNew(to, message, messageId);
      const wait = waitFor(workspaceId, 'update');
      if (wait !== undefined) return ratelimited(wait);
      const result = await slack.post(to, message, messageId);
      hold(workspaceId, 'update', result);
      return result;
    },
    async find(to, messageId, since) {
      const wait = waitFor(to.workspaceId, 'history');
      if (wait !== undefined) return ratelimited(wait);
      const seen = await slack.find(to, messageId, since);
      hold(to.workspaceId, 'history', seen);
      return seen;
    },
  };
}
