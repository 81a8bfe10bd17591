import type { App } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import type { Services } from '../commands/command.ts';
import { commandOf, runText } from '../commands/run-text.ts';
import { notice } from '../views/message.ts';
import { loadingModal, messageModal } from '../views/modal.ts';
import type { Answerer, Question } from './answer.ts';
import { pressNamed } from './dispatch.ts';
import { CommandPayload, PressPayload, callerOfCommand, callerOfPress } from './payloads.ts';
import { replyPrivately, updateModal } from './reply.ts';
import { listenForShortcuts } from './shortcut-listeners.ts';

/** What the listeners need; `warm` fills the cache for the press that will follow. */
export interface ListenerParts {
  readonly services: Services;
  readonly answerer: Answerer;
  readonly warm: (workspaceId: string, userId: string) => void;
}

const outdatedButton = notice(['This button is from another version of the app. Run the command again.']);
const MODAL_TITLE = 'Co-browse';

/** Where the answer to a press goes: into the modal it was pressed in, or beside or in place of the message. */
function answerPlace(payload: PressPayload, client: WebClient, replace: boolean): Pick<Question, 'deliver'> {
  const { view, trigger_id: triggerId, response_url: responseUrl, user, channel, container } = payload;
  if (view !== undefined) {
    const frame = { title: MODAL_TITLE, context: view.private_metadata };
    if (replace) return { deliver: (message) => updateModal(client, view.id, messageModal(frame, message)) };
    // On top of the modal, so that closing it leads back; opened at once, since the trigger lives three seconds.
    // Where it does not open, the answer takes the modal's own place: better than none.
    const pushed = client.views
      .push({ trigger_id: triggerId, view: loadingModal(frame) })
      .catch(() => undefined);
    return {
      async deliver(message) {
        const opened = await pushed;
        await updateModal(client, opened?.view?.id ?? view.id, messageModal(frame, message));
      },
    };
  }
  // What everyone sees is never replaced: the answer, perhaps with a link in it, is for one person.
  const replaceOwn = replace && container?.is_ephemeral === true;
  const parts = { client, responseUrl: responseUrl ?? '', userId: user.id, channelId: channel?.id };
  return { deliver: (message) => replyPrivately({ ...parts, replace: replaceOwn }, message) };
}

/** Registers one listener for each kind of request. Each acknowledges first, then lets the answerer work. */
export function listen(app: App, parts: ListenerParts): void {
  const { services, answerer, warm } = parts;

  app.command(/.*/, async ({ ack, body, client }) => {
    await ack();
    const payload = CommandPayload.parse(body);
    const caller = callerOfCommand(payload);
    const { workspaceId, userId } = caller;
    const reply = {
      client,
      responseUrl: payload.response_url,
      userId,
      channelId: payload.channel_id,
      replace: false,
    };
    warm(workspaceId, userId);
    answerer.take({
      name: `command ${commandOf(payload.text)?.name ?? 'help'}`,
      workspaceId,
      userId,
      work: () => runText(payload.text, caller, services),
      deliver: (message) => replyPrivately(reply, message),
      stillWorking: (message) => replyPrivately(reply, message),
    });
  });

  app.action(/.*/, async ({ ack, body, client }) => {
    await ack();
    const parsed = PressPayload.safeParse(body);
    // A choice in a form of ours, which is read when the form is submitted.
    if (!parsed.success) return;
    const payload = parsed.data;
    const [{ action_id: actionId, value }] = payload.actions;
    const press = pressNamed(actionId);
    const caller = callerOfPress(payload);
    const { workspaceId, userId } = caller;
    answerer.take({
      name: `press ${press === undefined ? 'unknown' : actionId}`,
      workspaceId,
      userId,
      work: async () => (press === undefined ? outdatedButton : press.run(value, caller, services)),
      ...answerPlace(payload, client, press?.answer === 'replace'),
    });
  });

  listenForShortcuts(app, parts);
}
