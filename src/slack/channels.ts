import type { z } from 'zod';
import { LRUCache } from 'lru-cache';
import type { CodeKind } from '../messages/slack-codes.ts';
import type { Shared } from '../messages/visitor-pieces.ts';
import {
  ScopeMissingError,
  isChannel,
  type CurrentChannelId,
  type IsInChannel,
} from '../permissions/permissions.ts';
import {
  ChannelFound,
  MembersPage,
  OwnChannels,
  slackErrorCode,
  slackErrorKind,
  type SlackChannel,
} from '../workspaces/web-client.ts';
import { cached, createAsk, type ClientFor } from './cached.ts';

/** A shared channel rarely stops being shared. If Slack doesn't answer, its last answer is used for this long. */
const KNOWN_MS = 60_000;
const MOST_CHANNELS = 5_000;

/**
 * What Slack says about channels. Source: conversations.info, scopes channels:read and groups:read.
 *
 * @param report called if Slack couldn't be asked whether a channel is shared
 */
export function createChannelInfo(
  clientFor: ClientFor,
  elapsed: () => number,
  report: (error: unknown) => void,
) {
  const ask = createAsk(clientFor, elapsed);
  const recent = cached<SlackChannel>(elapsed);
  const known = new LRUCache<string, boolean>({
    // `max` would take the memory for all of them at once.
    maxSize: MOST_CHANNELS,
    sizeCalculation: () => 1,
    ttl: KNOWN_MS,
    ttlResolution: 0,
    perf: { now: elapsed },
  });

  /** Empty if Slack says nothing. Rejects if Slack can't be asked, or doesn't show the channel. */
  const infoOf = (workspaceId: string, channelId: string): Promise<SlackChannel> =>
    recent.get(workspaceId, channelId, async () => {
      const found = await ask('conversations.info', ChannelFound, workspaceId, { channel: channelId });
      return found?.channel ?? {};
    });

  /** What a channel is called; undefined if Slack doesn't show it. Never rejects. */
  async function channelNameOf(workspaceId: string, channelId: string) {
    const info = await infoOf(workspaceId, channelId).catch(() => undefined);
    return info && { name: info.name, isPublic: info.is_channel === true && info.is_private === false };
  }

  async function sharing(workspaceId: string, channelId: string): Promise<boolean | undefined> {
    const { is_ext_shared: shared, is_pending_ext_shared: isPending } = await infoOf(workspaceId, channelId);
    return shared === false ? isPending === true : shared;
  }

  /**
   * Whether a channel is, or is about to be, shared with another organization; a direct message never is. Never rejects:
   * if Slack doesn't say, or can't be asked and said nothing within the last minute, it's unknown. So is a channel that
   * Slack doesn't know: a private one that gets shared has another id, and a message for the old id may follow it there.
   * Source: conversations.info, `is_ext_shared` and `is_pending_ext_shared`.
   */
  async function isShared(workspaceId: string, place: string): Promise<Shared> {
    if (!isChannel(place)) return false;
    const key = `${workspaceId} ${place}`;
    const before = known.get(key);
    if (before === true) return true;
    try {
      const shared = await sharing(workspaceId, place);
      if (shared !== undefined) known.set(key, shared);
      return shared ?? 'unknown';
    } catch (error) {
      if (slackErrorKind(error) === 'not-in-channel') return 'unknown';
      report(error);
      // A backlog uses up Slack's rate limit for a minute; without this, unshared channels would get less than they
      // could.
      return before ?? 'unknown';
    }
  }

  return {
    isShared,
    /** Whether every member of the workspace may know about a channel; false if Slack doesn't say. */
    isPublic: async (workspaceId: string, channelId: string): Promise<boolean> =>
      (await channelNameOf(workspaceId, channelId))?.isPublic === true,
    channelNameOf,
    /** Whether the app is in a channel, and so can post there; undefined if Slack doesn't say. Never rejects. */
    isAppIn: async (workspaceId: string, channelId: string): Promise<boolean | undefined> => {
      try {
        return (await infoOf(workspaceId, channelId)).is_member;
      } catch (error) {
        return slackErrorKind(error) === 'not-in-channel' ? false : undefined;
      }
    },
    /** Somebody joined or left. */
    forget: recent.forget,
  };
}

/** Slack's maximum for one page. Source: conversations.members, `limit`. */
const PAGE = 999;
/** A press can't wait for more; for a larger channel, the members count as not shown. */
const MOST_PAGES = 5;
/**
 * People of a larger channel whose own conversations are asked for, of one list of members: for more, reading on is fewer
 * calls. Slack takes 50 of these calls a minute.
 */
const MOST_OWN = 2;
/** With 5,000 members each, a third of a megabyte per list. */
const MOST_LISTS = 100;

/**
 * Slack doesn't show the members of a private channel the app isn't in, or of a direct message. Any other refusal, like
 * a missing scope or a policy of the workspace, is no answer, and then no one can act. Source: conversations.members,
 * Errors.
 */
const NOT_SHOWN: ReadonlySet<CodeKind | undefined> = new Set<CodeKind>([
  'not-in-channel',
  'other-conversation',
]);

/** Scopes the app doesn't request: direct messages, of two or of several people, are none of its business. */
const NOT_ASKED_FOR = new Set(['im:read', 'mpim:read']);

/** Whether somebody is a member; undefined if there are too many to read. */
type Includes = (userId: string) => Promise<boolean | undefined>;

/**
 * Reads members page by page, no further than it takes to find somebody. After the first page, somebody is looked for in
 * their own conversations: those are hardly ever more than a page.
 *
 * @param isInOwn whether the channel is among a user's own conversations, as far as Slack shows them. Never rejects
 */
function createMemberList(
  readPage: (cursor: string) => Promise<z.infer<typeof MembersPage> | undefined>,
  isInOwn: (userId: string) => Promise<boolean>,
): Includes {
  const read = new Set<string>();
  const own = new Map<string, Promise<boolean>>();
  let pages = 0;
  let cursor = '';
  let isWhole = false;
  let reading: Promise<void> | undefined;

  async function readOn(): Promise<void> {
    const page = await readPage(cursor);
    if (page === undefined) throw new Error('The app was just removed from the workspace.');
    for (const member of page.members) read.add(member);
    pages += 1;
    cursor = page.response_metadata?.next_cursor ?? '';
    isWhole = cursor === '';
  }

  /** If not, it isn't known. Whoever else asks about the same user meanwhile shares this request. */
  async function hasItself(userId: string): Promise<boolean> {
    if (!own.has(userId) && own.size < MOST_OWN) own.set(userId, isInOwn(userId));
    return (await own.get(userId)) === true;
  }

  return async function includes(userId) {
    while (!read.has(userId)) {
      if (isWhole) return false;
      if (pages > 0 && (await hasItself(userId))) return true;
      if (pages === MOST_PAGES) return undefined;
      // Whoever else needs the page meanwhile shares this request.
      reading ??= readOn().finally(() => (reading = undefined));
      await reading;
    }
    return true;
  };
}

/** Slack's code, if it shows the members to no app like this one. */
function notShown(error: unknown): string | undefined {
  if (error instanceof ScopeMissingError)
    return NOT_ASKED_FOR.has(error.scope ?? '') ? error.scope : undefined;
  return NOT_SHOWN.has(slackErrorKind(error)) ? slackErrorCode(error) : undefined;
}

/** Who is in which channel. Source: conversations.members and users.conversations, scopes channels:read and groups:read. */
export function createChannelMembers({
  clientFor,
  currentChannelId,
  elapsed,
  report,
}: {
  readonly clientFor: ClientFor;
  readonly currentChannelId: CurrentChannelId;
  readonly elapsed: () => number;
  /**
   * Called with a channel whose members Slack doesn't show, or that has too many to read: there we don't know who left.
   */
  readonly report: (workspaceId: string, channelId: string, why: string) => void;
}) {
  const ask = createAsk(clientFor, elapsed);
  const lists = cached<Includes>(elapsed, MOST_LISTS);

  /**
   * False also if Slack can't say: of a channel that the app isn't in, the person's list may not have it. So it only ever
   * saves reading all members, and never keeps anybody out. Never rejects. Source: users.conversations, `user`.
   */
  async function isInOwn(workspaceId: string, channel: string, user: string) {
    const asked = { user, types: 'public_channel,private_channel', limit: PAGE };
    const own = await ask('users.conversations', OwnChannels, workspaceId, asked).catch(() => undefined);
    return own?.channels?.some(({ id }) => id === channel) === true;
  }

  const readPage = (workspaceId: string, channel: string, cursor: string) =>
    ask('conversations.members', MembersPage, workspaceId, {
      channel,
      limit: PAGE,
      ...(cursor === '' ? {} : { cursor }),
    });

  /**
   * Whether a user is a member of a channel, by the id that the channel has now; undefined if Slack doesn't show this app
   * its members, or there are too many to read. Rejects if Slack can't be asked, with a ScopeMissingError if the app lacks
   * a scope. Not for direct messages.
   */
  const isInChannelNow: IsInChannel = async (workspaceId, userId, channel, maxAgeMs) => {
    if ((await clientFor(workspaceId)) === undefined) return undefined;
    const newList = async () =>
      createMemberList(
        (cursor) => readPage(workspaceId, channel, cursor),
        (user) => isInOwn(workspaceId, channel, user),
      );
    const includes = await lists.get(workspaceId, channel, newList, maxAgeMs);
    try {
      const isMember = await includes(userId);
      if (isMember === undefined) report(workspaceId, channel, 'too_many_members');
      return isMember;
    } catch (error) {
      const code = notShown(error);
      if (code === undefined) throw error;
      report(workspaceId, channel, code);
      return undefined;
    }
  };

  const isInChannel: IsInChannel = async (workspaceId, userId, channelId, maxAgeMs) => {
    if (!isChannel(channelId)) return undefined;
    // With an id it had before, no one would be seen to have left.
    return isInChannelNow(workspaceId, userId, await currentChannelId(workspaceId, channelId), maxAgeMs);
  };

  return {
    isInChannel,
    isInChannelNow,
    /** Somebody joined or left. */
    forget: lists.forget,
  };
}
