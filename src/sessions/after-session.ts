import { z } from 'zod';
import { UnclearError } from '../audit/recording.ts';
import type { SessionEnd } from './session-ends.ts';
import type { Never } from '../permissions/acts.ts';
import { SessionOutcome } from '../messages/session-outcome.ts';
import { ACTION, NOTE_FORM } from '../messages/action-ids.ts';
import type { Message } from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
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
} from '../messages/session-outcome.ts';
import { watchOffer } from '../messages/watch-offer.ts';
import { asked, ifAllowed, recordRefusal } from '../commands/allowed.ts';
import type { Caller } from '../commands/caller.ts';
import type { Form } from '../commands/form.ts';
import { definePress } from '../commands/press.ts';
import type { Press } from '../commands/press.ts';
import type { Uses } from '../services.ts';

/*
 * The buttons of a summary: watch the customer again, set how the session went, add a note.
 */

/** People who never can, whatever they watched before. */
const NEVER: ReadonlySet<string> = new Set(['deactivated', 'external', 'bot'] satisfies readonly Never[]);

interface Asking {
  readonly caller: Caller;
  readonly services: Uses<'sessionOutcomes' | 'mayAct' | 'record'>;
}

/**
 * Does something about a session for people who watched it, or who can watch now.
 *
 * @param act what it is, for the audit
 */
async function ifTheirs<Done>(
  act: 'outcome' | 'note',
  endId: string,
  { caller, services }: Asking,
  work: (end: SessionEnd) => Promise<Done>,
): Promise<Done | Message> {
  const end = await services.sessionOutcomes.find(caller.workspaceId, endId);
  if (end === undefined) return sessionTooOld;
  const verdict = await asked(act, { caller, services }, () => services.mayAct('watch', caller));
  const hasWatched = end.link.userId === caller.userId;
  if (verdict.allowed || (hasWatched && !NEVER.has(verdict.why))) return work(end);
  await recordRefusal(act, verdict.why, { caller, services });
  return followUpRefused;
}

/** Watch again: the button in a message that everyone sees has no address; only the presser gets one that has. */
const watchAgain = definePress({
  actionId: ACTION.watchAgain,
  answer: 'add',
  value: z.string().min(1),
  run: (visitorId, caller, services) =>
    ifAllowed('watch', { caller, services }, async () => {
      const lookUp = () => services.cobrowse.visitor(visitorId);
      const visitor = await services.recording.lookUp(caller, visitorId, lookUp);
      return watchOffer(visitor, await services.visitorTools(caller));
    }),
});

/** The value of an option, as `outcomeValue` writes it. */
const ChosenOutcome = z
  .string()
  .transform((text) => text.split(' '))
  .pipe(z.tuple([z.string().min(1), SessionOutcome]));

const chooseOutcome = definePress({
  actionId: ACTION.outcome,
  answer: 'add',
  value: ChosenOutcome,
  run: ([endId, outcome], caller, services) =>
    ifTheirs('outcome', endId, { caller, services }, async () => {
      const answer = await services.sessionOutcomes.choose(caller, endId, outcome);
      switch (answer.is) {
        case 'set':
          return outcomeSet(outcome, answer.before);
        case 'kept':
          return outcomeKept(answer.set);
        case 'too-old':
          return sessionTooOld;
        default:
          return answer satisfies never;
      }
    }),
});

/** Slack didn't take a note. */
class NoteError extends Error {
  override readonly name = 'NoteError';
  readonly reason: string;
  constructor(reason: string) {
    super(`Slack did not take the note: ${reason}.`);
    this.reason = reason;
  }
}

interface Noting extends Asking {
  readonly services: Asking['services'] & Uses<'isShared' | 'postReply' | 'recording'>;
}

/** Notes are only for channels that nobody outside reads: checked when the form opens, and again before posting. */
function ifNotesFit<Done>(
  endId: string,
  { caller, services }: Noting,
  work: (end: SessionEnd) => Promise<Done>,
): Promise<Done | Message> {
  return ifTheirs('note', endId, { caller, services }, async (end) => {
    const { workspaceId, channelId = '' } = caller;
    return (await services.isShared(workspaceId, channelId)) === false ? work(end) : noNotesHere;
  });
}

async function post(text: string, end: SessionEnd, { caller, services }: Noting): Promise<Message> {
  const { workspaceId, userId, channelId = '' } = caller;
  const threadTs = await services.sessionOutcomes.threadIn(caller, end.id);
  if (threadTs === undefined) return sessionTooOld;
  const place = { workspaceId, to: channelId, threadTs };
  const what = { action: 'note', visitorId: end.link.visitorId } as const;
  try {
    await services.recording.around(caller, what, async () => {
      const posted = await services.postReply(place, note(userId, text));
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

const typedNote = (filled: Readonly<Record<string, readonly string[]>>): string =>
  (filled[NOTE_FORM.noteBlock]?.[0] ?? '').trim();

/** A note's text goes into the thread and nowhere else: this app doesn't keep it. */
export const notesForm: Form = {
  callbackId: NOTE_FORM.callbackId,
  title: 'Add note',
  busy: 'Posting your note…',
  complaints(filled) {
    const { length } = typedNote(filled);
    if (length === 0) return { [NOTE_FORM.noteBlock]: 'Type the note first.' };
    return length > LONGEST_NOTE
      ? { [NOTE_FORM.noteBlock]: `Notes are limited to ${LONGEST_NOTE} characters.` }
      : {};
  },
  run: ({ filled, about: endId }, caller, services) =>
    ifNotesFit(endId, { caller, services }, (end) => post(typedNote(filled), end, { caller, services })),
};

const addNote = definePress({
  actionId: ACTION.addNote,
  answer: 'add',
  value: z.string().min(1),
  opens: {
    form: notesForm,
    content: (endId, caller, services) =>
      ifNotesFit(endId, { caller, services }, async (): Promise<FormContent> => noteForm),
  },
  run: async () => undefined,
});

/** The presses of a summary's buttons. */
export const afterSessionPresses: readonly Press[] = [watchAgain, chooseOutcome, addNote];
