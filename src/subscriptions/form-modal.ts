import type { KnownBlock } from '@slack/types';
import type { Choice } from '../commands/shortcut.ts';
import { SUBSCRIPTION_FORM } from '../messages/action-ids.ts';
import { field, groupsFields, type UserGroup } from '../messages/form-fields.ts';
import type { FormContent } from '../messages/modal.ts';
import { short } from '../messages/text.ts';
import type { Content } from './messages.ts';
import { MOST_OF_A_KIND } from './subscribe.ts';
import { weekdayName, type Filters } from './subscription.ts';
import type { Form } from '../outbox/kind.ts';

const LONGEST_TAGS = 700;
const USUAL_TIME = '09:00';

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false }) as const;

const SUMMARIES: readonly (Choice & { readonly value: Form })[] = [
  { value: 'full', text: 'In full' },
  { value: 'short', text: 'In short' },
  { value: 'thread', text: 'In short, details in a thread' },
];
const DIGESTS: readonly Choice[] = [
  { value: 'daily', text: 'Every day' },
  { value: 'weekdays', text: 'Monday to Friday' },
  ...Array.from({ length: 7 }, (_, index) => ({
    value: `weekly ${index + 1}`,
    text: `Every ${weekdayName(index + 1)}`,
  })),
];

interface SubscriptionFormOptions {
  /** The channel chosen at first; undefined if the form was opened from a direct message. */
  readonly channelId: string | undefined;
  /** What an existing subscription has. */
  readonly content?: Content;
}

interface SummariesFormOptions extends SubscriptionFormOptions {
  /** The user groups to choose from; undefined where Slack doesn't list them. */
  readonly groups: readonly UserGroup[] | undefined;
}

function contentValue({ form, schedule }: Content): string {
  if (schedule === undefined) return form;
  if (schedule.weekday !== undefined) return `weekly ${schedule.weekday}`;
  return schedule.onWeekdays ? 'weekdays' : 'daily';
}

function timeOf({ hour, minute }: NonNullable<Content['schedule']>): string {
  return [hour, minute].map((part) => String(part).padStart(2, '0')).join(':');
}

/** As the form's input takes it: "90s", "5m". */
const lengthOf = (seconds: number): string => (seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`);

function channelField(channelId: string | undefined): KnownBlock {
  return field({
    block: SUBSCRIPTION_FORM.channelBlock,
    label: 'Channel',
    hint:
      channelId === undefined
        ? 'The app must be in it. If empty, this direct message gets the posts.'
        : 'The app must be in it.',
    optional: channelId === undefined,
    element: {
      type: 'conversations_select',
      action_id: SUBSCRIPTION_FORM.input,
      placeholder: plain('Choose a channel'),
      filter: { include: ['public', 'private'] },
      initial_conversation: channelId,
    },
  });
}

function contentField(label: string, choices: readonly Choice[], content: Content | undefined): KnownBlock {
  const options = choices.map(({ value, text }) => ({ value, text: plain(text) }));
  const [first] = options;
  const chosen = content === undefined ? first : options.find(({ value }) => value === contentValue(content));
  return field({
    block: SUBSCRIPTION_FORM.contentBlock,
    label,
    element: {
      type: 'static_select',
      action_id: SUBSCRIPTION_FORM.input,
      options,
      initial_option: chosen,
    },
  });
}

function timeField(schedule: Content['schedule']): KnownBlock {
  return field({
    block: SUBSCRIPTION_FORM.timeBlock,
    label: 'Time',
    hint: schedule === undefined ? 'Your time zone.' : `Time zone: ${short(schedule.zone, 60)}.`,
    element: {
      type: 'timepicker',
      action_id: SUBSCRIPTION_FORM.input,
      placeholder: plain('Choose a time'),
      initial_time: schedule === undefined ? USUAL_TIME : timeOf(schedule),
    },
  });
}

/** Which sessions. @param filters what is chosen now @param groups the user groups to choose from; undefined where Slack doesn't list them */
export function filterFields(
  filters: Filters | undefined,
  groups: readonly UserGroup[] | undefined,
): readonly KnownBlock[] {
  const { agents = [], groups: chosen = [], tags = [], minSeconds } = filters ?? {};
  const typedTags = tags.join(', ');
  return [
    field({
      block: SUBSCRIPTION_FORM.peopleBlock,
      label: 'Only sessions by these people',
      optional: true,
      element: {
        type: 'multi_users_select',
        action_id: SUBSCRIPTION_FORM.input,
        placeholder: plain('Everyone'),
        max_selected_items: MOST_OF_A_KIND,
        ...(agents.length === 0 ? {} : { initial_users: [...agents] }),
      },
    }),
    ...groupsFields({
      block: SUBSCRIPTION_FORM.groupsBlock,
      actionId: SUBSCRIPTION_FORM.input,
      label: 'Or by these user groups',
      ids: chosen.map(({ id }) => id),
      listed: groups,
    }),
    field({
      block: SUBSCRIPTION_FORM.tagsBlock,
      label: 'Only customers with one of these tags',
      hint: 'Separate tags with commas, for example: vip, gold.',
      optional: true,
      element: {
        type: 'plain_text_input',
        action_id: SUBSCRIPTION_FORM.input,
        max_length: LONGEST_TAGS,
        ...(typedTags === '' ? {} : { initial_value: typedTags }),
      },
    }),
    field({
      block: SUBSCRIPTION_FORM.lengthBlock,
      label: 'Shortest session',
      hint: 'For example 5m, 90s or 1h.',
      optional: true,
      element: {
        type: 'plain_text_input',
        action_id: SUBSCRIPTION_FORM.input,
        max_length: 20,
        ...(minSeconds === undefined ? {} : { initial_value: lengthOf(minSeconds) }),
      },
    }),
  ];
}

const submitOf = (content: Content | undefined) => (content === undefined ? 'Set up' : 'Save');

/** Which sessions' summaries to post where, and how: for a new subscription, or filled in with an existing one. */
export function summariesForm(options: SummariesFormOptions): FormContent {
  const { channelId, content, groups } = options;
  return {
    submit: submitOf(content),
    blocks: [
      channelField(channelId),
      contentField('Post summaries', SUMMARIES, content),
      ...filterFields(content?.filters, groups),
    ],
  };
}

/** When to post a digest where. It counts all sessions, so there are no filters. */
export function digestForm({ channelId, content }: SubscriptionFormOptions): FormContent {
  return {
    submit: submitOf(content),
    blocks: [
      channelField(channelId),
      contentField('Post a digest', DIGESTS, content),
      timeField(content?.schedule),
    ],
  };
}
