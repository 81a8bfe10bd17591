import type { ViewResponseAction } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { ShortcutCommand } from '../commands/catalog.ts';
import type { Filled, Form } from '../commands/command.ts';
import { ofOtherWorkspace, outdatedForm } from '../messages/failure-words.ts';
import { after, problem, stillWorking } from '../messages/message.ts';
import { formModal, loadingModal, messageModal } from '../messages/modal.ts';
import { isPostedBy, markedView, readMarked } from '../workspaces/web-client.ts';
import { MODAL_TITLE, updateModal } from './answer-places.ts';
import type { Edge } from './interactions.ts';
import { messageAddress } from './message-shortcuts.ts';
import {
  callerOf,
  filledIn,
  readModalContext,
  type ModalContext,
  type SubmissionPayload,
} from './payloads.ts';

/** Slack waits 3 s for the answer to a form; if it's saved by then, the form closes. */
const SAVED_WITHIN_MS = 2_000;

type Acknowledge = (action?: ViewResponseAction) => Promise<void>;

/** Acknowledges with a result, or with `saving` after two seconds: from then on, each of the three ways resolves to false. */
export function holdOpen(ack: Acknowledge, saving: ModalView, report: (error: unknown) => void) {
  const { promise: acknowledged, resolve } = Promise.withResolvers<void>();
  let isOpen = true;
  async function answer(action?: ViewResponseAction): Promise<boolean> {
    if (!isOpen) return false;
    isOpen = false;
    clearTimeout(timer);
    await ack(action).finally(resolve);
    return true;
  }
  const show = (view: ModalView) => answer({ response_action: 'update', view });
  const timer = setTimeout(() => void show(saving).catch(report), SAVED_WITHIN_MS);
  return {
    close: () => answer(),
    show,
    complain: (errors: Readonly<Record<string, string>>) =>
      answer({ response_action: 'errors', errors: { ...errors } }),
    acknowledged,
  };
}

const noNotes = problem([
  'The notes won’t start with a link to the message: the app isn’t in its channel, or the message is gone.',
]);

/** What was typed, or else chosen. */
const argumentIn = ({ text = [], choice = [] }: Filled): string => text[0]?.trim() || (choice[0] ?? '');

/** What a shortcut asks for is a form, too: its answer is the command's. */
const formOf = ({ command, shortcut }: ShortcutCommand): Form => ({
  callbackId: shortcut.callbackId,
  title: shortcut.title,
  complaints: (filled) => ({ text: command.complaint(argumentIn(filled)) }),
  run: ({ filled }, caller, ifAllowed) => command.run(argumentIn(filled), caller, ifAllowed),
});

export async function takeForm(edge: Edge, payload: SubmissionPayload, ack: Acknowledge): Promise<void> {
  const { catalog, ifAllowed, answerer, find, drawHome, report } = edge;
  const { view } = payload;
  const context = readModalContext(view.private_metadata);
  const filled = filledIn(payload);
  const { id: callbackId, installId } = readMarked(view.callback_id);
  const shortcut = catalog.shortcut(context.shortcut ?? '');
  const form = catalog.form(callbackId) ?? (shortcut && formOf(shortcut));
  const wrong = Object.entries(form?.complaints?.(filled) ?? {}).flatMap(([block, words]) =>
    words ? [[block, words]] : [],
  );
  if (wrong.length > 0) return ack({ response_action: 'errors', errors: Object.fromEntries(wrong) });
  const channelId = form?.channelOf?.(filled);
  const place = channelId !== undefined && {
    channelId,
    askedIn: context.askedIn ?? context.channelId ?? '',
  };
  const title = form?.title ?? MODAL_TITLE;
  const waits = { title, context: view.private_metadata };
  const closes = form?.closes === true;
  const loading = loadingModal(waits, closes ? 'Saving…' : undefined);
  const open = holdOpen(
    (action) =>
      ack(action && 'view' in action ? { ...action, view: markedView(action.view, installId) } : action),
    loading,
    report,
  );
  // In a workspace without the app, only the acknowledgement itself can say so.
  const caller = await find({ ...callerOf(payload), ...place }, (words) =>
    open.show(messageModal(waits, words)),
  );
  if (caller === undefined) return;
  if (!(await isPostedBy(caller.workspace, view.callback_id))) {
    await open.show(messageModal(waits, ofOtherWorkspace));
    return;
  }
  if (!closes) await open.show(loading);
  const client = caller.workspace.slack;
  let isUnsaved = false;
  let shown: ModalContext = { ...context, ...place };
  answerer.take(caller, {
    name: `form ${form?.callbackId ?? 'unknown'}`,
    async work() {
      if (form === undefined) return outdatedForm;
      const { about = '', seen } = context;
      const isLinked = filled['notes']?.[0] !== undefined;
      const { notes = isLinked ? await messageAddress(client, context) : undefined } = caller;
      shown = { ...shown, notes };
      const answer = await form.run({ filled, about, seen }, { ...caller, notes }, ifAllowed);
      if ('saved' in answer) return (await open.close()) ? undefined : answer.saved;
      if (!('again' in answer)) return isLinked && notes === undefined ? after(noNotes, answer) : answer;
      isUnsaved = true;
      // The form as it was submitted: the same title, and all that it carries.
      const frame = { ...waits, title: view.title?.text ?? MODAL_TITLE };
      if (!(await open.complain(answer.complaints)))
        await updateModal(client, view.id, formModal(frame, callbackId, answer.again));
      return undefined;
    },
    async deliver(message) {
      const words = messageModal({ title, context: JSON.stringify(shown) }, message);
      if (!(await open.show(words))) await updateModal(client, view.id, words);
    },
    // A form that stays open says by itself that it's saving.
    meanwhile: closes ? undefined : stillWorking,
    after: () => form?.redraws !== undefined && !isUnsaved && drawHome(caller, form.redraws),
  });
  await open.acknowledged;
}
