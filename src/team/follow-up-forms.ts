import { z } from 'zod';
import type { NewEntry } from '../audit/audit.ts';
import type { Caller, Viewer } from '../commands/caller.ts';
import { defineForm, type Filled } from '../commands/form.ts';
import { definePress } from '../commands/press.ts';
import type { RecordRefusal } from '../commands/rights.ts';
import { isForbidden } from '../commands/typed.ts';
import { weekdayOf, zoneOf as zoneIn, type PersonalZone } from '../messages/days.ts';
import { ACTION, FOLLOW_UP_FORM } from '../messages/action-ids.ts';
import { problem, type Message } from '../messages/message.ts';
import type { FormContent, Unsaved } from '../messages/modal.ts';
import { rightUnknown, type MayAct } from '../permissions/acts.ts';
import { isChannel } from '../permissions/slack-ids.ts';
import {
  LONGEST_LINE,
  WRONG,
  alreadySet,
  followUpDone,
  followUpForm,
  followUpGone,
  followUpHanded,
  followUpSet,
  handForm,
  notYours,
  outcomeChanged,
  type FilledWhen,
} from './follow-up-messages.ts';
import { dueAt, nextWorkday, thisAfternoon, type When } from './follow-up-times.ts';
import type { FollowUp, FollowUps, NewFollowUp } from './follow-ups.ts';
import type { SessionEnd } from '../sessions/session-ends.ts';

function filledWhen(filled: Filled): FilledWhen {
  const first = (block: string) => (filled[block]?.[0] ?? '').trim();
  return {
    when: first(FOLLOW_UP_FORM.whenBlock),
    day: first(FOLLOW_UP_FORM.dayBlock),
    time: first(FOLLOW_UP_FORM.timeBlock),
    line: filled[FOLLOW_UP_FORM.lineBlock] === undefined ? undefined : first(FOLLOW_UP_FORM.lineBlock),
  };
}

function complaintsAbout({ when, day, line }: FilledWhen): Readonly<Record<string, string>> {
  const { whenBlock, dayBlock, lineBlock } = FOLLOW_UP_FORM;
  return {
    ...(when === '' ? { [whenBlock]: WRONG.noChoice } : {}),
    ...(when === 'day' && day === '' ? { [dayBlock]: WRONG.noDay } : {}),
    ...(when !== 'day' && day !== '' ? { [dayBlock]: WRONG.dayUnused } : {}),
    ...(line !== undefined && line.length > LONGEST_LINE ? { [lineBlock]: WRONG.tooLong } : {}),
  };
}

const USUAL_TIME = '09:00';
const NOTHING: FilledWhen = { when: 'tomorrow', day: '', time: USUAL_TIME, line: '' };
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'];

function whenOf({ when, day, time }: FilledWhen): When {
  if (when === 'day') return { is: 'day', day, time: time || USUAL_TIME };
  if (when === 'hour') return { is: 'hour' };
  return { is: when === 'today' ? 'afternoon' : 'workday' };
}

/** That it was done, for the audit: never what somebody wrote. */
const entryOf = (
  { workspaceId, userId, channelId }: Caller,
  visitorId: string,
  outcome: string,
  detail?: NewEntry['detail'],
): NewEntry => ({
  workspaceId,
  userId,
  channelId,
  ...(visitorId === '' ? {} : { visitorId }),
  action: 'follow-up',
  outcome,
  detail,
});

/** When it's due, and the line. */
type Chosen = Pick<NewFollowUp, 'dueAt' | 'line'>;

/**
 * Setting a follow-up, and what can be done with one: Done, Later, Hand to…, for whoever has it and for admins. Asked when
 * it's done, since the buttons stay in direct messages.
 */
export function createFollowUpForms({
  followUps,
  profileOf,
  mayAct,
  isAdmin,
  recordRefusal,
  now,
}: {
  readonly followUps: FollowUps;
  /** Rejects if Slack can't be asked. */
  readonly profileOf: (workspaceId: string, userId: string) => Promise<PersonalZone>;
  readonly mayAct: MayAct;
  /** Rejects with a RightUnknownError if Slack can't be asked. */
  readonly isAdmin: (who: Viewer) => Promise<boolean>;
  readonly recordRefusal: RecordRefusal;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}) {
  const zoneOf = async ({ workspaceId, userId }: Caller): Promise<string> =>
    zoneIn(await profileOf(workspaceId, userId).catch(rightUnknown));

  /** The fields, empty or as filled in. @param said above them */
  async function formFor(caller: Caller, filled?: FilledWhen, said?: Message): Promise<FormContent> {
    // Where Slack doesn't say, sending it in asks again.
    const zone = await zoneOf(caller).catch(() => undefined);
    const choosable = {
      hasAfternoon: zone === undefined || thisAfternoon(zone, now()) !== undefined,
      workday: zone && WEEKDAYS[weekdayOf(nextWorkday(zone, now())) - 1],
    };
    return followUpForm(filled ?? NOTHING, choosable, said);
  }

  async function chosen(filled: FilledWhen, caller: Caller): Promise<Chosen | Unsaved> {
    const complain = async (block: string, words: string): Promise<Unsaved> => ({
      complaints: { [block]: words },
      again: await formFor(caller, filled, problem([words])),
    });
    const { line = '' } = filled;
    if (isForbidden(line, caller)) return complain(FOLLOW_UP_FORM.lineBlock, WRONG.watchLink);
    const when = whenOf(filled);
    const at = dueAt(when, await zoneOf(caller), now());
    if (at === undefined)
      return when.is === 'afternoon'
        ? complain(FOLLOW_UP_FORM.whenBlock, WRONG.tooLateToday)
        : complain(FOLLOW_UP_FORM.dayBlock, WRONG.badDay);
    return { dueAt: Math.round(at), line: line === '' ? undefined : line };
  }

  /** Does something with one, for whoever has it and for admins. */
  async function ifTheirs<Done>(
    endId: string,
    caller: Caller,
    work: (followUp: FollowUp) => Promise<Done>,
  ): Promise<Done | Message> {
    const followUp = await followUps.find(caller.workspaceId, endId);
    if (followUp === undefined) return followUpGone;
    if (followUp.userId === caller.userId || (await isAdmin(caller))) return work(followUp);
    await recordRefusal('follow-up', 'someone-else', caller);
    return notYours(followUp);
  }

  /** What is said where somebody else was faster. */
  async function changedMeanwhile(endId: string, { workspaceId }: Caller): Promise<Message> {
    const followUp = await followUps.find(workspaceId, endId);
    return followUp === undefined ? followUpGone : notYours(followUp);
  }

  const common = {
    busy: 'Saving…',
    redraws: 'renew',
    closes: true,
    right: 'everybody',
  } as const;

  const laterForm = defineForm({
    ...common,
    callbackId: FOLLOW_UP_FORM.laterCallbackId,
    title: 'Follow up later',
    complaints: (filled) => complaintsAbout(filledWhen(filled)),
    run: ({ filled, about: endId }, caller) =>
      ifTheirs(endId, caller, async (followUp) => {
        const when = filledWhen(filled);
        const choice = await chosen(when, caller);
        if ('complaints' in choice) return choice;
        const line = when.line === undefined ? followUp.line : choice.line;
        const entry = entryOf(caller, followUp.visitorId, 'later', { line: line !== undefined });
        const isDone = await followUps.later(caller.workspaceId, followUp, { ...choice, line }, entry);
        if (!isDone) return changedMeanwhile(endId, caller);
        const owner = followUp.userId === caller.userId ? undefined : followUp.userId;
        return followUpSet(new Date(choice.dueAt), owner);
      }),
  });

  const handOverForm = defineForm({
    ...common,
    callbackId: FOLLOW_UP_FORM.handCallbackId,
    title: 'Hand over follow-up',
    complaints: (filled): Readonly<Record<string, string>> =>
      filled[FOLLOW_UP_FORM.personBlock]?.[0] === undefined
        ? { [FOLLOW_UP_FORM.personBlock]: WRONG.nobody }
        : {},
    run: ({ filled, about: endId }, caller) =>
      ifTheirs(endId, caller, async (followUp): Promise<Message | Unsaved> => {
        const { workspaceId, userId: by } = caller;
        const to = filled[FOLLOW_UP_FORM.personBlock]?.[0] ?? '';
        const complain = (words: string): Unsaved => ({
          complaints: { [FOLLOW_UP_FORM.personBlock]: words },
          again: handForm(to, words),
        });
        if (to === followUp.userId) return complain(WRONG.alreadyTheirs);
        const { allowed } = await mayAct('watch', { workspaceId, userId: to });
        if (!allowed) return complain(WRONG.cannotWatch);
        const entry = entryOf(caller, followUp.visitorId, 'handed', { to });
        const isDone = await followUps.hand(workspaceId, followUp, { by, to }, entry);
        return isDone ? followUpHanded(to) : changedMeanwhile(endId, caller);
      }),
  });

  const press = { answer: 'add', right: 'everybody', value: z.string().min(1) } as const;
  const presses = [
    definePress({
      ...press,
      actionId: ACTION.followUpDone,
      redraws: 'renew',
      run: (endId, caller) =>
        ifTheirs(endId, caller, async (followUp) => {
          const entry = entryOf(caller, followUp.visitorId, 'done');
          const isDone = await followUps.done(caller.workspaceId, followUp, entry);
          return isDone ? followUpDone : changedMeanwhile(endId, caller);
        }),
    }),
    definePress({
      ...press,
      actionId: ACTION.followUpLater,
      opens: {
        form: laterForm,
        content: (endId, caller) =>
          ifTheirs(endId, caller, async ({ line = '' }) => {
            const { workspaceId, userId } = caller;
            // Whoever can't watch any more isn't shown the customer, whom the line may name.
            const { allowed } = await mayAct('watch', { workspaceId, userId });
            return formFor(caller, { ...NOTHING, line: allowed ? line : undefined });
          }),
      },
    }),
    definePress({
      ...press,
      actionId: ACTION.followUpHand,
      opens: {
        form: handOverForm,
        content: (endId, caller) => ifTheirs(endId, caller, async (): Promise<FormContent> => handForm('')),
      },
    }),
  ];

  return {
    presses,
    forms: [laterForm, handOverForm],

    /** What opens once the outcome is "follow-up". @param said that it is */
    async opened(endId: string, caller: Caller, said: Message): Promise<FormContent | Message> {
      const there = await followUps.find(caller.workspaceId, endId);
      return there === undefined
        ? formFor(caller, undefined, said)
        : alreadySet(there, there.userId === caller.userId);
    },

    /** Sets one of a session as filled in. */
    async set({ id: endId, link }: SessionEnd, filled: Filled, caller: Caller): Promise<Message | Unsaved> {
      const { workspaceId, userId, channelId = '' } = caller;
      const choice = await chosen(filledWhen(filled), caller);
      if ('complaints' in choice) return choice;
      const { visitorId } = link;
      const where = isChannel(channelId) ? channelId : undefined;
      const entry = entryOf(caller, visitorId, 'set', { line: choice.line !== undefined });
      const followUp = { workspaceId, endId, visitorId, channelId: where, userId, ...choice };
      if (await followUps.set(followUp, entry)) return followUpSet(new Date(choice.dueAt));
      const there = await followUps.find(workspaceId, endId);
      return there === undefined ? outcomeChanged : alreadySet(there, there.userId === userId);
    },

    complaints: (filled: Filled) => complaintsAbout(filledWhen(filled)),
    common,
  };
}
