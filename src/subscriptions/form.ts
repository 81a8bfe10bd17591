import type { ScheduleRequest } from './subscription.ts';
import { FORMS } from './subscription.ts';
import type { Filters, SummaryForm } from './subscription.ts';
import { isGroup } from '../slack-ids.ts';
import { ACTION, SUBSCRIPTION_FORM } from '../messages/action-ids.ts';
import { digestForm, summariesForm } from './form-modal.ts';
import { subscriptionOffer, noSuchSubscription } from './messages.ts';
import type { Message } from '../messages/message.ts';
import { answerWords } from '../messages/modal.ts';
import type { Saved } from '../messages/modal.ts';
import { asked, ifAllowed } from '../commands/allowed.ts';
import type { Caller } from '../commands/caller.ts';
import type { Filled, Form } from '../commands/form.ts';
import { definePress } from '../commands/press.ts';
import type { Services } from '../services.ts';
import { LONGEST_TAG, MOST_OF_A_KIND, lengthIn, subscriptionId } from './request.ts';
import { z } from 'zod';

const { channelBlock, contentBlock, timeBlock, peopleBlock, groupsBlock, tagsBlock, lengthBlock } =
  SUBSCRIPTION_FORM;

/** What was filled in, groups without their names. */
interface Read {
  readonly channelId: string | undefined;
  readonly form: SummaryForm;
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

function scheduleIn(chosen: string, time: string): ScheduleRequest | undefined {
  const [, day] = /^(?:daily|weekly ([1-7]))$/.exec(chosen) ?? [];
  const clock = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(time);
  if (clock === null || (day === undefined && chosen !== 'daily')) return undefined;
  const at = { hour: Number(clock[1]), minute: Number(clock[2]) };
  return day === undefined ? at : { ...at, weekday: Number(day) };
}

/** What is wrong with the inputs, by block. */
function complaintsIn(filled: Filled): Complaints {
  const chosen = words(filled, contentBlock);
  const isDigest = /^(?:daily|weekly [1-7])$/.test(chosen);
  const isSummary = FORMS.some((form) => form === chosen);
  const found: Record<string, string> = {};
  if (!isDigest && !isSummary) found[contentBlock] = 'Choose what to post.';
  if (isDigest && scheduleIn(chosen, words(filled, timeBlock)) === undefined)
    found[timeBlock] = 'Choose when the digest comes.';
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

/** What a form without complaints says. */
function read(filled: Filled): Read {
  const chosen = words(filled, contentBlock);
  const typedLength = words(filled, lengthBlock);
  const seconds = typedLength === '' ? 0 : lengthIn(typedLength);
  return {
    channelId: filled[channelBlock]?.[0],
    form: FORMS.find((form) => form === chosen) ?? 'full',
    schedule: scheduleIn(chosen, words(filled, timeBlock)),
    filters: {
      agents: [...new Set(filled[peopleBlock])],
      groups: groupsIn(filled).map((id) => ({ id })),
      tags: tagsIn(filled),
      ...(typeof seconds === 'string' || seconds === 0 ? {} : { minSeconds: seconds }),
    },
  };
}

/** Adds the groups' handles. */
async function withHandles(filters: Filters, { workspaceId }: Caller, services: Services): Promise<Filters> {
  if (filters.groups.length === 0) return filters;
  const listed = (await services.groupsOf(workspaceId)) ?? [];
  const handles = new Map(listed.map(({ id, handle }) => [id, handle]));
  return {
    ...filters,
    groups: filters.groups.map(({ id }) => {
      const handle = handles.get(id) ?? '';
      return handle === '' ? { id } : { id, handle };
    }),
  };
}

/** If the post is in another channel, the person may not see it, so the form stays open and confirms it itself. */
const inSight = (answer: Message | Saved, channelId: string | undefined, caller: Caller) =>
  channelId === undefined || channelId === caller.channelId ? answer : answerWords(answer);

const newForm: Form = {
  callbackId: SUBSCRIPTION_FORM.newCallbackId,
  title: 'Set up summaries',
  complaints: complaintsIn,
  closes: true,
  run: ({ filled }, caller, services) =>
    asked('subscribe', { caller, services }, async (): Promise<Message | Saved> => {
      const { channelId, form, schedule, filters } = read(filled);
      const { subscriptions } = services;
      if (schedule === undefined) {
        const named = await withHandles(filters, caller, services);
        const answer = await subscriptions.subscribe({ channelId, form, filters: named }, caller);
        return inSight(answer, channelId, caller);
      }
      return ifAllowed('usage', { caller, services }, async () =>
        inSight(await subscriptions.digest(channelId, schedule, caller), channelId, caller),
      );
    }),
};

const Version = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number);

const editForm: Form = {
  callbackId: SUBSCRIPTION_FORM.editCallbackId,
  title: 'Edit subscription',
  complaints: complaintsIn,
  closes: true,
  run: ({ filled, about, seen }, caller, services) =>
    asked('subscribe', { caller, services }, async (): Promise<Message | Saved> => {
      const id = subscriptionId.safeParse(about);
      const version = Version.safeParse(seen);
      if (!id.success || !version.success) return noSuchSubscription();
      const before = { id: id.data, version: version.data };
      const { channelId, form, schedule, filters } = read(filled);
      const named = await withHandles(filters, caller, services);
      const edit = async () => {
        const request = { channelId, form, filters: named, schedule };
        return inSight(await services.subscriptions.edit(before, request, caller), channelId, caller);
      };
      return schedule === undefined ? edit() : ifAllowed('usage', { caller, services }, edit);
    }),
};

/** Slack's select doesn't list the direct message with the app. */
const selectable = (channelId: string | undefined) =>
  channelId?.startsWith('D') === true ? undefined : channelId;

const setUpPress = definePress({
  actionId: ACTION.setUpSubscription,
  answer: 'add',
  value: z.string(),
  opens: {
    form: newForm,
    content: async (_nothing, { workspaceId, channelId }, services) =>
      summariesForm({ channelId: selectable(channelId), groups: await services.groupsOf(workspaceId) }),
  },
  run: async () => undefined,
});

const setUpDigestPress = definePress({
  actionId: ACTION.setUpDigest,
  answer: 'add',
  value: z.string(),
  opens: {
    form: newForm,
    content: async (_nothing, { channelId }) => ({
      ...digestForm({ channelId: selectable(channelId) }),
      title: 'Set up a digest',
    }),
  },
  run: async () => undefined,
});

const editPress = definePress({
  actionId: ACTION.editSubscription,
  answer: 'add',
  value: subscriptionId,
  opens: {
    form: editForm,
    content: (id, caller, services) =>
      asked('subscribe', { caller, services }, async () => {
        const [found, groups] = await Promise.all([
          services.subscriptions.toEdit(id, caller),
          services.groupsOf(caller.workspaceId),
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
      }),
  },
  run: async () => undefined,
});

/** The forms behind "Set up" and "Edit", and the buttons that open them. */
export const subscriptionForms = {
  forms: [newForm, editForm],
  presses: [setUpPress, setUpDigestPress, editPress],
} as const;

/** The answer that leads to the form, or a refusal. */
export const offerForm = (caller: Caller, services: Pick<Services, 'subscriptions' | 'record'>) =>
  asked('subscribe', { caller, services }, async (): Promise<Message> => {
    const refused = await services.subscriptions.refuse(caller);
    return refused ?? subscriptionOffer();
  });
