import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { WebClient } from '@slack/web-api';
import { after, notice } from '../views/message.ts';
import type { Message } from '../views/message.ts';
import { visitorNamed } from '../views/of-visitor.ts';
import { loadingModal, messageModal, shortcutFormModal } from '../views/modal.ts';
import { outdatedForm } from '../views/outdated.ts';
import type { Services } from '../commands/services.ts';
import type { Answerer } from './answer.ts';
import { callerOfShortcut } from './callers.ts';
import { shortcutNamed } from './dispatch.ts';
import type { ShortcutCommand } from './dispatch.ts';
import { MessageShortcutPayload } from './payloads.ts';
import type { ModalContext } from './payloads.ts';
import { messageAddress } from './message-address.ts';
import type { IsOwnBot } from './installed-as.ts';
import type { ReadPayload } from './read-payload.ts';
import { replyPrivately, updateModal } from './reply.ts';
import { sharedMessage } from './shared-message.ts';

interface ShortcutParts {
  readonly services: Services;
  readonly answerer: Answerer;
  readonly isOwnBot: IsOwnBot;
  readonly read: ReadPayload;
}

const notesBegin = notice(['The session notes will start with a link to this message.']);

const leadsToWatch = ({ blocks }: Message) => blocks.some(({ type }) => type === 'actions');

function frameOf(found: ShortcutCommand | undefined, context: ModalContext) {
  return { title: found?.shortcut.title ?? 'Co-browse', context: JSON.stringify(context) };
}

/** Message shortcuts: a loading modal inside Slack's three seconds, then a form or the answer in its place. */
export function listenForShortcuts(app: App, { services, answerer, isOwnBot, read }: ShortcutParts): void {
  /** The visitor whom a message of this app is about. */
  async function ownVisitor({
    message: { bot_id, blocks },
  }: MessageShortcutPayload): Promise<string | undefined> {
    const named = visitorNamed(blocks.flatMap(({ block_id: id }) => (id === undefined ? [] : [id])));
    return named !== undefined && bot_id !== undefined && (await isOwnBot(bot_id)) ? named : undefined;
  }

  function open(client: WebClient, payload: MessageShortcutPayload): void {
    const found = shortcutNamed(payload.callback_id);
    const caller = callerOfShortcut(payload);
    const { workspaceId, userId, channelId, threadTs } = caller;
    const context = {
      channelId,
      threadTs,
      shortcut: payload.callback_id,
      messageTs: payload.message.ts,
    };
    let frame = frameOf(found, context);
    const opened = client.views.open({ trigger_id: payload.trigger_id, view: loadingModal(frame) });
    // Work may be under way when it fails; whoever fills it is told.
    opened.catch(() => undefined);
    const fill = async (view: ModalView) => updateModal(client, (await opened).view?.id ?? '', view);
    const reply = { client, responseUrl: payload.response_url, userId, channelId, replace: false };
    answerer.take({
      name: `shortcut ${found === undefined ? 'unknown' : payload.callback_id}`,
      workspaceId,
      userId,
      async work() {
        if (found === undefined) return outdatedForm;
        const { command, shortcut } = found;
        const { label, asksFor, ofVisitor } = shortcut;
        const shared = sharedMessage(payload);
        const offersNotes = shortcut.offersNotes && services.cobrowse.offers.initialNotes;
        const clear = shortcut.clear(shared);
        const visitorId = ofVisitor === undefined ? undefined : await ownVisitor(payload);
        if (visitorId === undefined && clear === undefined) {
          await fill(
            shortcutFormModal(frame, { label, asksFor, clues: shortcut.clues(shared), offersNotes }),
          );
          return undefined;
        }
        const notes = offersNotes ? await messageAddress(client, context) : undefined;
        if (notes !== undefined) frame = frameOf(found, { ...context, notes });
        const by = notes === undefined ? caller : { ...caller, notes };
        const answer =
          visitorId !== undefined && ofVisitor !== undefined
            ? await ofVisitor(visitorId, by, services)
            : await command.run(clear?.argument ?? '', by, services);
        return notes !== undefined && leadsToWatch(answer) ? after(answer, notesBegin) : answer;
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
