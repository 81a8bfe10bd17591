import { SlackError, type WebClient } from '@slack/web-api';
import { LRUCache } from 'lru-cache';
import { request, type Dispatcher } from 'undici';
import { z } from 'zod';
import type { Viewer } from '../commands/rights.ts';
import { kindOf } from '../messages/slack-codes.ts';
import type { FindPosts, Post } from '../outbox/transport.ts';
import { isPerson } from '../permissions/permissions.ts';
import { MessagesPage, Opened, Posted, UploadOpened } from '../workspaces/web-client.ts';
import type { Installation } from '../workspaces/workspaces.ts';
import type { Find } from './directory.ts';
import { callFailure, scopeMissing } from './call-failure.ts';

export const NO_UNFURLING = { unfurl_links: false, unfurl_media: false } as const;
const EVENT_TYPE = 'cobrowse_delivery';

/** The metadata by which a summary can be found: only ids, since members and other apps can read it. */
export const deliveryMetadata = (messageId: string, cardId?: string) => ({
  event_type: EVENT_TYPE,
  event_payload: { delivery: messageId, ...(cardId && { card: cardId }) },
});

const Carrier = z.object({
  ts: z.string(),
  user: z.string().nullish(),
  bot_id: z.string().nullish(),
  metadata: z.object({
    event_type: z.literal(EVENT_TYPE),
    event_payload: z.object({ delivery: z.string(), card: z.string().optional() }),
  }),
});

/** The post of this delivery, or what took its place. It has to be ours: another app can read our metadata and post the same. */
function postedFor(
  message: unknown,
  messageId: string,
  { botId, botUserId }: Pick<Installation, 'botId' | 'botUserId'>,
): { readonly ts: string; readonly hasBecome: boolean } | undefined {
  const { data } = Carrier.safeParse(message);
  if (data === undefined) return undefined;
  const { delivery, card } = data.metadata.event_payload;
  if (delivery !== messageId && card !== messageId) return undefined;
  const isOurs =
    (botId !== undefined && data.bot_id === botId) || (botUserId !== undefined && data.user === botUserId);
  return isOurs ? { ts: data.ts, hasBecome: delivery !== messageId } : undefined;
}

const NOT_INSTALLED = { outcome: 'never', reason: 'not_installed' } as const;

/** Posts in a channel, or to a person. Source: chat.postMessage, chat.update. */
export const createPoster =
  (find: Find<'slack'>): Post =>
  async ({ workspaceId, to: channel, threadTs, replaces, cardId }, message, messageId) => {
    try {
      const workspace = await find(workspaceId);
      if (workspace === undefined) return NOT_INSTALLED;
      const { slack } = workspace;
      const { text, blocks } = message.richer ?? message;
      const said = { channel, text, blocks, metadata: deliveryMetadata(messageId, cardId) };
      const answer =
        replaces === undefined
          ? await slack.chat.postMessage({ ...said, ...NO_UNFURLING, thread_ts: threadTs })
          : await slack.chat.update({ ...said, ts: replaces });
      const { ts, channel: channelId } = Posted.parse(answer);
      return { outcome: 'posted', ts, channelId };
    } catch (error) {
      return callFailure(error);
    }
  };

/** In a busier place only this much is read. */
const MOST_PAGES = 10;
const MOST_PUT_OFF = 1_000;
const CLOCKS_APART_MS = 5 * 60 * 1_000;

const Said = z.object({ ts: z.string() });
const saidAt = (message: unknown) => Number(Said.safeParse(message).data?.ts ?? Number.NaN) * 1_000;

interface WantedPost {
  readonly id: string;
  readonly since: number;
  readonly app: Installation;
  readonly channel: string;
  readonly threadTs: string | undefined;
}

/** `became` took the post's place since. */
const newReading = () => ({ found: new Set<string>(), became: new Set<string>(), pages: 0, cursor: '' });
type Reading = ReturnType<typeof newReading>;

/** From the end that Slack starts with. @returns whether there was more to read */
async function readOn(
  client: WebClient,
  { id, since, app, channel, threadTs }: WantedPost,
  reading: Reading,
): Promise<boolean> {
  for (; reading.pages < MOST_PAGES; reading.pages += 1) {
    const { cursor } = reading;
    const asked = { channel, limit: 100, include_all_metadata: true, ...(cursor !== '' && { cursor }) };
    const { messages = [], response_metadata: more } = MessagesPage.parse(
      threadTs === undefined
        ? await client.conversations.history(asked)
        : await client.conversations.replies({ ...asked, ts: threadTs }),
    );
    for (const message of messages) {
      const posted = postedFor(message, id, app);
      if (posted !== undefined) reading[posted.hasBecome ? 'became' : 'found'].add(posted.ts);
    }
    reading.cursor = more?.next_cursor ?? '';
    const isFarEnough = threadTs === undefined && saidAt(messages.at(-1)) < since - CLOCKS_APART_MS;
    if (reading.cursor === '' || isFarEnough) return false;
  }
  return true;
}

/** The channel's id. For a direct message, which is addressed to a person, it's looked up. */
export async function channelOf(client: WebClient, to: string): Promise<string> {
  if (!isPerson(to)) return to;
  const opened = Opened.parse(await client.conversations.open({ users: to }));
  return opened.channel?.id ?? to;
}

/**
 * By who posted and by metadata; no text is read. The newest page is read whatever the time: our clock may be hours off. A look
 * that Slack puts off goes on where it was: apps outside its Marketplace may read one page of fifteen messages a minute.
 * Source: docs.slack.dev/changelog/2025/05/29/rate-limit-changes-for-non-marketplace-apps.
 */
export function createPostFinder(find: Find<'slack' | 'installedAs'>): FindPosts {
  const putOff = new LRUCache<string, Reading>({ max: MOST_PUT_OFF });

  async function look(client: WebClient, wanted: WantedPost): Promise<Awaited<ReturnType<FindPosts>>> {
    const { app, channel, threadTs, id, since } = wanted;
    const key = JSON.stringify([app.workspaceId, channel, threadTs, id, since]);
    const reading = putOff.get(key) ?? newReading();
    putOff.delete(key);
    try {
      const isPartial = (await readOn(client, wanted, reading)) || undefined;
      // Slack's timestamps have the same width, so they sort as text.
      const found = [reading.found, reading.became].flatMap((all) => [...all].toSorted());
      return { found, channelId: channel, isPartial };
    } catch (error) {
      const { outcome, reason } = callFailure(error);
      if (outcome === 'later') putOff.set(key, reading);
      // Then it was meant for the channel itself.
      if (threadTs === undefined || kindOf(reason) !== 'no-thread') throw error;
      return look(client, { ...wanted, threadTs: undefined });
    }
  }

  return async function findPosts({ workspaceId, to, threadTs }, id, since) {
    try {
      const workspace = await find(workspaceId);
      if (workspace === undefined) return NOT_INSTALLED;
      const channel = await channelOf(workspace.slack, to);
      const app = await workspace.installedAs();
      return await look(workspace.slack, { id, since, app, channel, threadTs });
    } catch (error) {
      const failure = callFailure(error);
      // It waited too long to go on, so it starts again.
      return failure.reason === 'invalid_cursor' ? { outcome: 'later', reason: failure.reason } : failure;
    }
  };
}

/** Enough for our largest file over a slow line. */
const UPLOAD_WITHIN_MS = 60_000;

/** @param address where Slack wants it. @returns why that failed; undefined if it didn't */
async function upload(address: string, content: Buffer, dispatcher: Dispatcher): Promise<string | undefined> {
  try {
    const { statusCode, body } = await request(address, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: content,
      signal: AbortSignal.timeout(UPLOAD_WITHIN_MS),
      dispatcher,
    });
    await body.dump();
    return statusCode > 299 ? `http_${statusCode}` : undefined;
  } catch {
    return 'no_answer';
  }
}

interface SentFile {
  readonly name: string;
  readonly title: string;
  /** Slack's mrkdwn, above the file. */
  readonly comment: string;
  readonly content: Buffer;
}

/** By direct message. @returns why that failed, in Slack's code or ours. Source: files.getUploadURLExternal, completeUploadExternal. */
export const createFileSender =
  (find: Find<'slack'>, slackAgent: Dispatcher) =>
  async ({ workspaceId, userId }: Viewer, { name, title, comment, content }: SentFile) => {
    const workspace = await find(workspaceId);
    if (workspace === undefined) return { reason: 'not_installed' };
    const { slack } = workspace;
    try {
      const channelId = await channelOf(slack, userId);
      const { upload_url: address, file_id: id } = UploadOpened.parse(
        await slack.files.getUploadURLExternal({ filename: name, length: content.length }),
      );
      const reason = await upload(address, content, slackAgent);
      if (reason !== undefined) return { reason };
      await slack.files.completeUploadExternal({
        files: [{ id, title }],
        channel_id: channelId,
        initial_comment: comment,
      });
      return undefined;
    } catch (error) {
      if (!(error instanceof SlackError)) throw error;
      return { reason: callFailure(error).reason, neededScope: scopeMissing(error) };
    }
  };
