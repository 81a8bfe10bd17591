import type { Button } from '@slack/types';
import type { Visitor } from '../cobrowse/schemas.ts';
import { ACTION, FOLLOW_UP_FORM, HOME_ACTION } from '../messages/action-ids.ts';
import { field, personField, textField } from '../commands/inputs.ts';
import {
  bold,
  channel,
  code,
  count,
  date,
  given,
  link,
  plain,
  say,
  short,
  user,
  type Line,
} from '../messages/text.ts';
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
import {
  detailsButton,
  pageOf,
  presence,
  tellOnlineElements,
  visitorName,
  whoLine,
  withTicket,
} from '../messages/visitor-pieces.ts';
import type { FollowUp, Whose } from './follow-ups.ts';

export const LONGEST_LINE = 200;

/** What was filled in, the time like "14:30". `line` is undefined for somebody who isn't shown it. */
export interface FilledWhen {
  readonly when?: string;
  readonly day?: string;
  readonly time?: string;
  readonly line?: string;
}

/** What can be chosen now, as far as Slack says by which clock; the next working day as "Monday". */
interface Choosable {
  readonly hasAfternoon: boolean;
  readonly workday: string | undefined;
}

/** @param said above the fields: what happened so far, or what was wrong */
export function followUpForm(
  { when, day, time, line }: FilledWhen,
  { hasAfternoon, workday }: Choosable,
  said?: Message,
): FormContent {
  const { whenBlock, dayBlock, timeBlock, lineBlock, input } = FOLLOW_UP_FORM;
  const options = given([
    { text: plain('In an hour'), value: 'hour' },
    hasAfternoon && { text: plain('This afternoon at 3:00 PM'), value: 'today' },
    { text: plain(`Next working day${workday ? `, ${workday},` : ''} at 9:00 AM`), value: 'tomorrow' },
    { text: plain('On this day:'), value: 'day' },
  ]);
  const initial_option = options.find(({ value }) => value === when);
  return {
    submit: 'Remind me',
    blocks: given([
      ...(said?.blocks ?? []),
      field({
        block: whenBlock,
        label: 'When should I remind you?',
        element: { type: 'radio_buttons', action_id: input, options: [...options], initial_option },
      }),
      field({
        block: dayBlock,
        label: 'Day',
        optional: true,
        element: { type: 'datepicker', action_id: input, initial_date: day || undefined },
      }),
      field({
        block: timeBlock,
        label: 'Time of that day',
        optional: true,
        element: { type: 'timepicker', action_id: input, initial_time: time || undefined },
      }),
      line !== undefined &&
        textField({
          block: lineBlock,
          actionId: input,
          label: 'What to do',
          hint: 'Shown in the reminder and in lists of follow-ups, nowhere else. Deleted with the follow-up.',
          optional: true,
          most: LONGEST_LINE,
          text: line,
        }),
    ]),
  };
}

/** @param complaint what was wrong, where Slack can't show it beside the field any more */
export const handForm = (person = '', complaint?: string): FormContent => ({
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

const due = (at: Date): Line => ['Due: ', date(at)];
const quoted = ({ line }: FollowUp) => line !== undefined && [`“${short(line, LONGEST_LINE)}”`];

/** @param owner whose it is, where somebody else set the time */
export const followUpSet = (at: number, owner?: string): Message =>
  done(
    say`I’ll remind ${owner === undefined ? 'you' : user(owner)} with a direct message.`,
    due(new Date(at)),
  );

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
  const whose = isTheirs ? 'You already have' : say`${user(followUp.userId)} already has`;
  return message(
    lines(say`${whose} this follow-up.`, due(followUp.dueAt)),
    isTheirs && buttons(...choices(followUp, 'this customer')),
  );
}

/** The outcome was changed while the form was open. */
export const outcomeChanged = problem([
  'The outcome isn’t “Follow up” any more, so I won’t remind you. Set it again to choose a time.',
]);
export const followUpGone = notice([
  'This follow-up is no longer open: it’s done, or the session has another outcome.',
]);
export const followUpDone = done(['Follow-up done.']);
export const followUpHanded = (to: string): Message =>
  done([user(to), ' has this follow-up now. I’m telling them.']);
export const notYours = ({ userId }: FollowUp): Message =>
  refusal([user(userId), ' has this follow-up. Only they and admins can change it.']);
/** Those of others are for themselves and admins. */
export const othersRefused = refusal(
  ['Only admins can see other people’s follow-ups.'],
  ['Type ', code('/cobrowse followups'), ' for yours.'],
);
export const channelRefused = (channelId: string): Message =>
  refusal(['Only people in ', channel(channelId), ' can see its follow-ups, or Slack didn’t say who is.']);

/**
 * The direct message about one.
 *
 * @param visitor undefined if the service doesn't say who it is
 * @param summaryUrl the address of the session's summary, if it's known
 */
export function followUpDue(
  followUp: FollowUp,
  visitor: Visitor | undefined,
  { isHanded, isDue, summaryUrl }: { isHanded: boolean; isDue: boolean; summaryUrl: string | undefined },
): Message {
  const { visitorId, handedBy, dueAt, ticketUrl } = followUp;
  const name = visitor === undefined ? short(visitorId) || 'a customer' : visitorName(visitor);
  const page = visitor && pageOf(visitor);
  const watch = button({
    text: 'Watch',
    actionId: ACTION.watchAgain,
    value: withTicket(visitorId, ticketUrl),
    label: `Watch the screen of ${name}`,
  });
  return message(
    lines(
      isHanded && handedBy !== undefined
        ? say`${user(handedBy)} handed you a follow-up with ${bold(name)}.`
        : say`Time to follow up with ${bold(name)}.`,
      quoted(followUp),
      ...ticketLine(ticketUrl, false),
      !isDue && due(dueAt),
      visitor && whoLine(visitor),
      visitor && say`${presence(visitor)}${page !== undefined && say` · Page: ${code(page)}`}`,
      summaryUrl !== undefined && [link(summaryUrl, 'Summary of the session')],
    ),
    buttons(
      ...choices(followUp, name),
      ...(visitor ? [...tellOnlineElements(visitor, {}), watch, detailsButton(visitor, ticketUrl)] : []),
    ),
  );
}

/** The same for somebody who can't watch any more: nothing that says who the customer is. */
export const followUpDueUnseen = (followUp: FollowUp, isHanded: boolean): Message =>
  message(
    lines(
      [isHanded ? 'You got a follow-up.' : 'A follow-up of yours is due.'],
      ['You don’t have permission to watch, so I can’t show the customer. Hand it to somebody who can.'],
    ),
    buttons(...choices(followUp, 'a customer')),
  );

/** Some follow-ups, the customers' names by id as far as the service knows them, and who reads it when. */
export interface FollowUpList {
  readonly followUps: readonly FollowUp[];
  readonly names: ReadonlyMap<string, string>;
  readonly hasMore: boolean;
  readonly now: number;
  readonly reader: { readonly userId: string; readonly isAdmin: boolean };
}

const rows = ({ followUps, names, now, reader }: FollowUpList): readonly Part[] =>
  followUps.flatMap((followUp) => {
    const { visitorId, userId, handedBy, dueAt, ticketUrl } = followUp;
    const name = names.get(visitorId) ?? (short(visitorId, 60) || 'a customer');
    const isTheirs = userId === reader.userId;
    const overdue = dueAt.getTime() <= now && say`${bold('Overdue')} · `;
    const owner = !isTheirs && say` · ${user(userId)}`;
    const from = handedBy !== undefined && handedBy !== userId && say` · from ${user(handedBy)}`;
    return given([
      lines(
        say`${bold(name)} · ${overdue}${due(dueAt)}${owner}${from}`,
        quoted(followUp),
        ...ticketLine(ticketUrl, false),
      ),
      (isTheirs || reader.isAdmin) && buttons(...choices(followUp, name)),
    ]);
  });

/** @param more the value of the button that leads to the next page; undefined on the last */
export function followUpList(list: FollowUpList, whose: Whose, more: string | undefined): Message {
  const isOwn = 'userIds' in whose && whose.userIds[0] === list.reader.userId;
  const others: Line =
    'userIds' in whose ? ['Of ', user(whose.userIds[0] ?? '')] : ['Set in ', channel(whose.channelId)];
  const none = ['No follow-ups. Choose the outcome “Follow up” below a session’s summary to set one.'];
  return message(
    heading(isOwn ? 'Your follow-ups' : 'Follow-ups'),
    !isOwn && lines(others),
    list.followUps.length === 0 && lines(none),
    ...rows(list),
    more !== undefined &&
      buttons(
        button({ text: 'More', actionId: ACTION.moreFollowUps, value: more, label: 'More follow-ups' }),
      ),
  );
}

/** Home's section of one's own; empty where there are none. */
export function ownFollowUps(own: FollowUpList): readonly Part[] {
  if (own.followUps.length === 0) return [];
  const all = button({
    text: 'All follow-ups',
    actionId: HOME_ACTION.followUps,
    value: `<@${own.reader.userId}>`,
    label: 'All follow-ups',
  });
  return [heading('Follow-ups'), ...rows(own), buttons(all)];
}

/** For admins. */
export function followUpsOfWhoLeft(left: FollowUpList): readonly Part[] {
  if (left.followUps.length === 0) return [];
  const shown = count(left.followUps.length, 'follow-up');
  return given([
    heading('Follow-ups of people who left'),
    ...rows(left),
    left.hasMore && lines([`${shown} shown. Hand these on to see more.`]),
  ]);
}
