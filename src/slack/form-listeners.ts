import type { App } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { Services } from '../commands/services.ts';
import { FORM } from '../views/action-ids.ts';
import { after, notice } from '../views/message.ts';
import { formModal, loadingModal, messageModal } from '../views/modal.ts';
import { outdatedForm } from '../views/outdated.ts';
import type { Answerer } from './answer.ts';
import { callerNowhere, callerOfSubmission } from './callers.ts';
import { formNamed, globalShortcutNamed, shortcutNamed, suggestionsFor } from './dispatch.ts';
import { messageAddress } from './message-address.ts';
import {
  GlobalShortcutPayload,
  SubmissionPayload,
  SuggestionPayload,
  filledIn,
  readModalContext,
} from './payloads.ts';
import type { ReadPayload } from './read-payload.ts';
import { updateModal } from './reply.ts';

interface FormParts {
  readonly services: Services;
  readonly answerer: Answerer;
  readonly warm: (workspaceId: string, userId: string) => void;
  readonly read: ReadPayload;
  /** Told where suggestions could not be had: Slack shows neither words of ours nor a failure there. */
  readonly report: (error: unknown) => void;
}

/** Slack waits 3 s for options; past this the search field is told that nothing was found. */
const SUGGESTIONS_WITHIN_MS = 2_500;

const noNotes = notice([
  'The notes will not begin with a link to the message: the app is not in its channel, or the message is gone.',
]);

/** Forms: submissions, search fields in them, and global shortcuts, which open one. */
export function listenForForms(app: App, { services, answerer, warm, report, read }: FormParts): void {
  // The Home tab has its own.
  app.view(/^(?!home_)/, async ({ ack, body, client }) => {
    const payload = read('form', SubmissionPayload, body);
    if (payload === undefined) {
      await ack();
      return;
    }
    const { view } = payload;
    const context = readModalContext(view.private_metadata);
    const filled = filledIn(payload);
    const found = shortcutNamed(context.shortcut ?? '');
    const form = formNamed(view.callback_id);
    const title = form?.title ?? found?.shortcut.title ?? 'Co-browse';
    const argument = filled[FORM.textBlock]?.[0]?.trim() || (filled[FORM.choiceBlock]?.[0] ?? '');
    const complaint = form === undefined ? found?.command.complaint(argument) : undefined;
    const errors =
      form?.complaints(filled) ?? (complaint === undefined ? {} : { [FORM.textBlock]: complaint });
    if (Object.keys(errors).length > 0) {
      await ack({ response_action: 'errors', errors: { ...errors } });
      return;
    }
    await ack({ response_action: 'update', view: loadingModal({ title, context: view.private_metadata }) });
    const channelId = form?.channelOf?.(filled) ?? context.channelId;
    const caller = {
      ...callerOfSubmission(payload),
      ...(channelId === undefined ? {} : { channelId }),
    };
    warm(caller.workspaceId, caller.userId);
    let frame = { title, context: JSON.stringify({ ...context, channelId }) };
    answerer.take({
      name: `form ${form === undefined ? (context.shortcut ?? 'unknown') : view.callback_id}`,
      workspaceId: caller.workspaceId,
      userId: caller.userId,
      async work() {
        if (form !== undefined) return form.run({ filled, about: context.about ?? '' }, caller, services);
        if (found === undefined) return outdatedForm;
        const wanted = filled[FORM.notesBlock]?.[0] !== undefined;
        const notes = wanted ? await messageAddress(client, context) : undefined;
        if (notes === undefined) {
          const answer = await found.command.run(argument, caller, services);
          return wanted ? after(noNotes, answer) : answer;
        }
        frame = { title, context: JSON.stringify({ ...context, notes }) };
        return found.command.run(argument, { ...caller, notes }, services);
      },
      deliver: (message) => updateModal(client, view.id, messageModal(frame, message)),
    });
  });

  app.shortcut({ type: 'shortcut' }, async ({ ack, body, client }) => {
    await ack();
    const payload = read('shortcut', GlobalShortcutPayload, body);
    const shortcut = payload && globalShortcutNamed(payload.callback_id);
    if (payload === undefined || shortcut === undefined) return;
    const { form } = shortcut;
    const caller = callerNowhere(payload);
    const { workspaceId, userId } = caller;
    const frame = { title: form.title, context: '{}' };
    // At once, since the trigger lives three seconds.
    const opened = client.views.open({ trigger_id: payload.trigger_id, view: loadingModal(frame) });
    opened.catch(() => undefined);
    const fill = async (view: ModalView) => updateModal(client, (await opened).view?.id ?? '', view);
    answerer.take({
      name: `shortcut ${payload.callback_id}`,
      workspaceId,
      userId,
      async work() {
        const content = await shortcut.content(caller, services);
        if (!('submit' in content)) return content;
        await fill(formModal(frame, form.callbackId, content));
        return undefined;
      },
      deliver: (message) => fill(messageModal(frame, message)),
    });
  });

  app.options(/.*/, async ({ ack, body }) => {
    const payload = read('search field', SuggestionPayload, body);
    const source = payload && suggestionsFor(payload.action_id);
    if (payload === undefined || source === undefined) {
      await ack({ options: [] });
      return;
    }
    const late = new Promise<readonly []>((resolve) => {
      setTimeout(resolve, SUGGESTIONS_WITHIN_MS, []).unref();
    });
    const looked = source.find(payload.value, callerNowhere(payload), services).catch((error: unknown) => {
      report(error);
      return [];
    });
    const choices = await Promise.race([looked, late]);
    const options = choices.map(({ text, value }) => ({
      text: { type: 'plain_text', text, emoji: false } as const,
      value,
    }));
    await ack({ options });
  });
}
