import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { request } from 'undici';
import type { Press } from '../commands/command.ts';
import type { Caller, IfAllowed } from '../commands/rights.ts';
import type { Message } from '../messages/message.ts';
import { formModal, loadingModal, messageModal } from '../messages/modal.ts';
import type { ShowPrivately } from '../watch/unconfirmed-presses.ts';
import { ViewOpened, withMark } from '../workspaces/web-client.ts';
import type { Workspace } from '../workspaces/workspaces.ts';
import type { Question } from './answer.ts';
import type { Find } from './directory.ts';
import { ResponseAddressError, isContentRefused, isTooLate } from './call-failure.ts';
import { callerOf, threadOf, type PressPayload } from './payloads.ts';
import { NO_UNFURLING } from './posts.ts';

export const MODAL_TITLE = 'Co-browse';

interface Addressee extends Pick<Caller, 'userId' | 'channelId' | 'threadTs'> {
  /** Only the connections if the app isn't installed: then there is only the response URL. */
  readonly workspace: Pick<Workspace, 'slackAgent'> & Partial<Pick<Workspace, 'slack' | 'installId'>>;
  readonly responseUrl: string;
}

/**
 * Through the response URL (5 uses, 30 minutes, no membership needed), or else as our own ephemeral message, which Slack lets
 * nobody replace. Rejects if neither works. Source: docs.slack.dev/interactivity/handling-user-interaction#message_responses.
 */
export async function replyPrivately(
  { workspace: { slack, slackAgent, installId }, responseUrl, userId, channelId, threadTs }: Addressee,
  message: Message,
  replace = false,
): Promise<void> {
  const { text, blocks } = message.richer ?? message;
  try {
    // Follows no redirect, and makes an answered command a third cheaper than fetch.
    const { statusCode, body } = await request(responseUrl, {
      method: 'POST',
      dispatcher: slackAgent,
      signal: AbortSignal.timeout(10_000),
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify({
        response_type: 'ephemeral',
        replace_original: replace,
        thread_ts: replace ? undefined : threadTs,
        ...withMark({ text, blocks }, installId),
        ...NO_UNFURLING,
      }),
    });
    const answer = await body.text();
    // Slack refuses with a status or, with 200, in the body. Of that only the code: a proxy's page may repeat what was sent.
    if (statusCode > 299 || /^\{"ok":\s*false\b/.test(answer))
      throw new ResponseAddressError(statusCode, /"error":\s*"(\w{1,100})"/.exec(answer)?.[1]);
  } catch (error) {
    if (channelId === undefined || slack === undefined) throw error;
    await slack.chat
      .postEphemeral({ channel: channelId, user: userId, text, blocks, thread_ts: threadTs })
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
    if (!isTooLate(error)) throw error;
  }
}

type Frame = Parameters<typeof loadingModal>[0];

/** A press, or a shortcut, which has neither a place of its own nor a value. */
type Opening = Pick<PressPayload, 'trigger_id'> & Partial<PressPayload>;

/** At once, since a trigger lives three seconds, over the modal with the button: closing leads back. Resolves with its id. */
export function openLoading(
  client: WebClient,
  { trigger_id, view: over }: Pick<Opening, 'trigger_id' | 'view'>,
  frame: Frame,
) {
  const opening = { trigger_id, view: loadingModal(frame) };
  const isPushed = over !== undefined && over.type !== 'home';
  const opened = isPushed ? client.views.push(opening) : client.views.open(opening);
  const id = opened.then((answer) => ViewOpened.parse(answer).view?.id ?? '');
  id.catch(() => undefined);
  return id;
}

type Deliver = Question['deliver'];

export const messagePlace =
  (payload: Opening, { workspace, userId }: Caller, replace = false): Deliver =>
  (message) =>
    replyPrivately(
      {
        workspace,
        userId,
        responseUrl: payload.response_url ?? '',
        channelId: payload.channel?.id,
        threadTs: threadOf(payload),
      },
      message,
      replace,
    );

/** @param otherwise where the answer goes if the modal didn't open; without it, the answer rejects */
export const inModal =
  (client: WebClient, modal: Promise<string>, frame: Frame, otherwise?: Deliver): Deliver =>
  async (message) => {
    const id = await (otherwise === undefined ? modal : modal.catch(() => undefined));
    await (id === undefined ? otherwise?.(message) : updateModal(client, id, messageModal(frame, message)));
  };

/** Opens the form that a press leads to, or puts it into the modal of the press, and fills it. */
export function formPlace(
  payload: Opening,
  presser: Caller,
  { answer, opens: { form, content } }: Pick<Press, 'answer'> & { opens: NonNullable<Press['opens']> },
  ifAllowed: IfAllowed,
): Pick<Question, 'work' | 'deliver'> {
  const { workspace, channelId, threadTs, messageTs } = presser;
  const { view, actions: [{ value: about }] = [{ value: '' }] } = payload;
  const contextWith = (seen?: string) => JSON.stringify({ channelId, threadTs, messageTs, about, seen });
  const frame = { title: form.title, context: contextWith() };
  const isReplaced = answer === 'replace' && view !== undefined && view.type !== 'home';
  const modal = isReplaced ? Promise.resolve(view.id) : openLoading(workspace.slack, payload, frame);
  const otherwise = payload.response_url === undefined ? undefined : messagePlace(payload, presser);
  return {
    async work(settle) {
      const filled = await content(about, presser, ifAllowed);
      if (!('submit' in filled)) return filled;
      await settle();
      const { title = form.title, seen } = filled;
      const shown = formModal({ title, context: contextWith(seen) }, form.callbackId, filled);
      await updateModal(workspace.slack, await modal, shown);
      return undefined;
    },
    deliver: inModal(workspace.slack, modal, frame, otherwise),
  };
}

/**
 * Where the answer to a press goes, and the modal that was opened for it. A message in the channel isn't replaced: Slack would keep
 * the link, and others may see it. Nor is the link put beside the button: Slack removes only what the button was in.
 * Source: docs.slack.dev/messaging/modifying-messages.
 */
export function pressPlace(
  payload: PressPayload,
  presser: Caller,
  { answer = 'add', needsAnswer = true, title = MODAL_TITLE }: Partial<Press> = {},
): { readonly deliver: Deliver; readonly opened?: Promise<string> } {
  const { view, container } = payload;
  const { slack } = presser.workspace;
  const isReplaced = answer === 'replace' && needsAnswer;
  if (view === undefined && (!isReplaced || container?.is_ephemeral === true))
    return { deliver: messagePlace(payload, presser, isReplaced) };
  const { channelId, threadTs } = callerOf(payload);
  const frame = { title, context: view?.private_metadata ?? JSON.stringify({ channelId, threadTs }) };
  const isHome = view?.type === 'home';
  const update: Deliver = (message) => updateModal(slack, view?.id ?? '', messageModal(frame, message));
  if (isReplaced && view !== undefined && !isHome) return { deliver: update };
  const open = () => openLoading(slack, payload, frame);
  // If the new modal doesn't open, the answer replaces this one: better than nothing. The Home tab isn't replaced.
  const otherwise = view === undefined ? messagePlace(payload, presser) : isHome ? undefined : update;
  // Usually it needs no words, so a modal opens only once there are any.
  if (!needsAnswer) return { deliver: (message) => inModal(slack, open(), frame, otherwise)(message) };
  const opened = open();
  return { deliver: inModal(slack, opened, frame, otherwise), opened };
}

/** Ephemeral if both the app and the person are in the channel, else a direct message. Source: chat.postEphemeral, Errors. */
export const createPrivateMessage =
  (find: Find<'slack'>, report: (error: unknown) => void): ShowPrivately =>
  async ({ workspaceId, userId: user, channelId: channel, threadTs }, { text, blocks }) => {
    try {
      const workspace = await find(workspaceId);
      if (workspace === undefined) return false;
      const { chat } = workspace.slack;
      if (channel !== undefined) {
        const beside = { channel, user, text, blocks, thread_ts: threadTs };
        const shown = await chat.postEphemeral(beside).catch(report);
        if (shown !== undefined) return true;
      }
      await chat.postMessage({ channel: user, text, blocks, ...NO_UNFURLING });
      return true;
    } catch (error) {
      report(error);
      return false;
    }
  };
