import { NOTE_FORM } from '../messages/action-ids.ts';
import { done, lines, message, notice, problem, refusal, status, type Message } from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
import { outcomeWords, type SessionOutcome, type SetOutcome } from '../messages/session-words.ts';
import { date, short, user, type Line } from '../messages/text.ts';

/** Longer notes belong in the service's own notes. */
export const LONGEST_NOTE = 2_000;

/** The outcome was set. `before` is what it replaced: if two people choose at once, the later one is told. */
export function outcomeSet(outcome: SessionOutcome, before: SetOutcome | undefined): Message {
  const set = `Outcome set to ${outcomeWords(outcome)}. The summary shows it in a moment.`;
  if (before === undefined) return done([set]);
  const was = `: set to ${outcomeWords(before.outcome)} by `;
  return done([set], ['It replaces this:'], [date(new Date(before.at)), was, user(before.by), '.']);
}

export function outcomeKept({ outcome, by }: SetOutcome): Message {
  return notice([`The outcome is already ${outcomeWords(outcome)}, set by `, user(by), '.']);
}

/** Summaries of old sessions are left as they are. */
export const sessionTooOld: Message = problem([
  'This session is too old: outcomes and notes can be added for 30 days after it ended.',
]);

/** For people who neither watched nor can watch. */
export const followUpRefused: Message = refusal(
  ['Only people who watched this session, or who can watch, can set its outcome or add a note.'],
  ['Ask an admin to add you.'],
);

/** Asks for the note. */
export const noteForm: FormContent = {
  submit: 'Post note',
  blocks: [
    {
      type: 'input',
      block_id: NOTE_FORM.noteBlock,
      label: { type: 'plain_text', text: 'Note', emoji: false },
      hint: {
        type: 'plain_text',
        text: 'Posted with your name in the summary’s thread. This app keeps no copy.',
        emoji: false,
      },
      element: {
        type: 'plain_text_input',
        action_id: NOTE_FORM.note,
        multiline: true,
        max_length: LONGEST_NOTE,
      },
    },
  ],
};

/** What was typed, line by line, as text and nothing else. */
const typedLines = (text: string): readonly Line[] =>
  text.split(/\r\n|\r|\n/).map((line): Line => [short(line, LONGEST_NOTE)]);

/** The reply in the summary's thread. @param text as typed */
export function note(by: string, text: string): Message {
  return message(lines(['Note by ', user(by), ':'], ...typedLines(text)));
}

export const noteAdded: Message = done(['Your note is in the summary’s thread.']);

/** For a channel that people from other organizations can read. */
export const noNotesHere: Message = refusal([
  'Notes can’t be added here: people of other organizations read this channel, or Slack didn’t say whether they do.',
]);

/** Slack's answer was lost, and the note isn't seen in the thread, or not yet. Repeats what was typed. */
export function noteUnclear(text: string): Message {
  return message(
    status('problem', [
      ['Slack didn’t say whether your note was posted. Check the summary’s thread before you post it again:'],
    ]),
    lines(...typedLines(text)),
  );
}

/** Slack refused the note. Repeats what was typed, since it's saved nowhere. @param reason Slack's code, or ours */
export function noteNotPosted(reason: string, text: string): Message {
  return message(
    status('problem', [
      [`I couldn’t post your note (Slack: ${short(reason, 80)}). Copy it and try again in a minute:`],
    ]),
    lines(...typedLines(text)),
  );
}
