import type { InputBlock, KnownBlock, ModalView } from '@slack/types';
import { problem, waiting, type Message } from './message.ts';
import { LIMITS, plain } from './text.ts';

interface ModalFrame {
  readonly title: string;
  /** Goes into `private_metadata`. */
  readonly context: string;
}

const label = (text: string) => plain(text, LIMITS.modalTitle);
const option = (text: string, value: string) => ({ text: plain(text, LIMITS.optionText), value });

/** @param callbackId names the form, for the submission */
function modal(
  { title, context }: ModalFrame,
  blocks: readonly KnownBlock[],
  submit?: string,
  callbackId?: string,
): ModalView {
  return {
    type: 'modal',
    title: label(title),
    close: label(submit === undefined ? 'Close' : 'Cancel'),
    submit: submit === undefined ? undefined : label(submit),
    callback_id: callbackId,
    private_metadata: context,
    blocks: [...blocks],
  };
}

export const messageModal = (frame: ModalFrame, { blocks }: Message): ModalView => modal(frame, blocks);

/** Opened inside Slack's three seconds, before anything is looked up. */
export const loadingModal = (frame: ModalFrame, words = 'Loading…'): ModalView =>
  messageModal(frame, waiting([words]));

export const savingModal = (frame: ModalFrame, words = 'Saving…'): ModalView => loadingModal(frame, words);

export interface FormContent {
  readonly blocks: readonly KnownBlock[];
  readonly submit: string;
  /** In place of the form's own title. */
  readonly title?: string;
  /** What its submission has to know, like what it showed when it opened. */
  readonly seen?: string;
}

/** The form closes if it's still open, and shows these words if it had to wait. */
export interface Saved {
  readonly saved: Message;
}

/** What is wrong, by block, and the form again for where Slack can't show that beside the fields. */
export interface Unsaved {
  readonly complaints: Readonly<Record<string, string>>;
  readonly again: FormContent;
}

export const unsaved = ({ blocks, ...form }: FormContent, block: string, words: string): Unsaved => ({
  complaints: { [block]: words },
  again: { ...form, blocks: [...problem([words]).blocks, ...blocks] },
});

/** For places without a form to close. */
export const answerWords = (answer: Message | Saved): Message => ('saved' in answer ? answer.saved : answer);

export const formModal = (
  frame: ModalFrame,
  callbackId: string,
  { blocks, submit }: FormContent,
): ModalView => modal(frame, blocks, submit, callbackId);

/** What was found in the message, to choose from or to correct. */
export interface ShortcutForm {
  readonly label: string;
  /** Completes "Type ...". */
  readonly asksFor: string;
  readonly clues: readonly { readonly text: string; readonly argument: string }[];
  /** Whether the session's notes may begin with the message's address. */
  readonly offersNotes: boolean;
}

function hint({ clues, asksFor }: ShortcutForm): string {
  if (clues.length === 0) return `I found nothing to search for in this message. Type ${asksFor}.`;
  return clues.length === 1 ? 'Edit if needed.' : 'What you type here replaces the choice above.';
}

/** @param frame its context names the shortcut, for the submission  @param said above its fields */
export function shortcutFormModal(frame: ModalFrame, form: ShortcutForm, said?: Message): ModalView {
  const clues = form.clues.slice(0, LIMITS.choices);
  const several = clues.length > 1;
  const options = clues.map(({ text, argument }) => option(text, argument));
  const choice: InputBlock = {
    type: 'input',
    block_id: 'choice',
    label: plain('Found in the message'),
    element: { type: 'radio_buttons', action_id: 'value', options, initial_option: options[0] },
  };
  const typed: InputBlock = {
    type: 'input',
    block_id: 'text',
    optional: several,
    label: plain(several ? 'Something else' : form.label, LIMITS.inputLabel),
    hint: plain(hint(form), LIMITS.inputLabel),
    element: {
      type: 'plain_text_input',
      action_id: 'value',
      max_length: 200,
      initial_value: several ? undefined : clues[0]?.argument,
    },
  };
  const link = option('Link this message in the session notes', 'yes');
  const notes: InputBlock = {
    type: 'input',
    block_id: 'notes',
    optional: true,
    label: plain('Notes'),
    element: { type: 'checkboxes', action_id: 'value', options: [link], initial_options: [link] },
  };
  const blocks = [
    ...(said?.blocks ?? []),
    ...(several ? [choice] : []),
    typed,
    ...(form.offersNotes ? [notes] : []),
  ];
  return modal(frame, blocks, 'Continue', 'shortcut_form');
}
