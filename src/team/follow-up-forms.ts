import type { Button } from '@slack/types';
import { Cron } from 'croner';
import { z } from 'zod';
import type { NewEntry } from '../audit/audit.ts';
import { whereAsked } from '../audit/recording.ts';
import { Answered, type Caller } from '../commands/rights.ts';
import { defineForm, definePress, type Complaints, type Filled } from '../commands/command.ts';
import { inputs } from '../commands/inputs.ts';
import { isForbidden } from '../commands/typed.ts';
import { dayAfter, dayOf, isDay, startOfDay, weekdayOf, zoneOf } from '../messages/days.ts';
import {
  button,
  buttons,
  done,
  lines,
  message,
  notice,
  problem,
  refusal,
  type Message,
} from '../messages/message.ts';
import { unsaved, type FormContent, type Unsaved } from '../messages/modal.ts';
import { date, given, say, short, user, type Line } from '../messages/text.ts';
import type { App } from '../parts.ts';
import { rightUnknown, isChannel } from '../permissions/permissions.ts';
import type { SessionEnd } from '../sessions/session-ends.ts';
import type { Chosen, FollowUp, FollowUps } from './follow-ups.ts';

const HOUR_MS = 60 * 60_000;
const MOST_DAYS = 90;
const LONGEST_LINE = 200;
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday'];

/** When to follow up, as chosen: `day` is a date like 2026-11-03, `time` one like 14:30, for `day` alone. */
export interface When {
  readonly when: 'hour' | 'today' | 'tomorrow' | 'day';
  readonly day?: string;
  readonly time?: string;
}
/** Without a `line` for somebody who isn't shown it. */
type Wanted = When & { readonly line?: string };
const USUAL: Wanted = { when: 'tomorrow', time: '09:00', line: '' };

function nextWorkday(today: string): string {
  const weekday = weekdayOf(today);
  return dayAfter(today, weekday < WEEKDAYS.length ? 1 : 8 - weekday);
}

/** That time on a day, or the first moment after it where the clocks skip it. */
function timeOn(day: string, time: string, zone: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  const clock = new Cron(`0 ${minute} ${hour} * * *`, { timezone: zone, paused: true });
  return clock.nextRun(new Date(startOfDay(day, zone) - 1))?.getTime() ?? Number.NaN;
}

/** When that is by the clocks of a zone, milliseconds since 1970; undefined where it's over, or too far away. */
export function dueAt({ when, day = '', time = '' }: When, zone: string, now: number): number | undefined {
  const today = dayOf(now, zone);
  if (when === 'hour') return now + HOUR_MS;
  if (when === 'tomorrow') return timeOn(nextWorkday(today), '9:00', zone);
  const isKnown = isDay(day) && /^\d{2}:\d{2}$/.test(time) && day <= dayAfter(today, MOST_DAYS);
  if (when === 'day' && !isKnown) return undefined;
  const at = when === 'today' ? timeOn(today, '15:00', zone) : timeOn(day, time, zone);
  return at > now ? at : undefined;
}

/** Without what is over by then, and with the name of the next working day, where it's known by which clock. */
function whenInput(zone?: string, now = 0) {
  const workday = zone && WEEKDAYS[weekdayOf(nextWorkday(dayOf(now, zone))) - 1];
  const isMorning = zone === undefined || dueAt({ when: 'today' }, zone, now) !== undefined;
  return inputs.radios<When['when']>(
    'when',
    'When should I remind you?',
    given([
      ['hour', 'In an hour'],
      isMorning && ['today', 'This afternoon at 3:00 PM'],
      ['tomorrow', `Next working day${workday ? `, ${workday},` : ''} at 9:00 AM`],
      ['day', 'On this day:'],
    ]),
  );
}
const dayInput = inputs.day('day', 'Day', { optional: true });
const timeInput = inputs.time('time', 'Time of that day', { optional: true });
const lineInput = inputs.text('line', 'What to do', {
  hint: 'Shown in the reminder and in lists of follow-ups, nowhere else. Deleted with the follow-up.',
  optional: true,
  most: LONGEST_LINE,
});
const personInput = inputs.person('person', 'Hand to', { hint: 'Somebody who can watch. I’ll tell them.' });

const read = (filled: Filled): Wanted => ({
  when: whenInput().read(filled) ?? USUAL.when,
  day: dayInput.read(filled),
  time: timeInput.read(filled) || USUAL.time,
  line: 'line' in filled ? lineInput.read(filled) : undefined,
});

function complaints(filled: Filled): Complaints {
  const { when, day } = read(filled);
  return {
    day: when === 'day' ? !day && 'Choose the day.' : day && 'Choose “On this day” above, or clear the day.',
  };
}

const handForm = (person = ''): FormContent => ({ submit: 'Hand over', blocks: [personInput.show(person)] });

export const dueLine = (at: Date): Line => ['Due: ', date(at)];
export const quotedLine = ({ line }: FollowUp) => line !== undefined && [`“${short(line, LONGEST_LINE)}”`];

/** What its owner, or an admin, can do with one. @param about the customer, by name where it can be shown */
export function choices({ endId }: FollowUp, about: string): readonly Button[] {
  const choice = (text: string, actionId: string) =>
    button({ text, actionId, value: endId, label: `${text}: follow-up with ${about}` });
  return [
    choice('Done', 'follow_up_done'),
    choice('Later', 'follow_up_later'),
    choice('Hand to…', 'follow_up_hand'),
  ];
}

/** @param owner whose it is, where somebody else set the time */
const followUpSet = (at: number, owner?: string): Message =>
  done(
    say`I’ll remind ${owner === undefined ? 'you' : user(owner)} with a direct message.`,
    dueLine(new Date(at)),
  );

function alreadySet(followUp: FollowUp, { userId }: Caller): Message {
  const isTheirs = followUp.userId === userId;
  const whose = isTheirs ? 'You already have' : say`${user(followUp.userId)} already has`;
  return message(
    lines(say`${whose} this follow-up.`, dueLine(followUp.dueAt)),
    isTheirs && buttons(...choices(followUp, 'this customer')),
  );
}

const outcomeChanged = problem([
  'The outcome isn’t “Follow up” any more, so I won’t remind you. Set it again to choose a time.',
]);
const followUpGone = notice([
  'This follow-up is no longer open, or somebody else has it: it was done, handed on, or the session has another outcome.',
]);
const notYours = ({ userId }: FollowUp): Message =>
  refusal([user(userId), ' has this follow-up. Only they and admins can change it.']);

/** That it was done, for the audit: never what somebody wrote. */
const entryOf = (
  caller: Caller,
  visitorId: string,
  outcome: string,
  detail?: NewEntry['detail'],
): NewEntry => ({
  ...whereAsked(caller),
  visitorId: visitorId || undefined,
  action: 'follow-up',
  outcome,
  detail,
});

const form = { redraws: 'renew', closes: true, right: 'everybody' } as const;
const press = { answer: 'add', right: 'everybody', value: z.string().min(1) } as const;

async function whenForm(app: App, caller: Caller, { when, day = '', time = '', line }: Wanted) {
  // Where Slack doesn't say, sending it in asks again.
  const zone = await app.zoneOf(caller);
  const fields = [whenInput(zone, app.now()).show(when), dayInput.show(day), timeInput.show(time)];
  return { submit: 'Remind me', blocks: line === undefined ? fields : [...fields, lineInput.show(line)] };
}

async function chosen(app: App, filled: Filled, caller: Caller): Promise<Chosen | Unsaved> {
  const wanted = read(filled);
  const complain = async (block: string, words: string) =>
    unsaved(await whenForm(app, caller, wanted), block, words);
  const { line = '', when } = wanted;
  if (isForbidden(line, caller))
    return complain(
      'line',
      'That looks like a watch link. Leave it out: anyone who has it can see the screen.',
    );
  const profile = await app.profileOf(caller.workspaceId, caller.userId).catch(rightUnknown);
  const at = dueAt(wanted, zoneOf(profile), app.now());
  if (at !== undefined) return { dueAt: Math.round(at), line: line || undefined };
  if (when === 'today') return complain('when', 'It’s too late for today. Choose another time.');
  return complain('day', `Choose a time that’s still to come, at most ${MOST_DAYS} days from now.`);
}

/** One that the caller can change. @throws Answered */
async function theirs(app: App, followUps: FollowUps, endId: string, caller: Caller): Promise<FollowUp> {
  const followUp = await followUps.find(caller.workspaceId, endId);
  if (followUp === undefined) throw new Answered(followUpGone);
  if (followUp.userId === caller.userId || (await app.isAdmin(caller))) return followUp;
  await app.recordRefusal('follow-up', 'someone-else', caller);
  throw new Answered(notYours(followUp));
}

async function changed(change: Promise<boolean>): Promise<void> {
  if (!(await change)) throw new Answered(followUpGone);
}

function createChanges(app: App, followUps: FollowUps) {
  const find = (endId: string, caller: Caller) => theirs(app, followUps, endId, caller);
  const mayWatch = async (workspaceId: string, userId: string) =>
    (await app.mayAct('watch', { workspaceId, userId })).allowed;

  const laterForm = defineForm({
    ...form,
    callbackId: 'follow_up_later_form',
    title: 'Follow up later',
    complaints,
    async run({ filled, about }, caller) {
      const followUp = await find(about, caller);
      const choice = await chosen(app, filled, caller);
      if ('complaints' in choice) return choice;
      const line = 'line' in filled ? choice.line : followUp.line;
      const entry = entryOf(caller, followUp.visitorId, 'later', { line: line !== undefined });
      await changed(followUps.later(followUp, { ...choice, line }, entry));
      return followUpSet(choice.dueAt, followUp.userId === caller.userId ? undefined : followUp.userId);
    },
  });

  const handOverForm = defineForm({
    ...form,
    callbackId: 'follow_up_hand_form',
    title: 'Hand over follow-up',
    async run({ filled, about }, caller): Promise<Message | Unsaved> {
      const followUp = await find(about, caller);
      const { workspaceId, userId: by } = caller;
      const to = personInput.read(filled);
      const complain = (words: string) => unsaved(handForm(to), 'person', words);
      if (to === followUp.userId) return complain('They have it already. Choose somebody else.');
      if (!(await mayWatch(workspaceId, to)))
        return complain('They can’t watch, so they can’t take it. Choose somebody else.');
      const entry = entryOf(caller, followUp.visitorId, 'handed', { to });
      await changed(followUps.hand(followUp, { by, to }, entry));
      return done([user(to), ' has this follow-up now. I’m telling them.']);
    },
  });

  const presses = [
    definePress({
      ...press,
      actionId: 'follow_up_done',
      redraws: 'renew',
      async run(endId, caller) {
        const followUp = await find(endId, caller);
        const entry = entryOf(caller, followUp.visitorId, 'done');
        await changed(followUps.done(followUp, entry));
        return done(['Follow-up done.']);
      },
    }),
    definePress({
      ...press,
      actionId: 'follow_up_later',
      opens: {
        form: laterForm,
        async content(endId, caller) {
          const { line = '' } = await find(endId, caller);
          // Whoever can't watch any more isn't shown the customer, whom the line may name.
          const isShown = await mayWatch(caller.workspaceId, caller.userId);
          return whenForm(app, caller, { ...USUAL, line: isShown ? line : undefined });
        },
      },
    }),
    definePress({
      ...press,
      actionId: 'follow_up_hand',
      opens: { form: handOverForm, content: (endId, caller) => find(endId, caller).then(() => handForm()) },
    }),
  ];
  return { presses, forms: [laterForm, handOverForm] };
}

/** Setting a follow-up, and what can be done with it. Rights are checked at each press: buttons stay. */
export function createFollowUpForms(app: App, followUps: FollowUps) {
  return {
    ...createChanges(app, followUps),
    form: { ...form, complaints },

    /** What opens once the outcome is "follow-up". @param said that it is */
    async opened(endId: string, caller: Caller, said: Message): Promise<FormContent | Message> {
      const there = await followUps.find(caller.workspaceId, endId);
      if (there) return alreadySet(there, caller);
      const { submit, blocks } = await whenForm(app, caller, USUAL);
      return { submit, blocks: [...said.blocks, ...blocks] };
    },

    async set({ id: endId, link }: SessionEnd, filled: Filled, caller: Caller): Promise<Message | Unsaved> {
      const { workspaceId, userId, channelId = '' } = caller;
      const choice = await chosen(app, filled, caller);
      if ('complaints' in choice) return choice;
      const { visitorId } = link;
      const where = isChannel(channelId) ? channelId : undefined;
      const entry = entryOf(caller, visitorId, 'set', { line: choice.line !== undefined });
      const followUp = { workspaceId, endId, visitorId, channelId: where, userId, ...choice };
      if (await followUps.set(followUp, entry)) return followUpSet(choice.dueAt);
      const there = await followUps.find(workspaceId, endId);
      return there ? alreadySet(there, caller) : outcomeChanged;
    },
  };
}

export type FollowUpForms = ReturnType<typeof createFollowUpForms>;
