import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { request } from 'undici';
import type { Caller, IfAllowed } from '../commands/rights.ts';
import type { Press } from '../commands/command.ts';
import type { Message } from '../messages/message.ts';
import { formModal, loadingModal, messageModal } from '../messages/modal.ts';
import { withMark, ViewOpened } from '../workspaces/web-client.ts';
import type { Reached, ShowPrivately } from '../watch/unconfirmed-presses.ts';
import type { Workspace } from '../workspaces/workspaces.ts';
import type { Question } from './answer.ts';
import type { Find } from './cached.ts';
import { isContentRefused, isTooLate, ResponseAddressError } from './call-failure.ts';
import { plainAnswer } from './plain-answer.ts';
import { callerOfPress, threadOf, type PressPayload } from './payloads.ts';

const TIME_LIMIT_MS = 10_000;
const NO_UNFURLING = { unfurl_links: false, unfurl_media: false } as const;

/** Slack's code, and nothing else of the answer: a proxy's page may repeat what was sent, with a link in it. */
const codeIn = (answer: string): string | undefined => /"error":\s*"(\w{1,100})"/.exec(answer)?.[1];

/** Who posts. */
type Posting = Pick<Workspace, 'slack' | 'slackAgent' | 'installId'>;

type Frame = Parameters<typeof loadingModal>[0];

interface ReplyParts {
  /** Without a client if the app isn't installed: then there is only the response URL. */
  readonly workspace: Posting | Pick<Posting, 'slackAgent'>;
  readonly responseUrl: string;
  readonly userId: string;
  readonly channelId?: string;
  /** The thread that the request came from. */
  readonly threadTs?: string;
  /** Whether it replaces the message whose button was pressed. */
  readonly replace: boolean;
}

/**
 * Shows a message to one person, through the request's response URL (5 uses, 30 minutes, no membership needed). If that
 * fails, as our own ephemeral message, which Slack lets nobody replace. Rejects if neither works. Source:
 * docs.slack.dev/interactivity/handling-user-interaction#message_responses.
 */
export async function replyPrivately(parts: ReplyParts, { text, blocks }: Message): Promise<void> {
  const { workspace, responseUrl, userId, channelId, threadTs, replace } = parts;
  try {
    // Follows no redirect, and makes an answered command a third cheaper than fetch.
    const { statusCode, body } = await request(responseUrl, {
      method: 'POST',
      dispatcher: workspace.slackAgent,
      signal: AbortSignal.timeout(TIME_LIMIT_MS),
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify({
        response_type: 'ephemeral',
        replace_original: replace,
        thread_ts: replace ? undefined : threadTs,
        ...withMark({ text, blocks }, 'installId' in workspace ? workspace.installId : undefined),
        ...NO_UNFURLING,
      }),
    });
    const answer = await body.text();
    // Slack refuses with a status or, with 200, in the body.
    if (statusCode > 299 || /^\{"ok":\s*false\b/.test(answer))
      throw new ResponseAddressError(statusCode, codeIn(answer));
  } catch (error) {
    if (channelId === undefined || !('slack' in workspace)) throw error;
    await workspace.slack.chat
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

/**
 * Opens a modal immediately, since a trigger lives three seconds. Filling it rejects if it didn't open. Source:
 * views.open, views.push.
 *
 * @param how `push` puts it on top of the modal with the button, so that closing it leads back
 */
export function openLoading(
  client: WebClient,
  triggerId: string,
  frame: Frame,
  how: 'open' | 'push' = 'open',
  busy?: string,
) {
  const opening = { trigger_id: triggerId, view: loadingModal(frame, busy) };
  const opened = how === 'open' ? client.views.open(opening) : client.views.push(opening);
  const id = opened.then((answer) => ViewOpened.parse(answer).view?.id ?? '');
  id.catch(() => undefined);
  return {
    /** Rejects if it didn't open. */
    id,
    /** Fills it. Rejects if it didn't open, or Slack refuses the content. */
    fill: async (view: ModalView) => updateModal(client, await id, view),
  };
}

export const MODAL_TITLE = 'Co-browse';

type Deliver = Question['deliver'];
type Asked = Pick<Question, 'work' | 'deliver'>;
/** Works out an answer, given the modal if one opens for it. */
type Work = (modal?: Promise<string>) => ReturnType<Question['work']>;

/** Beside the message with the button, or instead of it. */
function messagePlace(payload: PressPayload, workspace: Posting, replace: boolean): Deliver {
  const { response_url: responseUrl = '', user, channel } = payload;
  const threadTs = threadOf(payload);
  const parts = { workspace, responseUrl, userId: user.id, channelId: channel?.id, threadTs, replace };
  return (message) => replyPrivately(parts, message);
}

/** On top of the modal with the button, so that closing it leads back, or over anything else. */
function openModal(
  { view, trigger_id: trigger }: PressPayload,
  { slack }: Posting,
  frame: Frame,
  busy?: string,
) {
  return openLoading(
    slack,
    trigger,
    frame,
    view === undefined || view.type === 'home' ? 'open' : 'push',
    busy,
  );
}

/** Where the answer to a press goes: into a modal, or beside the message, or instead of it. */
function answerPlace(
  payload: PressPayload,
  workspace: Posting,
  replace: boolean,
  title = MODAL_TITLE,
  busy?: string,
): Deliver {
  const { view } = payload;
  if (view === undefined) return messagePlace(payload, workspace, replace);
  const frame = { title, context: view.private_metadata };
  const update = (id: string, message: Message) =>
    updateModal(workspace.slack, id, messageModal(frame, message));
  if (replace && view.type !== 'home') return (message) => update(view.id, message);
  const opened = openModal(payload, workspace, frame, busy);
  return async (message) => {
    const id = await opened.id.catch((error: unknown) => {
      // If the new modal didn't open, the answer replaces this one: better than nothing. The Home tab isn't replaced.
      if (view.type === 'home') throw error;
      return view.id;
    });
    await update(id, message);
  };
}

/** In a modal; if it doesn't open, as a message beside the button. */
function inModal(payload: PressPayload, workspace: Posting, frame: Frame, modal: Promise<string>): Deliver {
  const beside = messagePlace(payload, workspace, false);
  return async (message) => {
    const own = await modal.catch(() => undefined);
    await (own === undefined
      ? beside(message)
      : updateModal(workspace.slack, own, messageModal(frame, message)));
  };
}

/** Opens the form that a press leads to, or puts it into the modal of the press, and fills it. */
export function formPlace(
  payload: PressPayload,
  caller: Caller,
  { form, content }: NonNullable<Press['opens']>,
  answer: Press['answer'],
  ifAllowed: IfAllowed,
): Asked {
  const { workspace, channelId, threadTs } = caller;
  const [{ value: about }] = payload.actions;
  const contextWith = (seen?: string) => JSON.stringify({ channelId, threadTs, about, seen });
  const frame = { title: form.title, context: contextWith() };
  const { view } = payload;
  const isReplaced = answer === 'replace' && view !== undefined && view.type !== 'home';
  const modal = isReplaced ? Promise.resolve(view.id) : openModal(payload, workspace, frame).id;
  return {
    async work(settle) {
      const filled = await content(about, caller, ifAllowed);
      if (!('submit' in filled)) return filled;
      await settle();
      const { title = form.title, seen } = filled;
      const shown = formModal({ title, context: contextWith(seen) }, form.callbackId, filled);
      await updateModal(workspace.slack, await modal, shown);
      return undefined;
    },
    deliver: inModal(payload, workspace, frame, modal),
  };
}

interface PressPlaceParts {
  readonly payload: PressPayload;
  readonly workspace: Posting;
  readonly press: Pick<Press, 'answer' | 'title' | 'busy'> | undefined;
  /** Whether usually no words are needed: then a modal opens only once there are any. */
  readonly isQuiet: boolean;
}

/**
 * Where the words that answer a press go. A message in the channel isn't replaced: Slack would keep the link, and others may
 * see it. And the link isn't put beside the button, because Slack removes only what the button was in. Source:
 * docs.slack.dev/messaging/modifying-messages.
 */
export function pressPlace({ payload, workspace, press, isQuiet }: PressPlaceParts, work: Work): Asked {
  const { view, container } = payload;
  if (isQuiet)
    return { work: () => work(), deliver: (message) => answerPlace(payload, workspace, false)(message) };
  if (press?.answer !== 'replace')
    return { work: () => work(), deliver: answerPlace(payload, workspace, false, press?.title, press?.busy) };
  if (view !== undefined || container?.is_ephemeral === true)
    return { work: () => work(), deliver: answerPlace(payload, workspace, true, press.title) };
  const { channelId, threadTs } = callerOfPress(payload);
  const frame = { title: MODAL_TITLE, context: JSON.stringify({ channelId, threadTs }) };
  const modal = openModal(payload, workspace, frame).id;
  return { work: () => work(modal), deliver: inModal(payload, workspace, frame, modal) };
}

/**
 * Shows a message to one person: as an ephemeral message in their channel, otherwise as a direct message. Slack shows
 * an ephemeral message only if both the app and the person are in the channel. Source: chat.postEphemeral, Errors.
 *
 * @param report called with what Slack refused
 */
export function createPrivateMessage(find: Find<'slack'>, report: (error: unknown) => void): ShowPrivately {
  return async function showPrivately({ workspaceId, userId: user, channelId: channel, threadTs }, message) {
    async function show(client: WebClient, { text, blocks }: Message): Promise<Reached> {
      if (channel !== undefined) {
        const shown = await client.chat
          .postEphemeral({ channel, user, text, blocks, thread_ts: threadTs })
          .catch(report);
        if (shown !== undefined) return 'channel';
      }
      await client.chat.postMessage({ channel: user, text, blocks, ...NO_UNFURLING });
      return 'direct';
    }

    try {
      const workspace = await find(workspaceId);
      if (workspace === undefined) return 'nowhere';
      return await show(workspace.slack, message).catch((error: unknown) => {
        if (!isContentRefused(error)) throw error;
        report(error);
        return show(workspace.slack, plainAnswer(message));
      });
    } catch (error) {
      report(error);
      return 'nowhere';
    }
  };
}
