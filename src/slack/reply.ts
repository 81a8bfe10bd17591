import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { request } from 'undici';
import type { Message } from '../messages/message.ts';
import { loadingModal } from '../messages/modal.ts';
import { slackAgent, slackErrorCode } from '../workspaces/web-client.ts';
import { ResponseAddressError, isContentRefused } from './refused-content.ts';

const TIME_LIMIT_MS = 10_000;
const NO_UNFURLING = { unfurl_links: false, unfurl_media: false } as const;

/** Slack's code, and nothing else of the answer: a proxy's page may repeat what was sent, with a link in it. */
const codeIn = (answer: string): string | undefined => /"error":\s*"(\w{1,100})"/.exec(answer)?.[1];

interface ReplyParts {
  /** Undefined if the app isn't installed: then there is only the response URL. */
  readonly client: WebClient | undefined;
  readonly responseUrl: string;
  readonly userId: string;
  readonly channelId?: string | undefined;
  /** Whether it replaces the message whose button was pressed. */
  readonly replace: boolean;
}

/**
 * Shows a message to one person, through the request's response URL (5 uses, 30 minutes, no membership needed). If that
 * fails, as our own ephemeral message, which Slack lets nobody replace. Rejects if neither works. Source:
 * docs.slack.dev/interactivity/handling-user-interaction#message_responses.
 */
export async function replyPrivately(parts: ReplyParts, { text, blocks }: Message): Promise<void> {
  const { client, responseUrl, userId, channelId, replace } = parts;
  try {
    // Follows no redirect, and makes an answered command a third cheaper than fetch.
    const { statusCode, body } = await request(responseUrl, {
      method: 'POST',
      dispatcher: slackAgent,
      signal: AbortSignal.timeout(TIME_LIMIT_MS),
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify({
        response_type: 'ephemeral',
        replace_original: replace,
        text,
        blocks,
        ...NO_UNFURLING,
      }),
    });
    const answer = await body.text();
    // Slack refuses with a status or, with 200, in the body.
    if (statusCode > 299 || /^\{"ok":\s*false\b/.test(answer))
      throw new ResponseAddressError(statusCode, codeIn(answer));
  } catch (error) {
    if (channelId === undefined || client === undefined) throw error;
    await client.chat
      .postEphemeral({ channel: channelId, user: userId, text, blocks })
      .catch((second: unknown) => {
        // A simpler message can still use the response URL, so its complaint about the content matters more.
        throw isContentRefused(error) ? error : second;
      });
  }
}

/** Updates an open modal. A person who has closed it wants no answer. */
export async function updateModal(client: WebClient, viewId: string, view: ModalView): Promise<void> {
  try {
    await client.views.update({ view_id: viewId, view });
  } catch (error) {
    if (slackErrorCode(error) !== 'not_found') throw error;
  }
}

/** An open modal that says it takes a moment. */
export interface LoadingModal {
  /** Rejects if it didn't open. */
  readonly id: Promise<string>;
  /** Fills it. Rejects if it didn't open, or Slack refuses the content. */
  readonly fill: (view: ModalView) => Promise<void>;
}

/**
 * Opens a modal immediately, since a trigger lives three seconds. Filling it rejects if it didn't open. Source:
 * views.open, views.push.
 *
 * @param how `push` puts it on top of the modal with the button, so that closing it leads back
 */
export function openLoading(
  client: WebClient,
  triggerId: string,
  frame: Parameters<typeof loadingModal>[0],
  how: 'open' | 'push' = 'open',
): LoadingModal {
  const opening = { trigger_id: triggerId, view: loadingModal(frame) };
  const opened = how === 'open' ? client.views.open(opening) : client.views.push(opening);
  const id = opened.then((answer) => answer.view?.id ?? '');
  id.catch(() => undefined);
  return { id, fill: async (view) => updateModal(client, await id, view) };
}
