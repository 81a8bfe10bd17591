import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { loadingModal, messageModal, shortcutFormModal } from '../views/modal.ts';
import { outdatedForm } from '../views/outdated.ts';
import type { Services } from '../commands/services.ts';
import type { Answerer } from './answer.ts';
import { callerOfShortcut } from './callers.ts';
import { shortcutNamed } from './dispatch.ts';
import type { ShortcutCommand } from './dispatch.ts';
import { MessageShortcutPayload } from './payloads.ts';
import type { ModalContext } from './payloads.ts';
import type { ReadPayload } from './read-payload.ts';
import { replyPrivately, updateModal } from './reply.ts';
import { sharedMessage } from './shared-message.ts';

interface ShortcutParts {
  readonly services: Services;
  readonly answerer: Answerer;
  readonly read: ReadPayload;
}

function frameOf(found: ShortcutCommand | undefined, context: ModalContext) {
  return { title: found?.shortcut.title ?? 'Co-browse', context: JSON.stringify(context) };
}

/** Message shortcuts: a loading modal inside Slack's three seconds, then a form or the answer in its place. */
export function listenForShortcuts(app: App, { services, answerer, read }: ShortcutParts): void {
  function open(client: WebClient, payload: MessageShortcutPayload): void {
    const found = shortcutNamed(payload.callback_id);
    const caller = callerOfShortcut(payload);
    const { workspaceId, userId, channelId, threadTs } = caller;
    const frame = frameOf(found, {
      channelId,
      threadTs,
      shortcut: payload.callback_id,
      messageTs: payload.message.ts,
    });
    const opened = client.views.open({ trigger_id: payload.trigger_id, view: loadingModal(frame) });
    // Work may be under way when it fails; whoever fills it is told.
    opened.catch(() => undefined);
    const fill = async (view: ModalView) => updateModal(client, (await opened).view?.id ?? '', view);
    const clues = found?.shortcut.clues(sharedMessage(payload)) ?? [];
    const direct = clues.length === 1 && found?.shortcut.ask === 'when-unclear';
    const reply = { client, responseUrl: payload.response_url, userId, channelId, replace: false };
    answerer.take({
      name: `shortcut ${found === undefined ? 'unknown' : payload.callback_id}`,
      workspaceId,
      userId,
      async work() {
        if (found === undefined) return outdatedForm;
        if (direct) return found.command.run(clues[0]?.argument ?? '', caller, services);
        const { label, asksFor } = found.shortcut;
        const offersNotes = found.shortcut.offersNotes && services.cobrowse.offers.initialNotes;
        await fill(shortcutFormModal(frame, { label, asksFor, clues, offersNotes }));
        return undefined;
      },
      // Where the modal did not open, the words still reach the person.
      deliver: (message) => fill(messageModal(frame, message)).catch(() => replyPrivately(reply, message)),
    });
  }

  app.shortcut({ type: 'message_action' }, async ({ ack, body, client }) => {
    await ack();
    const payload = read('message shortcut', MessageShortcutPayload, body);
    if (payload !== undefined) open(client, payload);
  });
}
