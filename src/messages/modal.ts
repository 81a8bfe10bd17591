import type { KnownBlock, ModalView } from '@slack/types';
import { problem, waiting, type Message } from './message.ts';
import { LIMITS, plain } from './text.ts';

interface ModalFrame {
  readonly title: string;
  readonly context: string;
}

const label = (text: string) => plain(text, LIMITS.modalTitle);

export const messageModal = ({ title, context }: ModalFrame, { blocks }: Message): ModalView => ({
  type: 'modal',
  title: label(title),
  close: label('Close'),
  private_metadata: context,
  blocks,
});

/** Opened inside Slack's three seconds, before anything is looked up. */
export const loadingModal = (frame: ModalFrame, words = 'Loading…'): ModalView =>
  messageModal(frame, waiting([words]));

export interface FormContent {
  readonly blocks: readonly KnownBlock[];
  readonly submit: string;
  /** In place of the form's own title. */
  readonly title?: string;
  /** What its submission has to know, like what it showed when it opened. */
  readonly seen?: string;
}

export const formModal = (
  { title, context }: ModalFrame,
  callback_id: string,
  { blocks, submit }: FormContent,
): ModalView => ({
  type: 'modal',
  title: label(title),
  close: label('Cancel'),
  submit: label(submit),
  callback_id,
  private_metadata: context,
  blocks: [...blocks],
});

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
