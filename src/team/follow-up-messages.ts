import type { Button } from '@slack/types';
import type { Visitor } from '../cobrowse/schemas.ts';
import { ACTION, FOLLOW_UP_FORM, HOME_ACTION } from '../messages/action-ids.ts';
import { field, personField, plain } from '../messages/form-fields.ts';
import {
  button,
  buttons,
  done,
  heading,
  lines,
  message,
  notice,
  problem,
  refusal,
  type Message,
  type Part,
} from '../messages/message.ts';
import type { FormContent } from '../messages/modal.ts';
import { ticketLine } from '../messages/session-words.ts';
import { bold, channel, code, count, date, link, short, user, type Line } from '../messages/text.ts';
import { detailsButton, tellOnlineElements, withTicket } from '../messages/visitor-buttons.ts';
import { pageOf, presence, visitorName, whoLine } from '../messages/visitor-pieces.ts';
import { MOST_DAYS } from './follow-up-times.ts';
import type { FollowUp, Whose } from './follow-ups.ts';

export const LONGEST_LINE = 200;

/** What was filled in. */
export interface FilledWhen {
  readonly when: string;
  readonly day: string;
  /** "14:30". */
  readonly time: string;
  /** Undefined where it isn't asked for: for somebody who isn't shown it. */
  readonly line: string | undefined;
}

/** What can be chosen now: as far as Slack says by which clock. */
export interface Choosable {
  readonly hasAfternoon: boolean;
  /** "Monday". */
  readonly workday: string | undefined;
}

function whenFields({ when, day, time, line }: FilledWhen, { hasAfternoon, workday }: Choosable) {
  const options = [
    { text: plain('In an hour'), value: 'hour' },
    ...(hasAfternoon ? [{ text: plain('This afternoon at 3:00 PM'), value: 'today' }] : []),
    {
      text: plain(`Next working day${workday === undefined ? '' : `, ${workday},`} at 9:00 AM`),
      value: 'tomorrow',
    },
    { text: plain('On this day:'), value: 'day' },
  ];
  const first = options.find(({ value }) => value === when);
  return [
    field({
      block: FOLLOW_UP_FORM.whenBlock,
      label: 'When should I remind you?',
      element: {
        type: 'radio_buttons',
        action_id: FOLLOW_UP_FORM.input,
        options,
        initial_option: first,
      },
    }),
    field({
      block: FOLLOW_UP_FORM.dayBlock,
      label: 'Day',
      optional: true,
      element: {
        type: 'datepicker',
        action_id: FOLLOW_UP_FORM.input,
        ...(day === '' ? {} : { initial_date: day }),
      },
    }),
    field({
      block: FOLLOW_UP_FORM.timeBlock,
      label: 'Time of that day',
      optional: true,
      element: {
        type: 'timepicker',
        action_id: FOLLOW_UP_FORM.input,
        ...(time === '' ? {} : { initial_time: time }),
      },
    }),
    ...(line === undefined
      ? []
      : [
          field({
            block: FOLLOW_UP_FORM.lineBlock,
            label: 'What to do',
            hint: 'Shown in the reminder and in lists of follow-ups, nowhere else. Deleted with the follow-up.',
            optional: true,
            element: {
              type: 'plain_text_input',
              action_id: FOLLOW_UP_FORM.input,
              max_length: LONGEST_LINE,
              ...(line === '' ? {} : { initial_value: line }),
            },
          }),
        ]),
  ];
}

/** @param said above the fields: what happened so far, or what was wrong */
export const followUpForm = (filled: FilledWhen, choosable: Choosable, said?: Message): FormContent => ({
  submit: 'Remind me',
  blocks: [...(said?.blocks ?? []), ...whenFields(filled, choosable)],
});

/** @param complaint what was wrong, where Slack can't show it beside the field any more */
export const handForm = (person: string, complaint?: string): FormContent => ({
  submit: 'Hand over',
  blocks: [
    ...(complaint === undefined ? [] : problem([complaint]).blocks),
    personField({
      block: FOLLOW_UP_FORM.personBlock,
      actionId: FOLLOW_UP_FORM.input,
      label: 'Hand to',
      hint: 'Somebody who can watch. I’ll tell them.',
      person,
    }),
  ],
});

export const WRONG = {
  noChoice: 'Choose when.',
  noDay: 'Choose the day.',
  dayUnused: 'Choose “On this day” above, or clear the day.',
  tooLateToday: 'It’s too late for today. Choose another time.',
  badDay: `Choose a time that’s still to come, at most ${MOST_DAYS} days from now.`,
  tooLong: `At most ${LONGEST_LINE} characters, please.`,
  watchLink: 'That looks like a watch link. Leave it out: anyone who has it can see the screen.',
  nobody: 'Choose a person.',
  alreadyTheirs: 'They have it already. Choose somebody else.',
  cannotWatch: 'They can’t watch, so they can’t take it. Choose somebody else.',
} as const;

const due = (at: Date): Line => ['Due: ', date(at)];
const quoted = ({ line }: FollowUp): readonly Line[] =>
  line === undefined ? [] : [[`“${short(line, LONGEST_LINE)}”`]];

/** @param owner whose it is, where somebody else set the time */
export const followUpSet = (at: Date, owner?: string): Message =>
  done(['I’ll remind ', owner === undefined ? 'you' : user(owner), ' with a direct message.'], due(at));

/** What its owner, or an admin, can do with one. @param about the customer, by name where it can be shown */
function choices({ endId }: FollowUp, about: string): readonly Button[] {
  const choice = (text: string, actionId: string) =>
    button({ text, actionId, value: endId, label: `${text}: follow-up with ${about}` });
  return [
    choice('Done', ACTION.followUpDone),
    choice('Later', ACTION.followUpLater),
    choice('Hand to…', ACTION.followUpHand),
  ];
}

/** Answers whoever wants to set one where there is one. @param isTheirs whether they have it themselves */
export function alreadySet(followUp: FollowUp, isTheirs: boolean): Message {
  const words = lines(
    isTheirs ? ['You already have this follow-up.'] : [user(followUp.userId), ' already has this follow-up.'],
    due(followUp.dueAt),
  );
  return isTheirs ? message(words, buttons(...choices(followUp, 'this customer'))) : message(words);
}

/** The outcome was changed while the form was open. */
export const outcomeChanged: Message = problem([
  'The outcome isn’t “Follow up” any more, so I won’t remind you. Set it again to choose a time.',
]);

export const followUpGone: Message = notice([
  'This follow-up is no longer open: it’s done, or the session has another outcome.',
]);
export const followUpDone: Message = done(['Follow-up done.']);
export const followUpHanded = (to: string): Message =>
  done([user(to), ' has this follow-up now. I’m telling them.']);
export const notYours = ({ userId }: FollowUp): Message =>
  refusal([user(userId), ' has this follow-up. Only they and admins can change it.']);

/** The direct message about one. @param visitor undefined if the service doesn't say who it is */
export function followUpDue(
  followUp: FollowUp,
  visitor: Visitor | undefined,
  {
    isHanded,
    isDue,
    summaryUrl,
  }: {
    readonly isHanded: boolean;
    readonly isDue: boolean;
    /** The address of the session's summary, if it's known. */
    readonly summaryUrl: string | undefined;
  },
): Message {
  const { visitorId, handedBy, dueAt, ticketUrl } = followUp;
  const name = visitor === undefined ? short(visitorId) || 'a customer' : visitorName(visitor);
  const page = visitor && pageOf(visitor);
  const seenOn: Line = page === undefined ? [] : [' · Page: ', code(page)];
  const watch = button({
    text: 'Watch',
    actionId: ACTION.watchAgain,
    value: withTicket(visitorId, ticketUrl),
    label: `Watch the screen of ${name}`,
  });
  return message(
    lines(
      isHanded && handedBy !== undefined
        ? [user(handedBy), ' handed you a follow-up with ', bold(name), '.']
        : ['Time to follow up with ', bold(name), '.'],
      ...quoted(followUp),
      ...ticketLine(ticketUrl, false),
      ...(isDue ? [] : [due(dueAt)]),
      ...(visitor === undefined ? [] : [whoLine(visitor), [...presence(visitor), ...seenOn]]),
      ...(summaryUrl === undefined ? [] : [[link(summaryUrl, 'Summary of the session')]]),
    ),
    buttons(
      ...choices(followUp, name),
      ...(visitor === undefined
        ? []
        : [...tellOnlineElements(visitor, {}), watch, detailsButton(visitor, ticketUrl)]),
    ),
  );
}

/** The same for somebody who can't watch any more: nothing that says who the customer is. */
export function followUpDueUnseen(followUp: FollowUp, isHanded: boolean): Message {
  return message(
    lines(
      [isHanded ? 'You got a follow-up.' : 'A follow-up of yours is due.'],
      ['You don’t have permission to watch, so I can’t show the customer. Hand it to somebody who can.'],
    ),
    buttons(...choices(followUp, 'a customer')),
  );
}

/** Some follow-ups, with who the customers are. */
export interface FollowUpList {
  readonly followUps: readonly FollowUp[];
  /** By visitor id; those that the service doesn't know are missing. */
  readonly names: ReadonlyMap<string, string>;
  /** Whether there are more after them. */
  readonly hasMore: boolean;
  readonly now: number;
  /** Who reads it. */
  readonly reader: { readonly userId: string; readonly isAdmin: boolean };
}

function rowOf(followUp: FollowUp, { names, now, reader }: FollowUpList): readonly Part[] {
  const { visitorId, userId, handedBy, dueAt } = followUp;
  const name = names.get(visitorId) ?? (short(visitorId, 60) || 'a customer');
  const isTheirs = userId === reader.userId;
  const from: Line = handedBy === undefined || handedBy === userId ? [] : [' · from ', user(handedBy)];
  const when: Line = [...(dueAt.getTime() <= now ? [bold('Overdue'), ' · '] : []), ...due(dueAt)];
  return [
    lines(
      [bold(name), ' · ', ...when, ...(isTheirs ? [] : [' · ', user(userId)]), ...from],
      ...quoted(followUp),
      ...ticketLine(followUp.ticketUrl, false),
    ),
    ...(isTheirs || reader.isAdmin ? [buttons(...choices(followUp, name))] : []),
  ];
}

const followUpRows = (all: FollowUpList): readonly Part[] =>
  all.followUps.flatMap((followUp) => rowOf(followUp, all));

/** Whose a list is, as its heading says it. */
function title(whose: Whose, reader: string): readonly Part[] {
  if ('channelId' in whose) return [heading('Follow-ups'), lines(['Set in ', channel(whose.channelId)])];
  const [userId = reader] = whose.userIds;
  return userId === reader
    ? [heading('Your follow-ups')]
    : [heading('Follow-ups'), lines(['Of ', user(userId)])];
}

/** @param more the value of the button that leads to the next page; undefined on the last */
export function followUpList(all: FollowUpList, whose: Whose, more: string | undefined): Message {
  const none = lines(['No follow-ups. Choose the outcome “Follow up” below a session’s summary to set one.']);
  return message(
    ...title(whose, all.reader.userId),
    ...(all.followUps.length === 0 ? [none] : followUpRows(all)),
    ...(more === undefined
      ? []
      : [
          buttons(
            button({
              text: 'More',
              actionId: ACTION.moreFollowUps,
              value: more,
              label: 'More follow-ups',
            }),
          ),
        ]),
  );
}

/** Those of others are for themselves and admins. */
export const othersRefused: Message = refusal(
  ['Only admins can see other people’s follow-ups.'],
  ['Type ', code('/cobrowse followups'), ' for yours.'],
);
export const channelRefused = (channelId: string): Message =>
  refusal(['Only people in ', channel(channelId), ' can see its follow-ups, or Slack didn’t say who is.']);

/** What Home shows: the reader's own, and for admins those of people who left. */
export interface FollowUpsNow {
  readonly own: FollowUpList;
  readonly left: FollowUpList | undefined;
}

/** Empty where there are none. */
export function ownFollowUpParts({ own }: FollowUpsNow): readonly Part[] {
  if (own.followUps.length === 0) return [];
  const all = button({
    text: 'All follow-ups',
    actionId: HOME_ACTION.followUps,
    value: `<@${own.reader.userId}>`,
    label: 'All follow-ups',
  });
  return [heading('Follow-ups'), ...followUpRows(own), buttons(all)];
}

export function leftFollowUpParts({ left }: FollowUpsNow): readonly Part[] {
  if (left === undefined || left.followUps.length === 0) return [];
  const rest = left.hasMore
    ? [lines([`${count(left.followUps.length, 'follow-up')} shown. Hand these on to see more.`])]
    : [];
  return [heading('Follow-ups of people who left'), ...followUpRows(left), ...rest];
}
