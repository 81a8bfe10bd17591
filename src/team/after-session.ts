import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { UnclearError } from '../audit/recording.ts';
import { Answered, type Caller } from '../commands/rights.ts';
import { defineForm, definePress } from '../commands/command.ts';
import { ACTION, FOLLOW_UP_FORM, NOTE_FORM } from '../messages/action-ids.ts';
import { filledValues, textField } from '../commands/inputs.ts';
import { done, lines, message, notice, problem, refusal, status, type Message } from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
import { outcomeWords, SessionOutcome, type SetOutcome } from '../messages/session-words.ts';
import { date, short, user, type Line } from '../messages/text.ts';
import { watchOffer } from '../messages/visitor-pieces.ts';
import type { Destination, PostOutcome } from '../outbox/transport.ts';
import type { App } from '../parts.ts';
import type { Never } from '../permissions/permissions.ts';
import type { SessionEnd } from '../sessions/session-ends.ts';
import { withItsTicket, type Showing } from '../visitors/visitor.ts';
import type { FollowUpForms } from './follow-up-forms.ts';
import type { Outcomes } from './outcomes.ts';

/** Longer notes belong in the service's own notes. */
const LONGEST_NOTE = 2_000;

/** The outcome was set. `before` is what it replaced: if two people choose at once, the later one is told. */
function outcomeSet(outcome: SessionOutcome, before: SetOutcome | undefined): Message {
  const set = `Outcome set to ${outcomeWords(outcome)}. The summary shows it in a moment.`;
  if (before === undefined) return done([set]);
  const was = `: set to ${outcomeWords(before.outcome)} by `;
  return done([set], ['It replaces this:'], [date(new Date(before.at)), was, user(before.by), '.']);
}

function outcomeKept({ outcome, by }: SetOutcome): Message {
  return notice([`The outcome is already ${outcomeWords(outcome)}, set by `, user(by), '.']);
}

/** Summaries of old sessions are left as they are. */
const sessionTooOld: Message = problem([
  'This session is too old: outcomes and notes can be added for 30 days after it ended.',
]);

/** For people who neither watched nor can watch. */
const followUpRefused: Message = refusal(
  ['Only people who watched this session, or who can watch, can set its outcome or add a note.'],
  ['Ask an admin to add you.'],
);

const noteForm: FormContent = {
  submit: 'Post note',
  blocks: [
    textField({
      block: NOTE_FORM.noteBlock,
      actionId: NOTE_FORM.note,
      label: 'Note',
      hint: 'Posted with your name in the summary’s thread. This app keeps no copy.',
      most: LONGEST_NOTE,
      multiline: true,
    }),
  ],
};

/** What was typed, line by line, as text and nothing else. */
const typedLines = (text: string): readonly Line[] =>
  text.split(/\r\n|\r|\n/).map((line): Line => [short(line, LONGEST_NOTE)]);

/** The reply in the summary's thread. @param text as typed */
function note(by: string, text: string): Message {
  return message(lines(['Note by ', user(by), ':'], ...typedLines(text)));
}

const noteAdded: Message = done(['Your note is in the summary’s thread.']);

/** For a channel that people from other organizations can read. */
const noNotesHere: Message = refusal([
  'Notes can’t be added here: people of other organizations read this channel, or Slack didn’t say whether they do.',
]);

/** Slack's answer was lost, and the note isn't seen in the thread, or not yet. Repeats what was typed. */
function noteUnclear(text: string): Message {
  return message(
    status('problem', [
      ['Slack didn’t say whether your note was posted. Check the summary’s thread before you post it again:'],
    ]),
    lines(...typedLines(text)),
  );
}

/** Slack refused the note. Repeats what was typed, since it's saved nowhere. @param reason Slack's code, or ours */
function noteNotPosted(reason: string, text: string): Message {
  return message(
    status('problem', [
      [`I couldn’t post your note (Slack: ${short(reason, 80)}). Copy it and try again in a minute:`],
    ]),
    lines(...typedLines(text)),
  );
}

/** People who never can, whatever they watched before. */
const NEVER: ReadonlySet<string> = new Set(['deactivated', 'external', 'bot'] satisfies readonly Never[]);

/** The value of an option, as `outcomeValue` writes it. */
const ChosenOutcome = z
  .string()
  .transform((text) => text.split(' '))
  .pipe(z.tuple([z.string().min(1), SessionOutcome]));

/** Slack didn't take a note. */
class NoteError extends Error {
  override readonly name = 'NoteError';
  readonly reason: string;
  constructor(reason: string) {
    super(`Slack did not take the note: ${reason}.`);
    this.reason = reason;
  }
}

/** The buttons of a summary: watch the customer again, set how the session went, add a note. */
export function createAfterSession(
  { mayAct, recordRefusal, recording, isShared, post, find, now }: App,
  outcomes: Outcomes,
  followUps: FollowUpForms,
  visitorTools: Showing['visitorTools'],
) {
  /**
   * A session that the caller watched, or could watch now.
   *
   * @param act what is done about it, for the audit
   * @throws Answered
   */
  async function theirs(act: 'outcome' | 'note', endId: string, caller: Caller): Promise<SessionEnd> {
    const end = await outcomes.find(caller.workspaceId, endId);
    if (end === undefined) throw new Answered(sessionTooOld);
    const verdict = await mayAct('watch', caller);
    const hasWatched = end.link.userId === caller.userId;
    if (verdict.allowed || (hasWatched && !NEVER.has(verdict.why))) return end;
    await recordRefusal(act, verdict.why, caller);
    throw new Answered(followUpRefused);
  }

  /** Watch again: the button in a message that everyone sees has no address; only the presser gets one that has. */
  const watchAgain = definePress({
    actionId: ACTION.watchAgain,
    answer: 'add',
    right: 'watch',
    value: z.string().min(1),
    run: withItsTicket(async (visitorId, caller) => {
      const lookUp = () => caller.workspace.cobrowse.visitor(visitorId);
      const visitor = await recording.lookUp(caller, visitorId, lookUp);
      return watchOffer(visitor, await visitorTools(caller));
    }),
  });

  /** Says that the session's outcome is that one now. @throws Answered where it can't be */
  async function setOutcome(caller: Caller, endId: string, outcome: SessionOutcome): Promise<Message> {
    const answer = await outcomes.choose(caller, endId, outcome);
    if (answer.is === 'too-old') throw new Answered(sessionTooOld);
    return answer.is === 'set' ? outcomeSet(outcome, answer.before) : outcomeKept(answer.set);
  }

  /** Closed without, the outcome stays as it is and nothing is due. */
  const followUpForm = defineForm({
    ...followUps.form,
    callbackId: FOLLOW_UP_FORM.setCallbackId,
    title: 'Follow up',
    right: 'outcome',
    async run({ filled, about }, caller) {
      const [endId] = ChosenOutcome.parse(about);
      return followUps.set(await theirs('outcome', endId, caller), filled, caller);
    },
  });

  const chooseOutcome = definePress({
    actionId: ACTION.outcome,
    answer: 'add',
    right: 'outcome',
    value: ChosenOutcome,
    opens: {
      form: followUpForm,
      isFor: ([, outcome]) => outcome === 'follow-up',
      async content([endId, outcome], caller) {
        await theirs('outcome', endId, caller);
        return followUps.opened(endId, caller, await setOutcome(caller, endId, outcome));
      },
    },
    async run([endId, outcome], caller) {
      await theirs('outcome', endId, caller);
      return setOutcome(caller, endId, outcome);
    },
  });

  /**
   * Notes are only for channels that nobody outside reads: checked when the form opens, and again before posting.
   *
   * @throws Answered
   */
  async function notable(endId: string, caller: Caller): Promise<SessionEnd> {
    const end = await theirs('note', endId, caller);
    const { workspaceId, channelId = '' } = caller;
    if ((await isShared(workspaceId, channelId)) !== false) throw new Answered(noNotesHere);
    return end;
  }

  /**
   * Posts a reply that nothing stores. If Slack's answer is lost, the reply is looked for: `unclear` stays only if it isn't
   * there, or Slack doesn't say that either. Never rejects.
   */
  async function postReply(place: Destination, reply: Message): Promise<PostOutcome> {
    const [id, since] = [`reply:${randomUUID()}`, now()];
    const posted = await post(place, reply, id);
    if (posted.outcome !== 'later' || posted.unclear !== true) return posted;
    const seen = await find(place, id, since);
    const [ts] = 'found' in seen ? seen.found : [];
    return ts === undefined ? posted : { outcome: 'posted', ts };
  }

  async function postNote(text: string, end: SessionEnd, caller: Caller): Promise<Message> {
    const { workspaceId, userId, channelId = '' } = caller;
    const threadTs = await outcomes.threadIn(caller, end.id);
    if (threadTs === undefined) return sessionTooOld;
    const place = { workspaceId, to: channelId, threadTs };
    const what = { action: 'note', visitorId: end.link.visitorId } as const;
    try {
      await recording.around(caller, what, async () => {
        const posted = await postReply(place, note(userId, text));
        if (posted.outcome === 'posted') return;
        if (posted.outcome === 'later' && posted.unclear === true) throw new UnclearError();
        throw new NoteError(posted.reason);
      });
      return noteAdded;
    } catch (error) {
      if (error instanceof UnclearError) return noteUnclear(text);
      if (!(error instanceof NoteError)) throw error;
      return noteNotPosted(error.reason, text);
    }
  }

  /** A note's text goes into the thread and nowhere else: this app doesn't keep it. */
  const notesForm = defineForm({
    callbackId: NOTE_FORM.callbackId,
    title: 'Add note',
    busy: 'Posting your note…',
    right: 'note',
    complaints(filled) {
      const { [NOTE_FORM.noteBlock]: text = '' } = filledValues(filled);
      const tooLong = text.length > LONGEST_NOTE && `Notes are limited to ${LONGEST_NOTE} characters.`;
      return { [NOTE_FORM.noteBlock]: text === '' ? 'Type the note first.' : tooLong };
    },
    async run({ filled, about: endId }, caller) {
      const { [NOTE_FORM.noteBlock]: text = '' } = filledValues(filled);
      return postNote(text, await notable(endId, caller), caller);
    },
  });

  const addNote = definePress({
    actionId: ACTION.addNote,
    answer: 'add',
    right: 'note',
    value: z.string().min(1),
    opens: {
      form: notesForm,
      async content(endId, caller) {
        await notable(endId, caller);
        return noteForm;
      },
    },
  });

  return { presses: [watchAgain, chooseOutcome, addNote], forms: [notesForm, followUpForm] };
}
