import type { WebClient } from '@slack/web-api';
import { ScopeMissingError } from '../permissions/acts.ts';
import type { IsInChannel, CurrentChannelId } from '../permissions/permissions.ts';
import { isChannel } from '../permissions/slack-ids.ts';
import type { CodeKind } from '../messages/slack-codes.ts';
import { MembersPage, OwnChannels } from '../workspaces/slack-answers.ts';
import { slackErrorCode, slackErrorKind } from '../workspaces/web-client.ts';
import { createCallMethod, createRecentAnswers } from './recent-answers.ts';

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
  readPage: (cursor: string) => Promise<MembersPage>,
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
  now,
  report,
}: {
  /** The Web API client of a workspace; undefined if the app isn't installed there. */
  readonly clientFor: (workspaceId: string) => Promise<WebClient | undefined>;
  readonly currentChannelId: CurrentChannelId;
  /** Milliseconds since any moment. */
  readonly now: () => number;
  /**
   * Called with a channel whose members Slack doesn't show, or that has too many to read: there we don't know who left.
   */
  readonly report: (workspaceId: string, channelId: string, why: string) => void;
}) {
  const lists = createRecentAnswers<Includes>(now, MOST_LISTS);
  const callMembers = createCallMethod(now);
  const callConversations = createCallMethod(now);

  /**
   * False also if Slack can't say: of a channel that the app isn't in, the person's list may not have it. So it only ever
   * saves reading all members, and never keeps anybody out. Never rejects. Source: users.conversations, `user`.
   */
  async function isInOwn(workspaceId: string, client: WebClient, channel: string, user: string) {
    const types = 'public_channel,private_channel';
    const list = async () =>
      OwnChannels.parse(await client.users.conversations({ user, types, limit: PAGE }));
    const { channels = [] } = await callConversations(workspaceId, list).catch(() => ({ channels: [] }));
    return channels.some(({ id }) => id === channel);
  }

  /**
   * Whether a user is a member of a channel, by the id that the channel has now; undefined if Slack doesn't show this app
   * its members, or there are too many to read. Rejects if Slack can't be asked, with a ScopeMissingError if the app lacks
   * a scope. Not for direct messages.
   */
  const isInChannelNow: IsInChannel = async (workspaceId, userId, channel, maxAgeMs) => {
    const client = await clientFor(workspaceId);
    if (client === undefined) return undefined;
    const newList = async () =>
      createMemberList(
        (cursor) =>
          callMembers(workspaceId, async () =>
            MembersPage.parse(
              await client.conversations.members({
                channel,
                limit: PAGE,
                ...(cursor === '' ? {} : { cursor }),
              }),
            ),
          ),
        (user) => isInOwn(workspaceId, client, channel, user),
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
