import { z } from 'zod';
import { UnclearError, type Recording } from '../audit/recording.ts';
import type { Caller } from '../commands/caller.ts';
import { defineForm } from '../commands/form.ts';
import { definePress } from '../commands/press.ts';
import type { RecordRefusal } from '../commands/rights.ts';
import { ACTION, FOLLOW_UP_FORM, NOTE_FORM } from '../messages/action-ids.ts';
import type { Message } from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
import { SessionOutcome } from '../messages/session-words.ts';
import {
  LONGEST_NOTE,
  followUpRefused,
  noNotesHere,
  note,
  noteAdded,
  noteForm,
  noteNotPosted,
  noteUnclear,
  outcomeKept,
  outcomeSet,
  sessionTooOld,
} from './after-session-messages.ts';
import { watchOffer } from '../messages/visitor-buttons.ts';
import type { MayAct, Never } from '../permissions/acts.ts';
import { withItsTicket, type Showing } from '../visitors/visitor.ts';
import type { FollowUpForms } from './follow-ups-in-slack.ts';
import type { SessionEnd } from '../sessions/session-ends.ts';
import type { SessionOutcomes } from './outcomes.ts';
import type { IsShared } from '../messages/visitor-pieces.ts';
import type { createPostReply } from './thread-reply.ts';

/*
 * The buttons of a summary: watch the customer again, set how the session went, add a note.
 */

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

const typedNote = (filled: Readonly<Record<string, readonly string[]>>): string =>
  (filled[NOTE_FORM.noteBlock]?.[0] ?? '').trim();

/** The presses and the form of a summary's buttons. */
export function createAfterSession(parts: {
  readonly sessionOutcomes: SessionOutcomes;
  readonly mayAct: MayAct;
  readonly recordRefusal: RecordRefusal;
  readonly recording: Pick<Recording, 'lookUp' | 'around'>;
  readonly visitorTools: Showing['visitorTools'];
  readonly isShared: IsShared;
  readonly postReply: ReturnType<typeof createPostReply>;
  readonly followUps: FollowUpForms;
}) {
  const { sessionOutcomes, mayAct, recordRefusal, recording, isShared, postReply, followUps } = parts;

  /**
   * Does something about a session for people who watched it, or who can watch now.
   *
   * @param act what it is, for the audit
   */
  async function ifTheirs<Done>(
    act: 'outcome' | 'note',
    endId: string,
    caller: Caller,
    work: (end: SessionEnd) => Promise<Done>,
  ): Promise<Done | Message> {
    const end = await sessionOutcomes.find(caller.workspaceId, endId);
    if (end === undefined) return sessionTooOld;
    const verdict = await mayAct('watch', caller);
    const hasWatched = end.link.userId === caller.userId;
    if (verdict.allowed || (hasWatched && !NEVER.has(verdict.why))) return work(end);
    await recordRefusal(act, verdict.why, caller);
    return followUpRefused;
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
      return watchOffer(visitor, await parts.visitorTools(caller));
    }),
  });

  /** @returns what became of it, and whether the session's outcome is that one now */
  async function setOutcome(caller: Caller, endId: string, outcome: SessionOutcome) {
    const answer = await sessionOutcomes.choose(caller, endId, outcome);
    switch (answer.is) {
      case 'set':
        return { isSet: true, said: outcomeSet(outcome, answer.before) };
      case 'kept':
        return { isSet: true, said: outcomeKept(answer.set) };
      case 'too-old':
        return { isSet: false, said: sessionTooOld };
      default:
        return answer satisfies never;
    }
  }

  /** Closed without, the outcome stays as it is and nothing is due. */
  const followUpForm = defineForm({
    ...followUps.form,
    callbackId: FOLLOW_UP_FORM.setCallbackId,
    title: 'Follow up',
    right: 'outcome',
    complaints: followUps.complaints,
    run: ({ filled, about }, caller) => {
      const [endId] = ChosenOutcome.parse(about);
      return ifTheirs('outcome', endId, caller, (end) => followUps.set(end, filled, caller));
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
      content: ([endId, outcome], caller) =>
        ifTheirs('outcome', endId, caller, async () => {
          const { isSet, said } = await setOutcome(caller, endId, outcome);
          return isSet ? followUps.opened(endId, caller, said) : said;
        }),
    },
    run: ([endId, outcome], caller) =>
      ifTheirs('outcome', endId, caller, async () => (await setOutcome(caller, endId, outcome)).said),
  });

  /** Notes are only for channels that nobody outside reads: checked when the form opens, and again before posting. */
  function ifNotesFit<Done>(
    endId: string,
    caller: Caller,
    work: (end: SessionEnd) => Promise<Done>,
  ): Promise<Done | Message> {
    return ifTheirs('note', endId, caller, async (end) => {
      const { workspaceId, channelId = '' } = caller;
      return (await isShared(workspaceId, channelId)) === false ? work(end) : noNotesHere;
    });
  }

  async function post(text: string, end: SessionEnd, caller: Caller): Promise<Message> {
    const { workspaceId, userId, channelId = '' } = caller;
    const threadTs = await sessionOutcomes.threadIn(caller, end.id);
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
    complaints(filled): Readonly<Record<string, string>> {
      const { length } = typedNote(filled);
      if (length === 0) return { [NOTE_FORM.noteBlock]: 'Type the note first.' };
      return length > LONGEST_NOTE
        ? { [NOTE_FORM.noteBlock]: `Notes are limited to ${LONGEST_NOTE} characters.` }
        : {};
    },
    run: ({ filled, about: endId }, caller) =>
      ifNotesFit(endId, caller, (end) => post(typedNote(filled), end, caller)),
  });

  const addNote = definePress({
    actionId: ACTION.addNote,
    answer: 'add',
    right: 'note',
    value: z.string().min(1),
    opens: {
      form: notesForm,
      content: (endId, caller) => ifNotesFit(endId, caller, async (): Promise<FormContent> => noteForm),
    },
  });

  return { presses: [watchAgain, chooseOutcome, addNote], forms: [notesForm, followUpForm] };
}
