import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { notice } from '../views/message.ts';
import { loadingModal, messageModal, shortcutFormModal } from '../views/modal.ts';
import { FORM } from '../views/action-ids.ts';
import type { Services } from '../commands/command.ts';
import type { Answerer } from './answer.ts';
import { shortcutNamed } from './dispatch.ts';
import type { ShortcutCommand } from './dispatch.ts';
import {
  MessageShortcutPayload,
  SubmissionPayload,
  callerOfShortcut,
  callerOfSubmission,
  readModalContext,
  sharedMessage,
} from './payloads.ts';
import type { ModalContext } from './payloads.ts';
import { replyPrivately, updateModal } from './reply.ts';

interface ShortcutParts {
  readonly services: Services;
  readonly answerer: Answerer;
  readonly warm: (workspaceId: string, userId: string) => void;
}

const outdated = notice(['This is from another version of the app. Close this and try again.']);

function frameOf(found: ShortcutCommand | undefined, context: ModalContext) {
  return { title: found?.shortcut.title ?? 'Co-browse', context: JSON.stringify(context) };
}

/** The text that was typed where there is one, else what was chosen. */
function answerInForm({ view }: SubmissionPayload): string {
  const { values } = view.state;
  const typed = values[FORM.textBlock]?.[FORM.text]?.value?.trim() ?? '';
  return typed === '' ? (values[FORM.choiceBlock]?.[FORM.choice]?.selected_option?.value ?? '') : typed;
}

/** Message shortcuts: a loading modal inside Slack's three seconds, then a form or the answer in its place. */
export function listenForShortcuts(app: App, { services, answerer, warm }: ShortcutParts): void {
  function open(client: WebClient, payload: MessageShortcutPayload): void {
    const found = shortcutNamed(payload.callback_id);
    const caller = callerOfShortcut(payload);
    const { workspaceId, userId, channelId, threadTs } = caller;
    const frame = frameOf(found, { channelId, threadTs, shortcut: payload.callback_id });
    const opened = client.views.open({ trigger_id: payload.trigger_id, view: loadingModal(frame) });
    // Work may be under way when it fails; whoever fills it is told.
    opened.catch(() => undefined);
    const fill = async (view: ModalView) => updateModal(client, (await opened).view?.id ?? '', view);
    const clues = found?.shortcut.clues(sharedMessage(payload)) ?? [];
    const direct = clues.length === 1 && found?.shortcut.ask === 'when-unclear';
    const reply = { client, responseUrl: payload.response_url, userId, channelId, replace: false };
    answerer.take({
      name: `shortcut ${payload.callback_id}`,
      workspaceId,
      userId,
      async work() {
        if (found === undefined) return outdated;
        if (direct) return found.command.run(clues[0]?.argument ?? '', caller, services);
        const { label, asksFor } = found.shortcut;
        await fill(shortcutFormModal(frame, { label, asksFor, clues }));
        return undefined;
      },
      // Where the modal did not open, the words still reach the person.
      deliver: (message) => fill(messageModal(frame, message)).catch(() => replyPrivately(reply, message)),
    });
  }

  app.shortcut(/.*/, async ({ ack, body, client }) => {
    await ack();
    const payload = MessageShortcutPayload.safeParse(body);
    if (payload.success) open(client, payload.data);
  });

  app.view(/.*/, async ({ ack, body, client }) => {
    const payload = SubmissionPayload.safeParse(body);
    if (!payload.success) {
      await ack();
      return;
    }
    const { view } = payload.data;
    const context = readModalContext(view.private_metadata);
    const found = shortcutNamed(context.shortcut ?? '');
    const frame = frameOf(found, context);
    const argument = answerInForm(payload.data);
    const complaint = found?.command.complaint(argument);
    if (complaint !== undefined) {
      await ack({ response_action: 'errors', errors: { [FORM.textBlock]: complaint } });
      return;
    }
    await ack({ response_action: 'update', view: loadingModal(frame) });
    const caller = callerOfSubmission(payload.data);
    warm(caller.workspaceId, caller.userId);
    answerer.take({
      name: `shortcut ${context.shortcut ?? 'unknown'}`,
      workspaceId: caller.workspaceId,
      userId: caller.userId,
      work: async () => found?.command.run(argument, caller, services) ?? outdated,
      deliver: (message) => updateModal(client, view.id, messageModal(frame, message)),
    });
  });
}
