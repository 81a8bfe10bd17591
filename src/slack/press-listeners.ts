import type { App } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Press } from '../commands/press.ts';
import type { Services } from '../commands/services.ts';
import { notice } from '../views/message.ts';
import { formModal, loadingModal, messageModal } from '../views/modal.ts';
import type { Answerer, Question } from './answer.ts';
import { callerOfPress, presserOf } from './callers.ts';
import { pressNamed } from './dispatch.ts';
import { PressPayload } from './payloads.ts';
import { replyPrivately, updateModal } from './reply.ts';

interface PressParts {
  readonly services: Services;
  readonly answerer: Answerer;
}

const outdatedButton = notice(['This button is from another version of the app. Run the command again.']);
const MODAL_TITLE = 'Co-browse';

type View = NonNullable<PressPayload['view']>;
type Opens = NonNullable<Press['opens']>;
type Asked = Pick<Question, 'work' | 'deliver'>;

/** Into a modal of its own: on top of the one that was pressed in, so that closing it leads back, or over the Home. */
function ontoModal(client: WebClient, triggerId: string, view: View): Pick<Question, 'deliver'> {
  const frame = { title: MODAL_TITLE, context: view.private_metadata };
  const opening = { trigger_id: triggerId, view: loadingModal(frame) };
  // At once, since the trigger lives three seconds.
  const opened = view.type === 'home' ? client.views.open(opening) : client.views.push(opening);
  const settled = opened.catch(() => undefined);
  return {
    async deliver(message) {
      const own = (await settled)?.view?.id;
      // Where it did not open, the answer takes the modal's own place: better than none. The Home is not to be replaced.
      const target = own ?? (view.type === 'home' ? undefined : view.id);
      if (target === undefined) throw new Error('The modal for the answer did not open.');
      await updateModal(client, target, messageModal(frame, message));
    },
  };
}

/** Where words go that mostly are not needed: no modal opens before there are any. */
function quietPlace(payload: PressPayload, client: WebClient): Pick<Question, 'deliver'> {
  const { view, trigger_id: triggerId } = payload;
  if (view === undefined) return answerPlace(payload, client, false);
  return { deliver: (message) => ontoModal(client, triggerId, view).deliver(message) };
}

/** Where the answer to a press goes: into a modal, or beside or in place of the message. */
function answerPlace(payload: PressPayload, client: WebClient, replace: boolean): Pick<Question, 'deliver'> {
  const { view, trigger_id: triggerId, response_url: responseUrl, user, channel, container } = payload;
  if (view !== undefined && (!replace || view.type === 'home')) return ontoModal(client, triggerId, view);
  if (view !== undefined) {
    const frame = { title: MODAL_TITLE, context: view.private_metadata };
    return { deliver: (message) => updateModal(client, view.id, messageModal(frame, message)) };
  }
  // What everyone sees is never replaced: the answer, perhaps with a link in it, is for one person.
  const replaceOwn = replace && container?.is_ephemeral === true;
  const parts = { client, responseUrl: responseUrl ?? '', userId: user.id, channelId: channel?.id };
  return { deliver: (message) => replyPrivately({ ...parts, replace: replaceOwn }, message) };
}

/** Opens the form that a press leads to, at once, and fills it; where it does not open, words beside what was pressed. */
function openForm(payload: PressPayload, client: WebClient, services: Services, opens: Opens): Asked {
  const { view, trigger_id: triggerId, actions } = payload;
  const caller = callerOfPress(payload);
  const { channelId, threadTs } = caller;
  const { form, content } = opens;
  const [{ value }] = actions;
  const frame = { title: form.title, context: JSON.stringify({ channelId, threadTs, about: value }) };
  const opening = { trigger_id: triggerId, view: loadingModal(frame) };
  const opened =
    view === undefined || view.type === 'home' ? client.views.open(opening) : client.views.push(opening);
  const settled = opened.catch(() => undefined);
  const beside = answerPlace({ ...payload, view: undefined }, client, false);
  return {
    async work() {
      const filled = await content(value, caller, services);
      if (!('submit' in filled)) return filled;
      await updateModal(client, (await opened).view?.id ?? '', formModal(frame, form.callbackId, filled));
      return undefined;
    },
    async deliver(message) {
      const own = (await settled)?.view?.id;
      await (own === undefined
        ? beside.deliver(message)
        : updateModal(client, own, messageModal(frame, message)));
    },
  };
}

/** Presses of buttons and choices in menus, found by their `action_id`. */
export function listenForPresses(app: App, { services, answerer }: PressParts): void {
  // The Home tab has its own.
  app.action(/^(?!home_)/, async ({ ack, body, client }) => {
    await ack();
    const parsed = PressPayload.safeParse(body);
    // A choice in a form of ours, which is read when the form is submitted.
    if (!parsed.success) return;
    const payload = parsed.data;
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
    answerer.take({
      ...asked,
      work: async () => (press === undefined ? outdatedButton : press.run(value, presser, services)),
      ...(isQuiet ? quietPlace(payload, client) : answerPlace(payload, client, press?.answer === 'replace')),
    });
  });
}
