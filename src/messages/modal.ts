import type { KnownBlock, ModalView } from '@slack/types';
import { FORM } from './action-ids.ts';
import { problem, waiting, type Message } from './message.ts';
import { LIMITS, plain } from './text.ts';

/** What a modal carries to its next request, beside its content: text of ours in `private_metadata`. */
interface ModalFrame {
  readonly title: string;
  readonly context: string;
}

function modal(
  { title, context }: ModalFrame,
  blocks: readonly KnownBlock[],
  close: 'Close' | 'Cancel' = 'Close',
): ModalView {
  return {
    type: 'modal',
    title: plain(title, LIMITS.modalTitle),
    close: plain(close, LIMITS.modalTitle),
    private_metadata: context,
    blocks: [...blocks],
  };
}

/** An answer as a modal's content. */
export function messageModal(frame: ModalFrame, content: Message): ModalView {
  return modal(frame, content.blocks);
}

/** Opened inside Slack's three seconds, before anything is looked up. */
export function loadingModal(frame: ModalFrame, words = 'Loading…'): ModalView {
  return modal(frame, waiting([words]).blocks);
}

/** Replaces a form while saving takes longer. */
export function savingModal(frame: ModalFrame, words = 'Saving…'): ModalView {
  return modal(frame, waiting([words]).blocks);
}

/** What a form consists of, beside its title. */
export interface FormContent {
  readonly blocks: readonly KnownBlock[];
  /** What the submitting button says. */
  readonly submit: string;
  /** In place of the form's own title. */
  readonly title?: string;
  /** What its submission has to know, like what it showed when it opened. */
  readonly seen?: string;
}

/** The form is saved: it closes if it's still open, and shows these words if it had to wait. */
export interface Saved {
  readonly saved: Message;
}

/** The form isn't saved: what is wrong, by block, and the form again for where Slack can't show that beside the fields. */
export interface Unsaved {
  readonly complaints: Readonly<Record<string, string>>;
  readonly again: FormContent;
}

/** @param form as filled in */
export const unsaved = ({ blocks, ...form }: FormContent, block: string, words: string): Unsaved => ({
  complaints: { [block]: words },
  again: { ...form, blocks: [...problem([words]).blocks, ...blocks] },
});

/** An answer's words, for places without a form to close. */
export const answerWords = (answer: Message | Saved): Message => ('saved' in answer ? answer.saved : answer);

/** @param callbackId names the form, for the submission */
export function formModal(frame: ModalFrame, callbackId: string, { blocks, submit }: FormContent): ModalView {
  return {
    ...modal(frame, blocks, 'Cancel'),
    callback_id: callbackId,
    submit: plain(submit, LIMITS.modalTitle),
  };
}

/** The form of a message shortcut: what was found in the message, to choose from or to correct. */
export interface ShortcutForm {
  readonly label: string;
  /** What can be typed, as "Type ..." goes on. */
  readonly asksFor: string;
  readonly clues: readonly { readonly text: string; readonly argument: string }[];
  /** Whether the message's address is offered as the beginning of the session's notes. */
  readonly offersNotes: boolean;
}

function notesBlock(): KnownBlock {
  const option = {
    text: plain('Link this message in the session notes', LIMITS.optionText),
    value: 'yes',
  };
  return {
    type: 'input',
    block_id: FORM.notesBlock,
    optional: true,
    label: plain('Notes', LIMITS.inputLabel),
    element: { type: 'checkboxes', action_id: FORM.notes, options: [option], initial_options: [option] },
  };
}

function hint({ clues, asksFor }: ShortcutForm): string {
  if (clues.length === 0) return `I found nothing to search for in this message. Type ${asksFor}.`;
  return clues.length === 1 ? 'Edit if needed.' : 'What you type here replaces the choice above.';
}

/** @param frame its context names the shortcut, for the submission  @param said above its fields */
export function shortcutFormModal(frame: ModalFrame, form: ShortcutForm, said?: Message): ModalView {
  const clues = form.clues.slice(0, LIMITS.choices);
  const [only, ...others] = clues;
  const several = others.length > 0;
  const choice: KnownBlock = {
    type: 'input',
    block_id: FORM.choiceBlock,
    label: plain('Found in the message', LIMITS.inputLabel),
    element: {
      type: 'radio_buttons',
      action_id: FORM.choice,
      options: clues.map(({ text, argument }) => ({ text: plain(text, LIMITS.optionText), value: argument })),
      ...(only === undefined
        ? {}
        : { initial_option: { text: plain(only.text, LIMITS.optionText), value: only.argument } }),
    },
  };
  const typed: KnownBlock = {
    type: 'input',
    block_id: FORM.textBlock,
    optional: several,
    label: plain(several ? 'Something else' : form.label, LIMITS.inputLabel),
    hint: plain(hint(form), LIMITS.inputLabel),
    element: {
      type: 'plain_text_input',
      action_id: FORM.text,
      max_length: 200,
      ...(several || only === undefined ? {} : { initial_value: only.argument }),
    },
  };
  return {
    ...modal(
      frame,
      [
        ...(said?.blocks ?? []),
        ...(several ? [choice] : []),
        typed,
        ...(form.offersNotes ? [notesBlock()] : []),
      ],
      'Cancel',
    ),
    callback_id: FORM.callbackId,
    submit: plain('Continue', LIMITS.modalTitle),
  };
}
