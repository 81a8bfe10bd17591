import type { WebClient } from '@slack/web-api';
import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import type { FindPosts } from '../outbox/transport.ts';
import { isPerson } from '../permissions/permissions.ts';
import { MessagesPage, Opened } from '../workspaces/web-client.ts';
import type { Installation } from '../workspaces/workspaces.ts';
import { kindOf } from '../messages/slack-codes.ts';
import type { ClientFor } from './cached.ts';
import { callFailure } from './call-failure.ts';
import { postedFor } from './poster.ts';

const PAGE = 100;
/** In a busier place only this much is read, plus the time around the attempt. */
const MOST_PAGES = 10;
/** Looks that Slack put off. */
const MOST_PUT_OFF = 1_000;
/** Slack's clock and ours. */
const CLOCKS_APART_MS = 5 * 60 * 1_000;
/** By then a post has arrived, if it ever will. */
const LATEST_ARRIVAL_MS = 60 * 1_000;

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
  readonly became: readonly string[];
  readonly isPartial: boolean;
}

/** Which posts: those the app itself made for a delivery, no earlier than `since`. */
interface WantedPost {
  readonly id: string;
  readonly since: number;
  readonly app: Installation;
}

/** How far a look has come. */
interface Reading {
  readonly found: Set<string>;
  readonly became: Set<string>;
  pages: number;
  cursor: string;
  /** Whether it reads around the time of the attempt, since the newest messages didn't reach it. */
  isAround: boolean;
}

function rangeOf({ isAround, cursor }: Reading, { since }: WantedPost): PageQuery {
  const range = isAround
    ? {
        oldest: slackTime(since - CLOCKS_APART_MS),
        latest: slackTime(since + LATEST_ARRIVAL_MS + CLOCKS_APART_MS),
      }
    : {};
  return cursor === '' ? range : { ...range, cursor };
}

/**
 * Reads from the end that Slack starts with, and if that doesn't reach it, around the time of the attempt.
 *
 * @param isFarEnough whether what comes after a page can be left unread
 */
async function search(
  readPage: ReadPage,
  wanted: WantedPost,
  reading: Reading,
  isFarEnough: (page: z.infer<typeof MessagesPage>) => boolean,
): Promise<Seen> {
  // They have the same width, so they sort as text.
  const seen = (isPartial: boolean) => ({
    found: [...reading.found].toSorted(),
    became: [...reading.became].toSorted(),
    isPartial,
  });
  for (;;) {
    const page = MessagesPage.parse(await readPage(rangeOf(reading, wanted)));
    for (const message of page.messages ?? []) {
      const posted = postedFor(message, wanted.id, wanted.app);
      if (posted !== undefined) reading[posted.hasBecome ? 'became' : 'found'].add(posted.ts);
    }
    reading.pages += 1;
    reading.cursor = page.response_metadata?.next_cursor ?? '';
    if (reading.cursor === '' || (!reading.isAround && isFarEnough(page))) return seen(false);
    if (reading.pages === MOST_PAGES) {
      if (reading.isAround) return seen(true);
      Object.assign(reading, { pages: 0, cursor: '', isAround: true });
    }
  }
}

/** The channel's id. For a direct message, which is addressed to a person, it's looked up. */
export async function channelOf(client: WebClient, to: string): Promise<string> {
  if (!isPerson(to)) return to;
  const opened = Opened.parse(await client.conversations.open({ users: to }));
  return opened.channel?.id ?? to;
}

/** What a place is read with, the first page first, and how far that has to go. */
function pagesOf(client: WebClient, channel: string, threadTs: string | undefined, { since }: WantedPost) {
  const usual = { channel, limit: PAGE, include_all_metadata: true };
  if (threadTs !== undefined) {
    const readPage: ReadPage = (asked) => client.conversations.replies({ ...usual, ts: threadTs, ...asked });
    return [readPage, () => false] as const;
  }
  const readPage: ReadPage = (asked) => client.conversations.history({ ...usual, ...asked });
  return [
    readPage,
    ({ messages = [] }: z.infer<typeof MessagesPage>) => saidAt(messages.at(-1)) < since - CLOCKS_APART_MS,
  ] as const;
}

/**
 * Looks through the newest messages of a channel, or a thread from its first reply on, by who posted and by metadata;
 * no text is read. If that is more than a thousand messages, it also looks around the time of the attempt, and says so
 * if it still couldn't see all. Source: conversations.history, conversations.replies, `include_all_metadata`.
 *
 * The newest page is read whatever the time, first without `oldest`: our clock may be wrong by hours.
 *
 * A look that Slack puts off goes on where it was: apps distributed outside Slack's Marketplace may read one page of fifteen
 * messages a minute. Source: docs.slack.dev/changelog/2025/05/29/rate-limit-changes-for-non-marketplace-apps.
 */
export function createPostFinder(
  clientFor: ClientFor,
  installedAs: (workspaceId: string) => Promise<Installation>,
): FindPosts {
  const putOff = new LRUCache<string, Reading>({ max: MOST_PUT_OFF });

  async function look(
    client: WebClient,
    channelId: string,
    threadTs: string | undefined,
    wanted: WantedPost,
  ): Promise<Seen> {
    const key = JSON.stringify([wanted.app.workspaceId, channelId, threadTs, wanted.id, wanted.since]);
    const reading = putOff.get(key) ?? {
      found: new Set<string>(),
      became: new Set<string>(),
      pages: 0,
      cursor: '',
      isAround: false,
    };
    putOff.delete(key);
    const [readPage, isFarEnough] = pagesOf(client, channelId, threadTs, wanted);
    try {
      return await search(readPage, wanted, reading, isFarEnough);
    } catch (error) {
      const { outcome, reason } = callFailure(error);
      if (outcome === 'later') putOff.set(key, reading);
      // Then it was meant for the channel itself.
      if (threadTs === undefined || kindOf(reason) !== 'no-thread') throw error;
      return look(client, channelId, undefined, wanted);
    }
  }

  return async function findPosts({ workspaceId, to, threadTs }, id, since) {
    try {
      const client = await clientFor(workspaceId);
      if (client === undefined) return { outcome: 'never', reason: 'not_installed' };
      const channelId = await channelOf(client, to);
      const wanted = { id, since, app: await installedAs(workspaceId) };
      const { found, became, isPartial } = await look(client, channelId, threadTs, wanted);
      return {
        found,
        became: became.length === 0 ? undefined : became,
        channelId,
        isPartial: isPartial || undefined,
      };
    } catch (error) {
      const failure = callFailure(error);
      // It waited too long to go on, so it starts again.
      return failure.reason === 'invalid_cursor' ? { outcome: 'later', reason: failure.reason } : failure;
    }
  };
}
