import { z } from 'zod';
import type { Caller } from '../commands/caller.ts';
import { defineForm, type Filled, type Submission } from '../commands/form.ts';
import { definePress } from '../commands/press.ts';
import { ACTION, SUBSCRIPTION_FORM } from '../messages/action-ids.ts';
import type { UserGroup } from '../messages/form-fields.ts';
import type { Message } from '../messages/message.ts';
import { answerWords, type Saved } from '../messages/modal.ts';
import { FORMS, type Form } from '../outbox/kind.ts';
import { isGroup } from '../permissions/slack-ids.ts';
import { digestForm, summariesForm } from './form-modal.ts';
import { noSuchSubscription } from './messages.ts';
import { LONGEST_TAG, MOST_OF_A_KIND, lengthIn } from './subscribe.ts';
import { subscriptionId, type Filters, type ScheduleRequest } from './subscription.ts';
import type { createSubscriptions } from './subscriptions.ts';

const { channelBlock, contentBlock, timeBlock, peopleBlock, groupsBlock, tagsBlock, lengthBlock } =
  SUBSCRIPTION_FORM;

/** What was filled in, groups without their names. */
interface Read {
  readonly channelId: string | undefined;
  readonly form: Form;
  readonly schedule: ScheduleRequest | undefined;
  readonly filters: Filters;
}

type Complaints = Readonly<Record<string, string>>;

const words = (filled: Filled, block: string) => (filled[block] ?? []).join(' ').trim();

/** Without duplicates, each in its first spelling. */
const different = (texts: readonly string[]) => [
  ...new Map(texts.map((text) => [text.toLowerCase(), text])).values(),
];

const tagsIn = (filled: Filled) =>
  different(
    words(filled, tagsBlock)
      .split(/[,;\n]/)
      .map((tag) => tag.trim().replace(/^#/, ''))
      .filter((tag) => tag !== ''),
  );

// Chosen from Slack's list, or typed if there is none.
const groupsIn = (filled: Filled) =>
  different(
    words(filled, groupsBlock)
      .toUpperCase()
      .split(/[\s,;]+/)
      .filter((id) => id !== ''),
  );

const DIGEST = /^(?:daily|weekdays|weekly ([1-7]))$/;

function scheduleIn(chosen: string, time: string): ScheduleRequest | undefined {
  const [, day] = DIGEST.exec(chosen) ?? [];
  const clock = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time);
  if (clock === null || !DIGEST.test(chosen)) return undefined;
  const at = { hour: Number(clock[1]), minute: Number(clock[2]) };
  if (day !== undefined) return { ...at, weekday: Number(day) };
  return chosen === 'weekdays' ? { ...at, onWeekdays: true } : at;
}

/** What is wrong with the inputs, by block. */
function complaintsIn(filled: Filled): Complaints {
  const chosen = words(filled, contentBlock);
  const isDigest = DIGEST.test(chosen);
  const isSummary = FORMS.some((form) => form === chosen);
  const found: Record<string, string> = {};
  if (!isDigest && !isSummary) found[contentBlock] = 'Choose what to post.';
  if (isDigest && scheduleIn(chosen, words(filled, timeBlock)) === undefined)
    found[timeBlock] = 'Choose when the digest comes.';
  return { ...found, ...filterComplaints(filled) };
}

/** The same of the inputs that say which sessions. */
export function filterComplaints(filled: Filled): Complaints {
  const found: Record<string, string> = {};
  const tags = tagsIn(filled);
  if (tags.length > MOST_OF_A_KIND) found[tagsBlock] = `At most ${MOST_OF_A_KIND} tags.`;
  if (tags.some((tag) => tag.length > LONGEST_TAG))
    found[tagsBlock] = `A tag has 1 to ${LONGEST_TAG} characters.`;
  if ((filled[peopleBlock] ?? []).length > MOST_OF_A_KIND)
    found[peopleBlock] = `At most ${MOST_OF_A_KIND} people.`;
  const groups = groupsIn(filled);
  if (groups.length > MOST_OF_A_KIND) found[groupsBlock] = `At most ${MOST_OF_A_KIND} user groups.`;
  const wrong = groups.find((id) => !isGroup(id) || !/^S[A-Z0-9]{2,30}$/.test(id));
  if (wrong !== undefined)
    found[groupsBlock] = `“${wrong.slice(0, 40)}” isn’t a user group ID: those look like S0123ABCD.`;
  const typedLength = words(filled, lengthBlock);
  const seconds = typedLength === '' ? 0 : lengthIn(typedLength);
  if (typeof seconds === 'string') found[lengthBlock] = seconds;
  return found;
}

/** Which sessions a form without complaints is about, groups without their names. */
export function filtersIn(filled: Filled): Filters {
  const typedLength = words(filled, lengthBlock);
  const seconds = typedLength === '' ? 0 : lengthIn(typedLength);
  return {
    agents: [...new Set(filled[peopleBlock])],
    groups: groupsIn(filled).map((id) => ({ id })),
    tags: tagsIn(filled),
    ...(typeof seconds === 'string' || seconds === 0 ? {} : { minSeconds: seconds }),
  };
}

/** Adds the groups' handles. */
export async function withHandles(
  filters: Filters,
  groups: () => Promise<readonly UserGroup[] | undefined>,
): Promise<Filters> {
  if (filters.groups.length === 0) return filters;
  const handles = new Map(((await groups()) ?? []).map(({ id, handle }) => [id, handle]));
  return {
    ...filters,
    groups: filters.groups.map(({ id }) => {
      const handle = handles.get(id) ?? '';
      return handle === '' ? { id } : { id, handle };
    }),
  };
}

/** What a form without complaints says. */
function read(filled: Filled): Read {
  const chosen = words(filled, contentBlock);
  return {
    channelId: filled[channelBlock]?.[0],
    form: FORMS.find((form) => form === chosen) ?? 'full',
    schedule: scheduleIn(chosen, words(filled, timeBlock)),
    filters: filtersIn(filled),
  };
}

/** If the post is in another channel, the person may not see it, so the form stays open and confirms it itself. */
const inSight = (answer: Message | Saved, channelId: string | undefined, caller: Caller) =>
  channelId === undefined || channelId === caller.channelId ? answer : answerWords(answer);

const Version = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);

/** Slack's select doesn't list the direct message with the app. */
const selectable = (channelId: string | undefined) =>
  channelId?.startsWith('D') === true ? undefined : channelId;

/** A digest shows the numbers of `usage`, whatever the channel. */
const right = ({ filled }: Submission) => (read(filled).schedule === undefined ? 'subscribe' : 'usage');

/** The forms behind "Set up" and "Edit", and the buttons that open them. */
export function createSubscriptionForms({
  service,
  groupsOf,
}: {
  readonly service: ReturnType<typeof createSubscriptions>['service'];
  /** The user groups to choose from; undefined if Slack doesn't list them. Never rejects. */
  readonly groupsOf: (workspaceId: string) => Promise<readonly UserGroup[] | undefined>;
}) {
  const named = (filters: Filters, { workspaceId }: Caller) =>
    withHandles(filters, () => groupsOf(workspaceId));

  const newForm = defineForm({
    callbackId: SUBSCRIPTION_FORM.newCallbackId,
    title: 'Set up summaries',
    right,
    complaints: complaintsIn,
    closes: true,
    async run({ filled }, caller) {
      const { channelId, form, schedule, filters } = read(filled);
      const answer =
        schedule === undefined
          ? await service.subscribe({ channelId, form, filters: await named(filters, caller) }, caller)
          : await service.digest(channelId, schedule, caller);
      return inSight(answer, channelId, caller);
    },
  });

  const editForm = defineForm({
    callbackId: SUBSCRIPTION_FORM.editCallbackId,
    title: 'Edit subscription',
    right,
    complaints: complaintsIn,
    closes: true,
    async run({ filled, about, seen }, caller) {
      const id = subscriptionId.safeParse(about);
      const version = Version.safeParse(seen);
      if (!id.success || !version.success) return noSuchSubscription();
      const before = { id: id.data, version: version.data };
      const { channelId, form, schedule, filters } = read(filled);
      const request = { channelId, form, filters: await named(filters, caller), schedule };
      return inSight(await service.edit(before, request, caller), channelId, caller);
    },
  });

  const opening = { answer: 'add', right: 'subscribe' } as const;
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
            summariesForm({ channelId: selectable(channelId), groups: await groupsOf(workspaceId) }),
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
            const [found, groups] = await Promise.all([
              service.toEdit(id, caller),
              groupsOf(caller.workspaceId),
            ]);
            if (found === undefined) return noSuchSubscription();
            const { subscription, version } = found;
            const { channelId: own, ...content } = subscription;
            const channelId = selectable(own);
            const form =
              content.schedule === undefined
                ? summariesForm({ channelId, content, groups })
                : digestForm({ channelId, content });
            return { ...form, seen: String(version) };
          },
        },
      }),
    ],
  };
}
