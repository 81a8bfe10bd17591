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
import { filterComplaints, filterFields, filtersIn } from './filter-fields.ts';
import { noSuchSubscription } from './messages.ts';
import type { SetUp } from './set-up.ts';
import { REMIND_MINUTES } from './subscribe.ts';
import {
  isDirect,
  kindOf,
  subscriptionId,
  weekdayName,
  type Content,
  type ScheduleRequest,
} from './subscription.ts';
import { MOST_LISTED } from './waits.ts';

const summaries = inputs.select('content', 'Post summaries', [
  ['full', 'In full'],
  ['short', 'In short'],
  ['thread', 'In short, details in a thread'],
]);
type Days = Pick<ScheduleRequest, 'weekday' | 'onWeekdays'>;
const DAYS: readonly (readonly [value: string, words: string, days: Days])[] = [
  ['daily', 'Every day', {}],
  ['weekdays', 'Monday to Friday', { onWeekdays: true }],
  ...[1, 2, 3, 4, 5, 6, 7].map(
    (weekday) => [`weekly ${weekday}`, `Every ${weekdayName(weekday)}`, { weekday }] as const,
  ),
];
const digests = inputs.select(
  'content',
  'Post a digest',
  DAYS.map(([value, words]) => [value, words]),
);
const timeInput = (zone?: string) =>
  inputs.time('time', 'Time', {
    hint: zone === undefined ? 'Your time zone.' : `Time zone: ${short(zone, 60)}.`,
    placeholder: 'Choose a time',
  });
const reminders = [2, REMIND_MINUTES, 10, 30];
const waits = inputs.select(
  'content',
  'If nobody takes a customer',
  reminders.map((minutes) => [String(minutes), `Say so in the thread after ${minutes} minutes`]),
);

/** @param channelId undefined where none is chosen: if it was opened from a direct message */
function formOf(channelId: string | undefined, submit: string, fields: readonly KnownBlock[]): FormContent {
  const isNowhere = channelId === undefined;
  const channel = inputs.channel('channel', 'Channel', {
    hint: `The app must be in it.${isNowhere ? ' If empty, this direct message gets the posts.' : ''}`,
    optional: isNowhere,
    placeholder: 'Choose a channel',
  });
  return { submit, blocks: [channel.show(channelId), ...fields] };
}

function digestFields({ schedule }: Partial<Content>): readonly KnownBlock[] {
  const { hour = 9, minute = 0, zone, weekday, onWeekdays } = schedule ?? {};
  const [days = 'daily'] =
    DAYS.find(([, , one]) => one.weekday === weekday && one.onWeekdays === onWeekdays) ?? [];
  const time = [hour, minute].map((part) => String(part).padStart(2, '0')).join(':');
  return [digests.show(days), timeInput(zone).show(time)];
}

const waitsFields = ({ remindMinutes = REMIND_MINUTES }: Partial<Content>): readonly KnownBlock[] => [
  waits.show(String(remindMinutes)),
  ...context(
    `The app asks the co-browsing service once a minute who is online, and sees up to ${MOST_LISTED.toLocaleString('en-US')} customers. It misses anyone beyond that, and anyone whom the service doesn’t report as waiting. Nothing is posted in channels shared with other organizations.`,
  ).blocks,
];

function scheduleIn(filled: Filled): ScheduleRequest | undefined {
  const [, , days] = DAYS.find(([value]) => value === digests.read(filled)) ?? [];
  const [hour = 0, minute] = timeInput().read(filled).split(':').map(Number);
  return days && minute !== undefined ? { hour, minute, ...days } : undefined;
}

const complaints = (filled: Filled): Complaints => ({
  time:
    digests.read(filled) !== undefined && scheduleIn(filled) === undefined && 'Choose when the digest comes.',
  ...filterComplaints(filled),
});

/** If the post is in another channel, the person may not see it, so the form stays open and confirms it itself. */
const inSight = (answer: Message | Saved, channelId: string | undefined, caller: Caller) =>
  channelId === undefined || channelId === caller.channelId ? answer : answerWords(answer);

/** Slack's select doesn't list the direct message with the app. */
const selectable = (channelId: string | undefined) =>
  channelId === undefined || isDirect(channelId) ? undefined : channelId;

const Edited = z.object({ about: subscriptionId, seen: z.coerce.number() });

const common = {
  /** A digest shows the numbers of `usage`, whatever the channel. */
  right: ({ filled }: Submission) => (scheduleIn(filled) === undefined ? 'subscribe' : 'usage'),
  complaints,
  closes: true,
} as const;
const opening = { answer: 'add', right: 'subscribe' } as const;

export function createSubscriptionForms({ groupsOf }: Pick<App, 'groupsOf'>, setUp: SetUp) {
  const asked = async (filled: Filled, { workspaceId }: Caller) => ({
    channelId: filled['channel']?.[0],
    form: summaries.read(filled) ?? 'full',
    schedule: scheduleIn(filled),
    remindMinutes: reminders.find((minutes) => waits.read(filled) === String(minutes)),
    filters: await filtersIn(filled, () => groupsOf(workspaceId)),
  });

  async function fieldsOf(kind: ReturnType<typeof kindOf>, content: Partial<Content>, caller: Caller) {
    if (kind === 'digest') return digestFields(content);
    if (kind === 'waits') return waitsFields(content);
    const listed = await groupsOf(caller.workspaceId);
    return [summaries.show(content.form ?? 'full'), ...filterFields(content.filters, listed)];
  }

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

  const opens = (actionId: string, title: string, kind: ReturnType<typeof kindOf>) =>
    definePress({
      ...opening,
      actionId,
      value: z.string(),
      opens: {
        form: newForm,
        async content(_nothing, caller) {
          const fields = await fieldsOf(kind, {}, caller);
          return { ...formOf(selectable(caller.channelId), 'Set up', fields), title };
        },
      },
    });

  return {
    forms: [newForm, editForm],
    presses: [
      opens('set_up_subscription', 'Set up summaries', 'summaries'),
      opens('set_up_digest', 'Set up a digest', 'digest'),
      opens('set_up_waits', 'Customers waiting', 'waits'),
      definePress({
        ...opening,
        actionId: 'edit_subscription',
        value: subscriptionId,
        opens: {
          form: editForm,
          async content(id, caller) {
            const subscription = await setUp.toEdit(id, caller);
            const fields = await fieldsOf(kindOf(subscription), subscription, caller);
            const shown = formOf(selectable(subscription.channelId), 'Save', fields);
            return { ...shown, seen: String(subscription.version) };
          },
        },
      }),
    ],
  };
}
