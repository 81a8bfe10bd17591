import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { recorded } from '../audit/audit.ts';
import { whereAsked, type Who } from '../audit/recording.ts';
import { Answered, type Caller } from '../commands/rights.ts';
import { defineForm, definePress } from '../commands/command.ts';
import { inputs } from '../commands/inputs.ts';
import { sql } from '../database/database.ts';
import { done, lines, message, problem, refusal, status, type Message } from '../messages/message.ts';
import { outcomeWords, SessionOutcome } from '../messages/session-words.ts';
import { short, user, type Line } from '../messages/text.ts';
import { watchOffer } from '../messages/visitor-pieces.ts';
import { wakeWorkers } from '../outbox/channels.ts';
import type { App } from '../parts.ts';
import type { Refusal } from '../permissions/permissions.ts';
import type { SessionEnd, SessionEnds } from '../sessions/session-ends.ts';
import type { SessionEvents } from '../sessions/subscribers.ts';
import { redrawStatements, summariesOf } from '../sessions/posted-summaries.ts';
import { lookedUp, withItsTicket, type Showing } from '../visitors/visitor.ts';
import type { FollowUpForms } from './follow-up-forms.ts';
import { removeUnlessHanded } from './follow-ups.ts';

/** All reject with a DatabaseError. */
export function createOutcomes(
  { database, outbox, prepare, now }: Pick<App, 'database' | 'outbox' | 'prepare' | 'now'>,
  sessionEnds: Pick<SessionEnds, 'byId'>,
  events: Pick<SessionEvents, 'outcomeChanged'>,
) {
  /** Undefined for another workspace's session, or one that has been removed. */
  async function find(workspaceId: string, endId: string): Promise<SessionEnd | undefined> {
    const end = await sessionEnds.byId(endId);
    return end?.link.workspaceId === workspaceId ? end : undefined;
  }

  return {
    find,

    /** Saves the outcome, updates all posted summaries. False where they are gone. */
    async choose(chooser: Who, endId: string, outcome: SessionOutcome): Promise<boolean> {
      const { workspaceId, userId: by } = chooser;
      const [end, copies] = await Promise.all([
        find(workspaceId, endId),
        summariesOf(database, workspaceId, endId),
      ]);
      if (end === undefined || copies.length === 0) return false;
      if (end.outcome?.outcome === outcome) return true;
      const at = now();
      const told = await events.outcomeChanged(end, { outcome, by, at });
      const entry = prepare({
        ...whereAsked(chooser),
        visitorId: end.link.visitorId,
        action: 'outcome',
        outcome: 'done',
        detail: { to: outcome, from: end.outcome?.outcome },
      });
      const written = await recorded(entry, (inAudit) =>
        database.writeIf(
          sql`UPDATE session_ends SET outcome = ${outcome}, outcome_by = ${by}, outcome_at = ${at} WHERE id = ${endId}`,
          inAudit,
          ...(outcome === 'follow-up' ? [] : [removeUnlessHanded(workspaceId, endId)]),
          ...redrawStatements({ outbox, now }, end, copies),
          ...told.statements,
        ),
      );
      if (written === undefined) return false;
      told.accepted();
      wakeWorkers(database);
      return true;
    },
  };
}

const sessionTooOld: Message = problem([
  'This session is too old: outcomes and notes can be added for 30 days after it ended.',
]);

const followUpRefused: Message = refusal(
  ['Only people who watched this session, or who can watch, can set its outcome or add a note.'],
  ['Ask an admin to add you.'],
);

/** Longer notes belong in the service's own notes. */
const LONGEST_NOTE = 2_000;

const noteInput = inputs.text('note', 'Note', {
  hint: 'Posted with your name in the summary’s thread. This app keeps no copy.',
  most: LONGEST_NOTE,
  multiline: true,
});

const typedLines = (text: string): readonly Line[] =>
  text.split(/\r\n|\r|\n/).map((line): Line => [short(line, LONGEST_NOTE)]);

const noNotesHere: Message = refusal([
  'Notes can’t be added here: people of other organizations read this channel, or Slack didn’t say whether they do.',
]);

/** People who never can, whatever they watched before. */
const NEVER: ReadonlySet<Refusal> = new Set(['deactivated', 'external', 'bot']);

const ChosenOutcome = z
  .string()
  .transform((text) => text.split(' '))
  .pipe(z.tuple([z.string().min(1), SessionOutcome]));

/** In the thread of the summary that was pressed. Says what was typed where it isn't there: it's saved nowhere. */
async function postNote(app: App, text: string, end: SessionEnd, caller: Caller): Promise<Message> {
  const { workspaceId, userId, channelId = '', messageTs, threadTs = messageTs } = caller;
  const note = message(lines(['Note by ', user(userId), ':'], ...typedLines(text)));
  const posted = await app.post({ workspaceId, to: channelId, threadTs }, note, `reply:${randomUUID()}`);
  const { visitorId } = end.link;
  const isUnknown = posted.outcome === 'later' && posted.outcomeUnknown === true;
  const outcome = posted.outcome === 'posted' ? 'done' : isUnknown ? 'unclear' : 'failed';
  await app.record({ ...whereAsked(caller), action: 'note', visitorId, outcome });
  if (posted.outcome === 'posted') return done(['Your note is in the summary’s thread.']);
  const why = isUnknown
    ? 'Slack didn’t say whether your note was posted. Check the summary’s thread before you post it again:'
    : `I couldn’t post your note (Slack: ${short(posted.reason, 80)}). Copy it and try again in a minute:`;
  return message(status('problem', [[why]]), lines(...typedLines(text)));
}

function createNotes(app: App, theirs: (act: 'note', endId: string, caller: Caller) => Promise<SessionEnd>) {
  /** Notes are only for channels that nobody outside reads: asked when the form opens, and again before posting. @throws Answered */
  async function notable(endId: string, caller: Caller): Promise<SessionEnd> {
    const end = await theirs('note', endId, caller);
    const { workspaceId, channelId = '' } = caller;
    if ((await app.isShared(workspaceId, channelId)) !== false) throw new Answered(noNotesHere);
    return end;
  }

  const form = defineForm({
    callbackId: 'note_form',
    title: 'Add note',
    right: 'note',
    complaints: (filled) => ({ note: !noteInput.read(filled) && 'Type the note first.' }),
    run: async ({ filled, about: endId }, caller) =>
      postNote(app, noteInput.read(filled), await notable(endId, caller), caller),
  });

  const press = definePress({
    actionId: 'add_note',
    answer: 'add',
    right: 'note',
    value: z.string().min(1),
    opens: {
      form,
      async content(endId, caller) {
        await notable(endId, caller);
        return { submit: 'Post note', blocks: [noteInput.show('')] };
      },
    },
  });
  return { press, form };
}

/** The buttons of a summary: watch the customer again, set how the session went, add a note. */
export function createAfterSession(
  app: App,
  outcomes: ReturnType<typeof createOutcomes>,
  followUps: FollowUpForms,
  visitorTools: Showing['visitorTools'],
) {
  /** A session that the caller watched, or could watch now. @throws Answered */
  async function theirs(act: 'outcome' | 'note', endId: string, caller: Caller): Promise<SessionEnd> {
    const end = await outcomes.find(caller.workspaceId, endId);
    if (end === undefined) throw new Answered(sessionTooOld);
    const verdict = await app.mayAct('watch', caller);
    const hasWatched = end.link.userId === caller.userId;
    if (verdict.allowed || (hasWatched && !NEVER.has(verdict.why))) return end;
    await app.recordRefusal(act, verdict.why, caller);
    throw new Answered(followUpRefused);
  }

  /** Says that the session's outcome is that one now. @throws Answered where it can't be */
  async function setOutcome(caller: Caller, endId: string, outcome: SessionOutcome): Promise<Message> {
    await theirs('outcome', endId, caller);
    if (!(await outcomes.choose(caller, endId, outcome))) throw new Answered(sessionTooOld);
    return done([`Outcome set to ${outcomeWords(outcome)}. The summary shows it in a moment.`]);
  }

  const followUpForm = defineForm({
    ...followUps.form,
    callbackId: 'follow_up_form',
    title: 'Follow up',
    right: 'outcome',
    async run({ filled, about }, caller) {
      const [endId] = ChosenOutcome.parse(about);
      return followUps.set(await theirs('outcome', endId, caller), filled, caller);
    },
  });

  const notes = createNotes(app, theirs);
  const presses = [
    /** The button in a message that everyone sees has no address; only the presser gets one that has. */
    definePress({
      actionId: 'watch_again',
      answer: 'add',
      right: 'watch',
      value: z.string().min(1),
      run: withItsTicket(async (visitorId, caller) => {
        const visitor = await lookedUp(app, caller, visitorId);
        return watchOffer(visitor, await visitorTools(caller));
      }),
    }),
    definePress({
      actionId: 'outcome',
      answer: 'add',
      right: 'outcome',
      value: ChosenOutcome,
      opens: {
        form: followUpForm,
        isFor: ([, outcome]) => outcome === 'follow-up',
        content: async ([endId, outcome], caller) =>
          followUps.opened(endId, caller, await setOutcome(caller, endId, outcome)),
      },
      run: ([endId, outcome], caller) => setOutcome(caller, endId, outcome),
    }),
    notes.press,
  ];
  return { presses, forms: [notes.form, followUpForm] };
}
