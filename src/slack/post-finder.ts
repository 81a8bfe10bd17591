import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { FindPosts } from '../outbox/transport.ts';
import { isPerson } from '../slack-ids.ts';
import type { Installation } from '../workspaces/workspaces.ts';
import { callFailure } from './call-failure.ts';
import { postedFor } from './poster.ts';

type ClientFor = (workspaceId: string) => Promise<WebClient | undefined>;

const PAGE = 100;
/** In a busier place only this much is read, plus the time around the attempt. */
const MOST_PAGES = 10;
/** Slack's clock and ours. */
const CLOCKS_APART_MS = 5 * 60 * 1_000;
/** By then a post has arrived, if it ever will. */
const LATEST_ARRIVAL_MS = 60 * 1_000;

const HistoryPage = z.object({
  messages: z.array(z.unknown()).default([]),
  response_metadata: z.object({ next_cursor: z.string().optional() }).optional(),
});
type HistoryPage = z.infer<typeof HistoryPage>;

const Said = z.object({ ts: z.string() });
const saidAt = (message: unknown) => Number(Said.safeParse(message).data?.ts ?? Number.NaN) * 1_000;

const slackTime = (ms: number) => (ms / 1_000).toFixed(6);

/** What to read: the newest messages if no range of Slack's times is given. */
interface PageQuery {
  readonly cursor?: string;
  readonly oldest?: string;
  readonly latest?: string;
}
type ReadPage = (asked: PageQuery) => Promise<unknown>;

/** The `ts` of the posts that were seen, and whether there was more to read. */
interface Seen {
  readonly found: readonly string[];
  readonly isPartial: boolean;
}

/** Which posts: those the app itself made for a delivery, no earlier than `since`. */
interface WantedPost {
  readonly id: string;
  readonly since: number;
  readonly app: Installation;
}

/** @param isFarEnough whether what comes after a page can be left unread */
async function search(
  readPage: ReadPage,
  { id, app }: WantedPost,
  { range, isFarEnough }: { readonly range: PageQuery; readonly isFarEnough: (page: HistoryPage) => boolean },
): Promise<Seen> {
  const found: string[] = [];
  let cursor = '';
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const page = HistoryPage.parse(await readPage(cursor === '' ? range : { ...range, cursor }));
    for (const message of page.messages) {
      const ts = postedFor(message, id, app);
      if (ts !== undefined) found.push(ts);
    }
    cursor = page.response_metadata?.next_cursor ?? '';
    if (cursor === '' || isFarEnough(page)) return { found, isPartial: false };
  }
  return { found, isPartial: true };
}

/** Reads from the end that Slack starts with, and if that doesn't reach it, around the time of the attempt. */
async function searchAll(
  readPage: ReadPage,
  wanted: WantedPost,
  isFarEnough: (page: HistoryPage) => boolean,
): Promise<Seen> {
  const first = await search(readPage, wanted, { range: {}, isFarEnough });
  if (!first.isPartial) return { ...first, found: first.found.toSorted() };
  const { since } = wanted;
  const range = {
    oldest: slackTime(since - CLOCKS_APART_MS),
    latest: slackTime(since + LATEST_ARRIVAL_MS + CLOCKS_APART_MS),
  };
  const then = await search(readPage, wanted, { range, isFarEnough: () => false });
  // They have the same width, so they sort as text. Both reads may have found the same one.
  const found = [...new Set([...first.found, ...then.found])].toSorted();
  return { found, isPartial: then.isPartial };
}

/** The channel's id. For a direct message, which is addressed to a person, it's looked up. */
async function channelOf(client: WebClient, to: string): Promise<string> {
  if (!isPerson(to)) return to;
  const opened = await client.conversations.open({ users: to });
  return opened.channel?.id ?? to;
}

async function inThread(client: WebClient, place: { channel: string; ts: string }, wanted: WantedPost) {
  try {
    const read: ReadPage = (asked) =>
      client.conversations.replies({ ...place, limit: PAGE, include_all_metadata: true, ...asked });
    return await searchAll(read, wanted, () => false);
  } catch (error) {
    // Then it was meant for the channel itself.
    if (callFailure(error).reason === 'thread_not_found') return undefined;
    throw error;
  }
}

function inChannel(client: WebClient, channel: string, wanted: WantedPost): Promise<Seen> {
  const read: ReadPage = (asked) =>
    client.conversations.history({ channel, limit: PAGE, include_all_metadata: true, ...asked });
  const isFarEnough = ({ messages }: HistoryPage) => saidAt(messages.at(-1)) < wanted.since - CLOCKS_APART_MS;
  return searchAll(read, wanted, isFarEnough);
}

/**
 * Looks through the newest messages of a channel, or a thread from its first reply on, by who posted and by metadata;
 * no text is read. If that is more than a thousand messages, it also looks around the time of the attempt, and says so
 * if it still couldn't see all. Source: conversations.history, conversations.replies, `include_all_metadata`.
 *
 * The newest page is read whatever the time, first without `oldest`: our clock may be wrong by hours.
 *
 * @param clientFor the Web API client of a workspace; undefined if the app isn't installed there
 */
export function createPostFinder(
  clientFor: ClientFor,
  installedAs: (workspaceId: string) => Promise<Installation>,
): FindPosts {
  return async function findPosts({ workspaceId, to, threadTs }, id, since) {
    try {
      const client = await clientFor(workspaceId);
      if (client === undefined) return { outcome: 'never', reason: 'not_installed' };
      const channelId = await channelOf(client, to);
      const wanted = { id, since, app: await installedAs(workspaceId) };
      const replies =
        threadTs === undefined
          ? undefined
          : await inThread(client, { channel: channelId, ts: threadTs }, wanted);
      const { found, isPartial } = replies ?? (await inChannel(client, channelId, wanted));
      return { found, channelId, ...(isPartial ? { isPartial } : {}) };
    } catch (error) {
      return callFailure(error);
    }
  };
}
