import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { FindPosts, Unpost } from '../session-end/post.ts';
import { callFailure } from './call-failure.ts';
import { carries } from './delivery-metadata.ts';

type ClientFor = (workspaceId: string) => Promise<WebClient | undefined>;

const PAGE = 100;
/** What lies further back, in a channel of that much traffic, is not looked for. */
const MOST_PAGES = 10;
/** Slack's clock and ours. */
const CLOCKS_APART_MS = 5 * 60 * 1_000;

const Page = z.object({
  messages: z.array(z.unknown()).default([]),
  response_metadata: z.object({ next_cursor: z.string().optional() }).optional(),
});
type Page = z.infer<typeof Page>;

const Said = z.object({ ts: z.string() });
const saidAt = (message: unknown) => Number(Said.safeParse(message).data?.ts ?? Number.NaN) * 1_000;
const isPerson = (to: string) => /^[UW]/.test(to);

/** @param isFarEnough whether what lies behind a page need not be read */
async function search(
  readPage: (cursor: string | undefined) => Promise<unknown>,
  deliveryId: string,
  isFarEnough: (page: Page) => boolean,
): Promise<readonly string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  for (let pages = 0; pages < MOST_PAGES; pages += 1) {
    const page = Page.parse(await readPage(cursor));
    for (const message of page.messages) {
      const ts = carries(message, deliveryId);
      if (ts !== undefined) found.push(ts);
    }
    cursor = page.response_metadata?.next_cursor;
    if (cursor === undefined || cursor === '' || isFarEnough(page)) break;
  }
  // Of one width, so that they sort as they are.
  return found.toSorted();
}

/** The channel's id, of a direct message, too, which is sent to a person's. */
async function channelOf(client: WebClient, to: string): Promise<string> {
  if (!isPerson(to)) return to;
  const opened = await client.conversations.open({ users: to });
  return opened.channel?.id ?? to;
}

async function inThread(client: WebClient, channel: string, { ts, id }: { ts: string; id: string }) {
  try {
    const read = (cursor: string | undefined) =>
      client.conversations.replies({
        channel,
        ts,
        limit: PAGE,
        include_all_metadata: true,
        ...(cursor === undefined ? {} : { cursor }),
      });
    return await search(read, id, () => false);
  } catch (error) {
    // Then it was to go into the channel itself.
    if (callFailure(error).reason === 'thread_not_found') return undefined;
    throw error;
  }
}

function inChannel(client: WebClient, channel: string, { since, id }: { since: number; id: string }) {
  const read = (cursor: string | undefined) =>
    client.conversations.history({
      channel,
      limit: PAGE,
      include_all_metadata: true,
      ...(cursor === undefined ? {} : { cursor }),
    });
  return search(read, id, ({ messages }) => saidAt(messages.at(-1)) < since - CLOCKS_APART_MS);
}

/**
 * Looks through the newest of a channel or the whole of a thread by metadata; no text is read.
 * Source: conversations.history, conversations.replies, `include_all_metadata`.
 *
 * The newest page is read whatever the time, and no `oldest` is sent: our clock may be wrong by hours.
 *
 * @param clientFor the Web API client of a workspace; undefined where the app is not installed there
 */
export function createPostFinder(clientFor: ClientFor): FindPosts {
  return async function findPosts({ workspaceId, to, threadTs }, id, since) {
    try {
      const client = await clientFor(workspaceId);
      if (client === undefined) return { outcome: 'never', reason: 'not_installed' };
      const channelId = await channelOf(client, to);
      const replies =
        threadTs === undefined ? undefined : await inThread(client, channelId, { ts: threadTs, id });
      return { found: replies ?? (await inChannel(client, channelId, { since, id })), channelId };
    } catch (error) {
      return callFailure(error);
    }
  };
}

/** @param clientFor the Web API client of a workspace; undefined where the app is not installed there */
export function createUnpost(clientFor: ClientFor): Unpost {
  return async function unpost({ workspaceId, channelId }, ts) {
    try {
      const client = await clientFor(workspaceId);
      if (client === undefined) return 'never';
      await client.chat.delete({ channel: channelId, ts });
      return 'gone';
    } catch (error) {
      const { outcome, reason } = callFailure(error);
      return reason === 'message_not_found' ? 'gone' : outcome;
    }
  };
}
