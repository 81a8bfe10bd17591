import type { App } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Press } from '../commands/press.ts';
import type { Services } from '../commands/services.ts';
import { notice } from '../views/message.ts';
import { formModal, loadingModal, messageModal } from '../views/modal.ts';
import type { Answerer, Question } from './answer.ts';
import { pressNamed } from './dispatch.ts';
import { PressPayload, callerOfPress } from './payloads.ts';
import { replyPrivately, updateModal } from './reply.ts';

interface PressParts {
  readonly services: Services;
  readonly answerer: Answerer;
}

const outdatedButton = notice(['This button is from another version of the app. Run the command again.']);
const MODAL_TITLE = 'Co-browse';

type View = NonNullable<PressPayload['view']>;

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

/** Opens the form that a press leads to; what goes wrong is said beside the message that was pressed. */
function openForm(
  payload: PressPayload,
  client: WebClient,
  opens: NonNullable<Press['opens']>,
): Pick<Question, 'work' | 'deliver'> {
  const { view, trigger_id, actions } = payload;
  const { channelId, threadTs } = callerOfPress(payload);
  const { form, content } = opens;
  const frame = { title: form.title, context: JSON.stringify({ channelId, threadTs }) };
  const opening = { trigger_id, view: formModal(frame, form.callbackId, content(actions[0].value)) };
  return {
    async work() {
      await (view === undefined || view.type === 'home'
        ? client.views.open(opening)
        : client.views.push(opening));
      return undefined;
    },
    ...answerPlace({ ...payload, view: undefined }, client, false),
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
    const caller = callerOfPress(payload);
    const asked = {
      name: `press ${press === undefined ? 'unknown' : actionId}`,
      workspaceId: caller.workspaceId,
      userId: caller.userId,
    };
    if (press?.opens !== undefined) {
      answerer.take({ ...asked, ...openForm(payload, client, press.opens) });
      return;
    }
    // A Watch button with an address: the browser does the work, and no modal is to open for it.
    if (press?.needsAnswer(services) === false) return;
    answerer.take({
      ...asked,
      work: async () => (press === undefined ? outdatedButton : press.run(value, caller, services)),
      ...answerPlace(payload, client, press?.answer === 'replace'),
    });
  });
}
