import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { Caller } from '../commands/rights.ts';
import {
  defineForm,
  definePress,
  type Choice,
  type Complaints,
  type Filled,
  type Submission,
} from '../commands/command.ts';
import { ACTION, SUBSCRIPTION_FORM } from '../messages/action-ids.ts';
import { field, type UserGroup } from '../commands/inputs.ts';
import { plain, short } from '../messages/text.ts';
import type { Message } from '../messages/message.ts';
import { answerWords, type FormContent, type Saved } from '../messages/modal.ts';
import { FORMS } from '../outbox/delivery.ts';
import type { App } from '../parts.ts';
import { filterComplaints, filterFields, filtersIn, withHandles } from './filter-fields.ts';
import { noSuchSubscription, type Content } from './messages.ts';
import type { SetUp } from './set-up.ts';
import { subscriptionId, weekdayName, type ScheduleRequest } from './subscription.ts';

const { input: action_id, channelBlock, contentBlock, timeBlock } = SUBSCRIPTION_FORM;

const USUAL_TIME = '09:00';

const SUMMARIES: readonly Choice[] = [
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

/** What a form shows at first. */
interface Shown {
  /** Undefined where none is chosen: if it was opened from a direct message. */
  readonly channelId: string | undefined;
  /** What an existing subscription has. */
  readonly content?: Content;
}

function contentValue({ form, schedule }: Content): string {
  if (schedule === undefined) return form;
  if (schedule.weekday !== undefined) return `weekly ${schedule.weekday}`;
  return schedule.onWeekdays ? 'weekdays' : 'daily';
}

const timeOf = ({ hour, minute }: ScheduleRequest): string =>
  [hour, minute].map((part) => String(part).padStart(2, '0')).join(':');

/** A form's inputs, after the channel and what to post there. */
function formOf(
  { channelId, content }: Shown,
  label: string,
  choices: readonly Choice[],
  rest: readonly KnownBlock[],
): FormContent {
  const options = choices.map(({ value, text }) => ({ value, text: plain(text) }));
  const value = content === undefined ? choices[0]?.value : contentValue(content);
  const isDirect = channelId === undefined;
  return {
    submit: content === undefined ? 'Set up' : 'Save',
    blocks: [
      field({
        block: channelBlock,
        label: 'Channel',
        hint: `The app must be in it.${isDirect ? ' If empty, this direct message gets the posts.' : ''}`,
        optional: isDirect,
        element: {
          type: 'conversations_select',
          action_id,
          placeholder: plain('Choose a channel'),
          filter: { include: ['public', 'private'] },
          initial_conversation: channelId,
        },
      }),
      field({
        block: contentBlock,
        label,
        element: {
          type: 'static_select',
          action_id,
          options,
          initial_option: options.find((option) => option.value === value),
        },
      }),
      ...rest,
    ],
  };
}

/** Which sessions' summaries to post where, and how. @param groups those to choose from, where Slack lists them */
const summariesForm = (shown: Shown, groups: readonly UserGroup[] | undefined): FormContent =>
  formOf(shown, 'Post summaries', SUMMARIES, filterFields(shown.content?.filters, groups));

/** When to post a digest where. It counts all sessions, so there are no filters. */
function digestForm(shown: Shown): FormContent {
  const { schedule } = shown.content ?? {};
  return formOf(shown, 'Post a digest', DIGESTS, [
    field({
      block: timeBlock,
      label: 'Time',
      hint: schedule === undefined ? 'Your time zone.' : `Time zone: ${short(schedule.zone, 60)}.`,
      element: {
        type: 'timepicker',
        action_id,
        placeholder: plain('Choose a time'),
        initial_time: schedule === undefined ? USUAL_TIME : timeOf(schedule),
      },
    }),
  ]);
}

const words = (filled: Filled, block: string): string => filled[block]?.[0]?.trim() ?? '';

const isDigest = (chosen: string) => DIGESTS.some(({ value }) => value === chosen);

function scheduleIn(filled: Filled): ScheduleRequest | undefined {
  const chosen = words(filled, contentBlock);
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(words(filled, timeBlock)) ?? [];
  if (hour === undefined || !isDigest(chosen)) return undefined;
  const at = { hour: Number(hour), minute: Number(minute) };
  if (chosen === 'weekdays') return { ...at, onWeekdays: true };
  return chosen === 'daily' ? at : { ...at, weekday: Number(chosen.at(-1)) };
}

function complaints(filled: Filled): Complaints {
  const chosen = words(filled, contentBlock);
  const isSummary = FORMS.some((form) => form === chosen);
  return {
    [contentBlock]: !isDigest(chosen) && !isSummary && 'Choose what to post.',
    [timeBlock]: isDigest(chosen) && scheduleIn(filled) === undefined && 'Choose when the digest comes.',
    ...filterComplaints(filled),
  };
}

/** What a form without complaints says, groups without their names. */
const read = (filled: Filled) => ({
  channelId: filled[channelBlock]?.[0],
  form: FORMS.find((form) => form === words(filled, contentBlock)) ?? 'full',
  schedule: scheduleIn(filled),
  filters: filtersIn(filled),
});

/** If the post is in another channel, the person may not see it, so the form stays open and confirms it itself. */
const inSight = (answer: Message | Saved, channelId: string | undefined, caller: Caller) =>
  channelId === undefined || channelId === caller.channelId ? answer : answerWords(answer);

/** Slack's select doesn't list the direct message with the app. */
const selectable = (channelId: string | undefined) =>
  channelId?.startsWith('D') === true ? undefined : channelId;

const Edited = z.object({
  about: subscriptionId,
  seen: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number),
});

const common = {
  /** A digest shows the numbers of `usage`, whatever the channel. */
  right: ({ filled }: Submission) => (scheduleIn(filled) === undefined ? 'subscribe' : 'usage'),
  complaints,
  closes: true,
} as const;
const opening = { answer: 'add', right: 'subscribe' } as const;

/** The forms behind "Set up" and "Edit", and the buttons that open them. */
export function createSubscriptionForms({ groupsOf }: Pick<App, 'groupsOf'>, setUp: SetUp) {
  async function asked(filled: Filled, { workspaceId }: Caller) {
    const request = read(filled);
    return { ...request, filters: await withHandles(request.filters, () => groupsOf(workspaceId)) };
  }

  const newForm = defineForm({
    ...common,
    callbackId: SUBSCRIPTION_FORM.newCallbackId,
    title: 'Set up summaries',
    async run({ filled }, caller) {
      const request = await asked(filled, caller);
      const { channelId, schedule } = request;
      const answer = await (schedule === undefined
        ? setUp.subscribe(request, caller)
        : setUp.digest(channelId, schedule, caller));
      return inSight(answer, channelId, caller);
    },
  });

  const editForm = defineForm({
    ...common,
    callbackId: SUBSCRIPTION_FORM.editCallbackId,
    title: 'Edit subscription',
    async run({ filled, ...opened }, caller) {
      const { data } = Edited.safeParse(opened);
      if (data === undefined) return noSuchSubscription();
      const request = { ...(await asked(filled, caller)), version: data.seen };
      return inSight(await setUp.edit(data.about, request, caller), request.channelId, caller);
    },
  });

  return {
    forms: [newForm, editForm],
    presses: [
      definePress({
        ...opening,
        actionId: ACTION.setUpSubscription,
        value: z.string(),
        opens: {
          form: newForm,
          content: async (_nothing, { workspaceId, channelId }) =>
            summariesForm({ channelId: selectable(channelId) }, await groupsOf(workspaceId)),
        },
      }),
      definePress({
        ...opening,
        actionId: ACTION.setUpDigest,
        value: z.string(),
        opens: {
          form: newForm,
          content: async (_nothing, { channelId }) => ({
            ...digestForm({ channelId: selectable(channelId) }),
            title: 'Set up a digest',
          }),
        },
      }),
      definePress({
        ...opening,
        actionId: ACTION.editSubscription,
        value: subscriptionId,
        opens: {
          form: editForm,
          async content(id, caller) {
            const [{ subscription: content, version }, groups] = await Promise.all([
              setUp.toEdit(id, caller),
              groupsOf(caller.workspaceId),
            ]);
            const shown = { channelId: selectable(content.channelId), content };
            const form = content.schedule === undefined ? summariesForm(shown, groups) : digestForm(shown);
            return { ...form, seen: String(version) };
          },
        },
      }),
    ],
  };
}
