import type { WebClient } from '@slack/web-api';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import type { Departure, Post, Unpost } from '../outbox/transport.ts';
import type { Installation } from '../workspaces/workspaces.ts';
import { callFailure } from './call-failure.ts';

const EVENT_TYPE = 'cobrowse_delivery';

/** The metadata by which a summary can be found: only an id, since members and other apps can read it. */
export function deliveryMetadata(messageId: string) {
  return { event_type: EVENT_TYPE, event_payload: { delivery: messageId } };
}

const Carrier = z.object({
  ts: z.string(),
  user: z.string().optional(),
  bot_id: z.string().optional(),
  metadata: z.object({
    event_type: z.literal(EVENT_TYPE),
    event_payload: z.object({ delivery: z.string() }),
  }),
});

/**
 * The `ts` of a message from Slack's history, if the app itself posted it for this delivery. Any app in the workspace
 * can read our metadata, and post the same.
 */
export function postedFor(
  message: unknown,
  messageId: string,
  { botId, botUserId }: Pick<Installation, 'botId' | 'botUserId'>,
): string | undefined {
  const read = Carrier.safeParse(message);
  if (!read.success || read.data.metadata.event_payload.delivery !== messageId) return undefined;
  const { ts, user, bot_id: poster } = read.data;
  const isOurs = (poster !== undefined && poster === botId) || (user !== undefined && user === botUserId);
  return isOurs ? ts : undefined;
}

/**
 * Follows a request that is made now: it leaves in this turn of the event loop, however long that takes, or once there is a
 * connection for it.
 *
 * @returns called when it's answered
 */
function onItsWay({ left }: Departure, slackAgent: Dispatcher): () => void {
  left();
  setImmediate(left);
  slackAgent.on('connect', left);
  return () => void slackAgent.off('connect', left);
}

/**
 * @param clientFor the Web API client of a workspace; undefined if the app isn't installed there
 * @param slackAgent the client's connections
 */
export function createPoster(
  clientFor: (workspaceId: string) => Promise<WebClient | undefined>,
  slackAgent: Dispatcher,
): Post {
  return async function post(
    { workspaceId, to, threadTs, replaces },
    { text, blocks },
    messageId,
    departure,
  ) {
    const installed = await clientFor(workspaceId).then(
      (client) => ({ client }),
      () => undefined,
    );
    // Our own database failed, so nothing was sent.
    if (installed === undefined) return { outcome: 'later', reason: 'no_answer' };
    const { client } = installed;
    if (client === undefined) return { outcome: 'never', reason: 'not_installed' };
    await departure?.ready();
    const arrived = departure && onItsWay(departure, slackAgent);
    try {
      const metadata = deliveryMetadata(messageId);
      if (replaces !== undefined) {
        const updated = await client.chat.update({ channel: to, ts: replaces, text, blocks, metadata });
        return { outcome: 'posted', ts: updated.ts, channelId: updated.channel };
      }
      const posted = await client.chat.postMessage({
        channel: to,
        text,
        blocks,
        unfurl_links: false,
        unfurl_media: false,
        metadata,
        ...(threadTs === undefined ? {} : { thread_ts: threadTs }),
      });
      return { outcome: 'posted', ts: posted.ts, channelId: posted.channel };
    } catch (error) {
      return callFailure(error);
    } finally {
      arrived?.();
    }
  };
}

/** @param clientFor the Web API client of a workspace; undefined if the app isn't installed there */
export function createUnpost(clientFor: (workspaceId: string) => Promise<WebClient | undefined>): Unpost {
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
