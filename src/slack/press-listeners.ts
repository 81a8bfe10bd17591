import type { App } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Press } from '../commands/press.ts';
import type { Services } from '../commands/services.ts';
import { formModal, loadingModal, messageModal } from '../views/modal.ts';
import { outdatedButton } from '../views/outdated.ts';
import type { Answerer, Question } from './answer.ts';
import { callerOfPress, presserOf } from './callers.ts';
import { pressNamed } from './dispatch.ts';
import { PressPayload } from './payloads.ts';
import type { ReadPayload } from './read-payload.ts';
import { replyPrivately, updateModal } from './reply.ts';

interface PressParts {
  readonly services: Services;
  readonly answerer: Answerer;
  readonly read: ReadPayload;
}

const MODAL_TITLE = 'Co-browse';

type View = NonNullable<PressPayload['view']>;
type Opens = NonNullable<Press['opens']>;
type Asked = Pick<Question, 'work' | 'deliver'>;
/** Works an answer out, told of the modal where one opens for it. */
type Work = (modal?: Promise<string>) => ReturnType<Question['work']>;

interface Opening {
  readonly payload: PressPayload;
  readonly client: WebClient;
  readonly frame: Parameters<typeof loadingModal>[0];
}

/** Opens a modal: on top of the one that was pressed in, so that closing it leads back, or over the rest. */
function openModal({ payload, client, frame }: Opening): Promise<string> {
  const { view, trigger_id } = payload;
  const opening = { trigger_id, view: loadingModal(frame) };
  // At once, since the trigger lives three seconds.
  const opened =
    view === undefined || view.type === 'home' ? client.views.open(opening) : client.views.push(opening);
  const modalId = opened.then((answer) => answer.view?.id ?? '');
  // Work may be under way when it fails; whoever fills it is told.
  modalId.catch(() => undefined);
  return modalId;
}

/** For a press in a modal or in the Home. */
function ontoModal(payload: PressPayload, client: WebClient, view: View): Pick<Question, 'deliver'> {
  const frame = { title: MODAL_TITLE, context: view.private_metadata };
  const opened = openModal({ payload, client, frame });
  return {
    async deliver(message) {
      const own = await opened.catch(() => undefined);
      // Where it did not open, the answer takes the modal's own place: better than none. The Home is not to be replaced.
      const target = own ?? (view.type === 'home' ? undefined : view.id);
      if (target === undefined) throw new Error('The modal for the answer did not open.');
      await updateModal(client, target, messageModal(frame, message));
    },
  };
}

/** Where words go that mostly are not needed: no modal opens before there are any. */
function quietPlace(payload: PressPayload, client: WebClient): Pick<Question, 'deliver'> {
  const { view } = payload;
  if (view === undefined) return answerPlace(payload, client, false);
  return { deliver: (message) => ontoModal(payload, client, view).deliver(message) };
}

/** Where the answer to a press goes: into a modal, or beside or in place of the message. */
function answerPlace(payload: PressPayload, client: WebClient, replace: boolean): Pick<Question, 'deliver'> {
  const { view, response_url: responseUrl, user, channel } = payload;
  if (view !== undefined && (!replace || view.type === 'home')) return ontoModal(payload, client, view);
  if (view !== undefined) {
    const frame = { title: MODAL_TITLE, context: view.private_metadata };
    return { deliver: (message) => updateModal(client, view.id, messageModal(frame, message)) };
  }
  const parts = { client, responseUrl: responseUrl ?? '', userId: user.id, channelId: channel?.id };
  return { deliver: (message) => replyPrivately({ ...parts, replace }, message) };
}

/** In a modal that opens at once; where it does not, words beside what was pressed. */
function inModal(opening: Opening, work: (modal: Promise<string>) => ReturnType<Asked['work']>): Asked {
  const { payload, client, frame } = opening;
  const modal = openModal(opening);
  const beside = answerPlace({ ...payload, view: undefined }, client, false);
  return {
    work: () => work(modal),
    async deliver(message) {
      const own = await modal.catch(() => undefined);
      await (own === undefined
        ? beside.deliver(message)
        : updateModal(client, own, messageModal(frame, message)));
    },
  };
}

/**
 * The answer to a press, in the place of what was pressed in. A message that stays is not replaced: Slack would keep the
 * link, and others may see it. Nor does a link come beside it, since Slack takes away only what was pressed in.
 * Source: docs.slack.dev/messaging/modifying-messages.
 */
function answerInPlace(payload: PressPayload, client: WebClient, work: Work): Asked {
  const { view, container } = payload;
  if (view !== undefined || container?.is_ephemeral === true)
    return { work: () => work(), ...answerPlace(payload, client, true) };
  const { channelId, threadTs } = callerOfPress(payload);
  const frame = { title: MODAL_TITLE, context: JSON.stringify({ channelId, threadTs }) };
  return inModal({ payload, client, frame }, work);
}

/** Opens the form that a press leads to, and fills it. */
function openForm(payload: PressPayload, client: WebClient, services: Services, opens: Opens): Asked {
  const caller = callerOfPress(payload);
  const { channelId, threadTs } = caller;
  const { form, content } = opens;
  const [{ value }] = payload.actions;
  const frame = { title: form.title, context: JSON.stringify({ channelId, threadTs, about: value }) };
  return inModal({ payload, client, frame }, async (modal) => {
    const filled = await content(value, caller, services);
    if (!('submit' in filled)) return filled;
    await updateModal(client, await modal, formModal(frame, form.callbackId, filled));
    return undefined;
  });
}

/** Presses of buttons and choices in menus, found by their `action_id`. */
export function listenForPresses(app: App, { services, answerer, read }: PressParts): void {
  // The Home tab has its own.
  app.action(/^(?!home_)/, async ({ ack, body, client }) => {
    await ack();
    const payload = read('press', PressPayload, body);
    if (payload === undefined) return;
    const [{ action_id: actionId, value }] = payload.actions;
    const press = pressNamed(actionId);
    const presser = presserOf(payload);
    const asked = {
      name: `press ${press === undefined ? 'unknown' : actionId}`,
      workspaceId: presser.workspaceId,
      userId: presser.userId,
    };
    if (press?.opens !== undefined) {
      answerer.take({ ...asked, ...openForm(payload, client, services, press.opens) });
      return;
    }
    const isQuiet = press?.needsAnswer(services) === false;
    const work: Work = async (opened) =>
      press === undefined ? outdatedButton : press.run(value, { ...presser, opened }, services);
    if (!isQuiet && press?.answer === 'replace') {
      answerer.take({ ...asked, ...answerInPlace(payload, client, work) });
      return;
    }
    const place = isQuiet ? quietPlace(payload, client) : answerPlace(payload, client, false);
    answerer.take({ ...asked, work: () => work(), ...place });
  });
}
