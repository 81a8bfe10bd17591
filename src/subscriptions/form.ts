import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import type { Caller } from '../commands/rights.ts';
import {
  defineForm,
  type Complaints,
  type Filled,
  type Submission,
  definePress,
} from '../commands/command.ts';
import { inputs } from '../commands/inputs.ts';
import { context, type Message } from '../messages/message.ts';
import { answerWords, type FormContent, type Saved } from '../messages/modal.ts';
import { short } from '../messages/text.ts';
import type { App } from '../parts.ts';
import { filterComplaints, filterFields, filtersIn, withHandles } from './filter-fields.ts';
import { noSuchSubscription, type Content } from './messages.ts';
import type { SetUp } from './set-up.ts';
import { REMIND_MINUTES } from './subscribe.ts';
import { kindOf, subscriptionId, weekdayName, type ScheduleRequest } from './subscription.ts';
import { MOST_LISTED } from './waits.ts';

const summaries = inputs.select('content', 'Post summaries', [
  ['full', 'In full'],
  ['short', 'In short'],
  ['thread', 'In short, details in a thread'],
]);
const digests = inputs.select('content', 'Post a digest', [
  ['daily', 'Every day'],
  ['weekdays', 'Monday to Friday'],
  ...Array.from({ length: 7 }, (_, index): [string, string] => [
    `weekly ${index + 1}`,
    `Every ${weekdayName(index + 1)}`,
  ]),
]);
const reminders = [2, REMIND_MINUTES, 10, 30];
const waits = inputs.select(
  'content',
  'If nobody takes a customer',
  reminders.map((minutes) => [String(minutes), `Say so in the thread after ${minutes} minutes`]),
);

interface Shown {
  /** Undefined where none is chosen: if it was opened from a direct message. */
  readonly channelId: string | undefined;
  readonly content?: Content;
}

function formOf({ channelId, content }: Shown, ...rest: readonly KnownBlock[]): FormContent {
  const isDirect = channelId === undefined;
  const channel = inputs.channel('channel', 'Channel', {
    hint: `The app must be in it.${isDirect ? ' If empty, this direct message gets the posts.' : ''}`,
    optional: isDirect,
    placeholder: 'Choose a channel',
  });
  return {
    submit: content === undefined ? 'Set up' : 'Save',
    blocks: [channel.show(channelId), ...rest],
  };
}

function daysOf({ weekday, onWeekdays }: ScheduleRequest): string {
  if (weekday !== undefined) return `weekly ${weekday}`;
  return onWeekdays ? 'weekdays' : 'daily';
}

const timeOf = ({ hour, minute }: ScheduleRequest): string =>
  [hour, minute].map((part) => String(part).padStart(2, '0')).join(':');

/** When to post a digest where. It counts all sessions, so there are no filters. */
async function digestForm(shown: Shown): Promise<FormContent> {
  const { hour = 9, minute = 0, zone, ...days } = shown.content?.schedule ?? {};
  const hint = zone === undefined ? 'Your time zone.' : `Time zone: ${short(zone, 60)}.`;
  const time = inputs.time('time', 'Time', { hint, placeholder: 'Choose a time' });
  const schedule = { hour, minute, ...days };
  return formOf(shown, digests.show(daysOf(schedule)), time.show(timeOf(schedule)));
}

/** Customers who wait, from the service's list. */
async function waitsForm(shown: Shown): Promise<FormContent> {
  return formOf(
    shown,
    waits.show(String(shown.content?.remindMinutes ?? REMIND_MINUTES)),
    ...context(
      `The app asks the co-browsing service once a minute who is online, and sees up to ${MOST_LISTED.toLocaleString('en-US')} customers. It misses anyone beyond that, and anyone whom the service doesn’t report as waiting. Nothing is posted in channels shared with other organizations.`,
    ).blocks,
  );
}

function scheduleIn(filled: Filled): ScheduleRequest | undefined {
  const chosen = digests.read(filled);
  const [, hour, minute] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(filled['time']?.[0] ?? '') ?? [];
  if (hour === undefined || chosen === undefined) return undefined;
  const at = { hour: Number(hour), minute: Number(minute) };
  if (chosen === 'weekdays') return { ...at, onWeekdays: true };
  return chosen === 'daily' ? at : { ...at, weekday: Number(chosen.at(-1)) };
}

function complaints(filled: Filled): Complaints {
  const isDigest = digests.read(filled) !== undefined;
  return {
    time: isDigest && scheduleIn(filled) === undefined && 'Choose when the digest comes.',
    ...filterComplaints(filled),
  };
}

/** If the post is in another channel, the person may not see it, so the form stays open and confirms it itself. */
const inSight = (answer: Message | Saved, channelId: string | undefined, caller: Caller) =>
  channelId === undefined || channelId === caller.channelId ? answer : answerWords(answer);

/** Slack's select doesn't list the direct message with the app. */
const selectable = (channelId: string | undefined) =>
  channelId?.startsWith('D') === true ? undefined : channelId;

const Edited = z.object({ about: subscriptionId, seen: z.coerce.number() });

const common = {
  /** A digest shows the numbers of `usage`, whatever the channel. */
  right: ({ filled }: Submission) => (scheduleIn(filled) === undefined ? 'subscribe' : 'usage'),
  complaints,
  closes: true,
} as const;
const opening = { answer: 'add', right: 'subscribe' } as const;

/** The forms behind "Set up" and "Edit", and the buttons that open them. */
export function createSubscriptionForms({ groupsOf }: Pick<App, 'groupsOf'>, setUp: SetUp) {
  const asked = async (filled: Filled, { workspaceId }: Caller) => ({
    channelId: filled['channel']?.[0],
    form: summaries.read(filled) ?? 'full',
    schedule: scheduleIn(filled),
    remindMinutes: reminders.find((minutes) => waits.read(filled) === String(minutes)),
    filters: await withHandles(filtersIn(filled), () => groupsOf(workspaceId)),
  });

  const summariesForm = async (shown: Shown, { workspaceId }: Caller): Promise<FormContent> =>
    formOf(
      shown,
      summaries.show(shown.content?.form ?? 'full'),
      ...filterFields(shown.content?.filters, await groupsOf(workspaceId)),
    );
  const forms = { summaries: summariesForm, digest: digestForm, waits: waitsForm };

  const newForm = defineForm({
    ...common,
    callbackId: 'new_subscription_form',
    title: 'Set up summaries',
    async run({ filled }, caller) {
      const { schedule, ...request } = await asked(filled, caller);
      const { channelId } = request;
      const answer = await (schedule === undefined
        ? setUp.subscribe(request, caller)
        : setUp.digest(channelId, schedule, caller));
      return inSight(answer, channelId, caller);
    },
  });

  const editForm = defineForm({
    ...common,
    callbackId: 'edit_subscription_form',
    title: 'Edit subscription',
    async run({ filled, ...opened }, caller) {
      const { data } = Edited.safeParse(opened);
      if (data === undefined) return noSuchSubscription();
      const request = { ...(await asked(filled, caller)), version: data.seen };
      return inSight(await setUp.edit(data.about, request, caller), request.channelId, caller);
    },
  });

  const opens = (actionId: string, title: string, content: typeof summariesForm) =>
    definePress({
      ...opening,
      actionId,
      value: z.string(),
      opens: {
        form: newForm,
        content: async (_nothing, caller) => ({
          ...(await content({ channelId: selectable(caller.channelId) }, caller)),
          title,
        }),
      },
    });

  return {
    forms: [newForm, editForm],
    presses: [
      opens('set_up_subscription', 'Set up summaries', forms.summaries),
      opens('set_up_digest', 'Set up a digest', forms.digest),
      opens('set_up_waits', 'Customers waiting', forms.waits),
      definePress({
        ...opening,
        actionId: 'edit_subscription',
        value: subscriptionId,
        opens: {
          form: editForm,
          async content(id, caller) {
            const { subscription: content, version } = await setUp.toEdit(id, caller);
            const shown = { channelId: selectable(content.channelId), content };
            const form = await forms[kindOf(content)](shown, caller);
            return { ...form, seen: String(version) };
          },
        },
      }),
    ],
  };
}
