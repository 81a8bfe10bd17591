import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { request } from 'undici';
import type { Caller } from '../commands/caller.ts';
import type { Press } from '../commands/press.ts';
import type { IfAllowed } from '../commands/rights.ts';
import type { Message } from '../messages/message.ts';
import { formModal, loadingModal, messageModal } from '../messages/modal.ts';
import { withMark } from '../workspaces/posted-by.ts';
import { ViewOpened } from '../workspaces/slack-answers.ts';
import type { Workspace } from '../workspaces/workspaces.ts';
import type { Question } from './answer.ts';
import { ResponseAddressError, isContentRefused, isTooLate } from './call-failure.ts';
import { callerOfPress, threadOf, type PressPayload } from './payloads.ts';

const TIME_LIMIT_MS = 10_000;
const NO_UNFURLING = { unfurl_links: false, unfurl_media: false } as const;

/** Slack's code, and nothing else of the answer: a proxy's page may repeat what was sent, with a link in it. */
const codeIn = (answer: string): string | undefined => /"error":\s*"(\w{1,100})"/.exec(answer)?.[1];

/** Who posts. */
type Posting = Pick<Workspace, 'slack' | 'slackAgent' | 'installId'>;

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
  busy?: string,
): LoadingModal {
  const opening = { trigger_id: triggerId, view: loadingModal(frame, busy) };
  const opened = how === 'open' ? client.views.open(opening) : client.views.push(opening);
  const id = opened.then((answer) => ViewOpened.parse(answer).view?.id ?? '');
  id.catch(() => undefined);
  return { id, fill: async (view) => updateModal(client, await id, view) };
}

export const MODAL_TITLE = 'Co-browse';

type View = NonNullable<PressPayload['view']>;
type Opens = NonNullable<Press['opens']>;
type Asked = Pick<Question, 'work' | 'deliver'>;
/** Works out an answer, given the modal if one opens for it. */
type Work = (modal?: Promise<string>) => ReturnType<Question['work']>;
/** The same where the modal may be filled with something else than an answer. */
type WorkInModal = (
  modal: Promise<string>,
  ...rest: Parameters<Question['work']>
) => ReturnType<Question['work']>;

interface ModalOpening {
  readonly payload: PressPayload;
  readonly workspace: Posting;
  readonly frame: Parameters<typeof openLoading>[2];
  readonly busy?: string;
}

/** On top of the modal with the button, so that closing it leads back, or over anything else. */
function openModal({ payload: { view, trigger_id }, workspace, frame, busy }: ModalOpening): LoadingModal {
  return openLoading(
    workspace.slack,
    trigger_id,
    frame,
    view === undefined || view.type === 'home' ? 'open' : 'push',
    busy,
  );
}

/** For a press in a modal or on the Home tab. */
function ontoModal(
  payload: PressPayload,
  workspace: Posting,
  { view, title, busy }: { readonly view: View; readonly title: string; readonly busy?: string | undefined },
): Pick<Question, 'deliver'> {
  const frame = { title, context: view.private_metadata };
  const opened = openModal({ payload, workspace, frame, busy });
  return {
    async deliver(message) {
      const target = await opened.id.catch((error: unknown) => {
        // If the new modal didn't open, the answer replaces this one: better than nothing. The Home tab isn't replaced.
        if (view.type === 'home') throw error;
        return view.id;
      });
      await updateModal(workspace.slack, target, messageModal(frame, message));
    },
  };
}

/** For answers that usually need no words: opens a modal only once there are any. */
function quietPlace(payload: PressPayload, workspace: Posting): Pick<Question, 'deliver'> {
  const { view } = payload;
  if (view === undefined) return answerPlace(payload, workspace, false);
  return {
    deliver: (message) => ontoModal(payload, workspace, { view, title: MODAL_TITLE }).deliver(message),
  };
}

/** Where the answer to a press goes: into a modal, or beside the message, or instead of it. */
function answerPlace(
  payload: PressPayload,
  workspace: Posting,
  replace: boolean,
  title = MODAL_TITLE,
  busy?: string,
): Pick<Question, 'deliver'> {
  const { view, response_url: responseUrl, user, channel } = payload;
  if (view !== undefined && (!replace || view.type === 'home'))
    return ontoModal(payload, workspace, { view, title, busy });
  if (view !== undefined) {
    const frame = { title, context: view.private_metadata };
    return { deliver: (message) => updateModal(workspace.slack, view.id, messageModal(frame, message)) };
  }
  const parts = {
    workspace,
    responseUrl: responseUrl ?? '',
    userId: user.id,
    channelId: channel?.id,
    threadTs: threadOf(payload),
  };
  return { deliver: (message) => replyPrivately({ ...parts, replace }, message) };
}

/**
 * In a modal that opens immediately; if it doesn't, as a message beside the button.
 *
 * @param modal one that is open already
 */
function inModal(opening: ModalOpening, work: WorkInModal, modal = openModal(opening).id): Asked {
  const { payload, workspace, frame } = opening;
  const beside = answerPlace({ ...payload, view: undefined }, workspace, false);
  return {
    work: (settle) => work(modal, settle),
    async deliver(message) {
      const own = await modal.catch(() => undefined);
      await (own === undefined
        ? beside.deliver(message)
        : updateModal(workspace.slack, own, messageModal(frame, message)));
    },
  };
}

/**
 * The answer to a press, replacing what the button was in. A message in the channel isn't replaced: Slack would keep
 * the link, and others may see it. And the link isn't put beside the button, because Slack removes only what the button
 * was in. Source: docs.slack.dev/messaging/modifying-messages.
 */
function answerInPlace(payload: PressPayload, workspace: Posting, work: Work, title?: string): Asked {
  const { view, container } = payload;
  if (view !== undefined || container?.is_ephemeral === true)
    return { work: () => work(), ...answerPlace(payload, workspace, true, title) };
  const { channelId, threadTs } = callerOfPress(payload);
  const frame = { title: MODAL_TITLE, context: JSON.stringify({ channelId, threadTs }) };
  return inModal({ payload, workspace, frame }, work);
}

/** Opens the form that a press leads to, or puts it into the modal of the press, and fills it. */
export function formPlace(
  payload: PressPayload,
  caller: Caller,
  { form, content }: Opens,
  answer: Press['answer'],
  ifAllowed: IfAllowed,
): Asked {
  const { workspace, channelId, threadTs } = caller;
  const [{ value: about }] = payload.actions;
  const contextWith = (seen?: string) => JSON.stringify({ channelId, threadTs, about, seen });
  const frame = { title: form.title, context: contextWith() };
  const { view } = payload;
  const pressed =
    answer === 'replace' && view !== undefined && view.type !== 'home' ? Promise.resolve(view.id) : undefined;
  const fill: WorkInModal = async (modal, settle) => {
    const filled = await content(about, caller, ifAllowed);
    if (!('submit' in filled)) return filled;
    await settle();
    const { title = form.title, seen } = filled;
    await updateModal(
      workspace.slack,
      await modal,
      formModal({ title, context: contextWith(seen) }, form.callbackId, filled),
    );
    return undefined;
  };
  return inModal({ payload, workspace, frame }, fill, pressed);
}

interface PressPlaceParts {
  readonly payload: PressPayload;
  readonly workspace: Posting;
  readonly press: Pick<Press, 'answer' | 'title' | 'busy'> | undefined;
  /** Whether usually no words are needed. */
  readonly isQuiet: boolean;
}

/** Where the words that answer a press go. */
export function pressPlace({ payload, workspace, press, isQuiet }: PressPlaceParts, work: Work): Asked {
  if (!isQuiet && press?.answer === 'replace') return answerInPlace(payload, workspace, work, press.title);
  const place = isQuiet
    ? quietPlace(payload, workspace)
    : answerPlace(payload, workspace, false, press?.title, press?.busy);
  return { work: () => work(), ...place };
}
