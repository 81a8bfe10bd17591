import type { App, ViewResponseAction } from '@slack/bolt';
import type { ModalView } from '@slack/types';
import type { Caller, IfAllowed, Viewer } from '../commands/rights.ts';
import type { Catalog } from '../commands/catalog.ts';
import type { Home } from '../home/home.ts';
import { FORM } from '../messages/action-ids.ts';
import { after, problem, stillBusy, type Message } from '../messages/message.ts';
import { formModal, loadingModal, messageModal, savingModal } from '../messages/modal.ts';
import { ofOtherWorkspace, outdatedForm, unreadableRequest } from '../messages/failure-words.ts';
import { isPostedBy, markedView, readMarked } from '../workspaces/web-client.ts';
import type { Workspace } from '../workspaces/workspaces.ts';
import { MODAL_TITLE, updateModal } from './answer-places.ts';
import type { Answerer } from './answer.ts';
import { messageAddress } from './message-shortcuts.ts';
import {
  callerOfSubmission,
  filledIn,
  readModalContext,
  SubmissionPayload,
  type ReadPayload,
} from './payloads.ts';

/** Slack waits 3 s for the answer to a form; if it's saved by then, the form closes. */
const SAVED_WITHIN_MS = 2_000;

/** A form whose submission hasn't been acknowledged yet. */
interface OpenForm {
  /** False if it has already been acknowledged, and so can't be closed any more. */
  close(): Promise<boolean>;
  /** The same for showing something else instead. */
  show(view: ModalView): Promise<boolean>;
  /** The same for what is wrong, beside the fields. */
  complain(errors: Readonly<Record<string, string>>): Promise<boolean>;
  /** Resolves once it's acknowledged. */
  readonly acknowledged: Promise<void>;
}

/** Acknowledges a submission with its result, or with `saving` if there is none within two seconds. */
export function holdOpen(
  ack: (action: ViewResponseAction | undefined) => Promise<void>,
  saving: ModalView,
  report: (error: unknown) => void,
): OpenForm {
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
    complain: (errors) => answer({ response_action: 'errors', errors: { ...errors } }),
    acknowledged,
  };
}

const noNotes = problem([
  'The notes won’t start with a link to the message: the app isn’t in its channel, or the message is gone.',
]);

/**
 * Who asks, with their workspace. Undefined if the app isn't installed there, or if we can't find out. Says so wherever
 * Slack left an address to reply to.
 */
export type FindCaller = <Who extends Viewer>(
  who: Who,
  responseUrl?: string,
  show?: (words: Message) => Promise<unknown>,
) => Promise<(Who & { readonly workspace: Workspace }) | undefined>;

/** The form as it was submitted: the same title, and all that it carries. */
const shownIn = ({ view }: SubmissionPayload) => ({
  title: view.title?.text ?? MODAL_TITLE,
  context: view.private_metadata,
});

/** Submitted forms: each is acknowledged with its result, or as one that is being worked on. */
export function listenForForms(
  bolt: App,
  {
    catalog,
    ifAllowed,
    answerer,
    read,
    find,
    drawHome,
    report,
  }: {
    readonly catalog: Catalog;
    readonly ifAllowed: IfAllowed;
    readonly answerer: Answerer;
    readonly read: ReadPayload;
    readonly find: FindCaller;
    readonly drawHome: (viewer: Caller, how: keyof Home) => void;
    readonly report: (error: unknown) => void;
  },
): void {
  bolt.view({}, async ({ ack, body }) => {
    const payload = read('form', SubmissionPayload, body);
    if (payload === undefined) {
      const words = messageModal({ title: MODAL_TITLE, context: '' }, unreadableRequest);
      await ack({ response_action: 'update', view: words });
      return;
    }
    const { view } = payload;
    const context = readModalContext(view.private_metadata);
    const filled = filledIn(payload);
    const { id: callbackId, installId } = readMarked(view.callback_id);
    const form = catalog.form(callbackId);
    const shortcut = catalog.shortcut(context.shortcut ?? '');
    const title = form?.title ?? shortcut?.shortcut.title ?? MODAL_TITLE;
    const argument = filled[FORM.textBlock]?.[0]?.trim() || (filled[FORM.choiceBlock]?.[0] ?? '');
    const complaints = form?.complaints(filled) ?? {
      [FORM.textBlock]: shortcut?.command.complaint(argument),
    };
    const errors = Object.fromEntries(
      Object.entries(complaints).flatMap(([block, words]) => (words ? [[block, words]] : [])),
    );
    if (Object.keys(errors).length > 0) {
      await ack({ response_action: 'errors', errors });
      return;
    }
    const waits = { title, context: view.private_metadata };
    const closes = form?.closes === true;
    // In a workspace without the app, only the acknowledgement itself can say so.
    const open = holdOpen(
      async (action) => {
        if (action === undefined) await ack();
        else await ack('view' in action ? { ...action, view: markedView(action.view, installId) } : action);
      },
      closes ? savingModal(waits, form?.busy) : loadingModal(waits, form?.busy),
      report,
    );
    const chosen = form?.channelOf?.(filled);
    const channelId = chosen ?? context.channelId;
    const askedIn = chosen === undefined ? context.askedIn : (context.askedIn ?? context.channelId ?? '');
    const who = {
      ...callerOfSubmission(payload),
      channelId,
      askedIn,
    };
    const caller = await find(who, undefined, (words) => open.show(messageModal(waits, words)));
    if (caller === undefined) return;
    if (!(await isPostedBy(caller.workspace, view.callback_id))) {
      await open.show(messageModal(waits, ofOtherWorkspace));
      return;
    }
    if (!closes) await open.show(loadingModal(waits, form?.busy));
    const { workspace, workspaceId, userId } = caller;
    const client = workspace.slack;
    let isUnsaved = false;
    let frame = { title, context: JSON.stringify({ ...context, channelId, askedIn }) };
    answerer.take({
      name: `form ${form === undefined ? (context.shortcut ?? 'unknown') : callbackId}`,
      workspaceId,
      userId,
      async work() {
        const { about = '', seen } = context;
        if (form !== undefined) {
          const answer = await form.run({ filled, about, seen }, caller, ifAllowed);
          if ('saved' in answer) return (await open.close()) ? undefined : answer.saved;
          if (!('again' in answer)) return answer;
          isUnsaved = true;
          if (!(await open.complain(answer.complaints)))
            await updateModal(client, view.id, formModal(shownIn(payload), callbackId, answer.again));
          return undefined;
        }
        if (shortcut === undefined) return outdatedForm;
        const wanted = filled[FORM.notesBlock]?.[0] !== undefined;
        const notes = wanted ? await messageAddress(client, context) : undefined;
        if (notes === undefined) {
          const answer = await shortcut.command.run(argument, caller, ifAllowed);
          return wanted ? after(noNotes, answer) : answer;
        }
        frame = { title, context: JSON.stringify({ ...context, notes }) };
        return shortcut.command.run(argument, { ...caller, notes }, ifAllowed);
      },
      async deliver(message) {
        const shown = messageModal(frame, message);
        if (!(await open.show(shown))) await updateModal(client, view.id, shown);
      },
      // A form that stays open says by itself that it's saving.
      meanwhile: closes ? undefined : stillBusy(shortcut?.command),
      after: () => form?.redraws !== undefined && !isUnsaved && drawHome(caller, form.redraws),
    });
    await open.acknowledged;
  });
}
