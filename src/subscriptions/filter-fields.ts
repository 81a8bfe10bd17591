import type { KnownBlock } from '@slack/types';
import type { Complaints, Filled } from '../commands/form.ts';
import { SUBSCRIPTION_FORM } from '../messages/action-ids.ts';
import { field, groupsFields, plain, textField, type UserGroup } from '../messages/form-fields.ts';
import { isGroup } from '../permissions/slack-ids.ts';
import { LONGEST_TAG, MOST_OF_A_KIND, lengthIn } from './subscribe.ts';
import type { Filters } from './subscription.ts';

/*
 * The inputs that say which sessions, and what is filled in there.
 */

const { input: actionId, peopleBlock, groupsBlock, tagsBlock, lengthBlock } = SUBSCRIPTION_FORM;

const LONGEST_TAGS = 700;

/** As the form's input takes it: "90s", "5m". */
const lengthOf = (seconds: number): string => (seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`);

/** @param filters what is chosen now @param listed the user groups to choose from; undefined where Slack doesn't list them */
export function filterFields(
  { agents, groups, tags, minSeconds }: Filters = { agents: [], groups: [], tags: [] },
  listed: readonly UserGroup[] | undefined,
): readonly KnownBlock[] {
  return [
    field({
      block: peopleBlock,
      label: 'Only sessions by these people',
      optional: true,
      element: {
        type: 'multi_users_select',
        action_id: actionId,
        placeholder: plain('Everyone'),
        max_selected_items: MOST_OF_A_KIND,
        initial_users: agents.length === 0 ? undefined : [...agents],
      },
    }),
    ...groupsFields({
      block: groupsBlock,
      actionId,
      label: 'Or by these user groups',
      ids: groups.map(({ id }) => id),
      listed,
    }),
    textField({
      block: tagsBlock,
      actionId,
      label: 'Only customers with one of these tags',
      hint: 'Separate tags with commas, for example: vip, gold.',
      optional: true,
      most: LONGEST_TAGS,
      text: tags.join(', '),
    }),
    textField({
      block: lengthBlock,
      actionId,
      label: 'Shortest session',
      hint: 'For example 5m, 90s or 1h.',
      optional: true,
      most: 20,
      text: minSeconds === undefined ? '' : lengthOf(minSeconds),
    }),
  ];
}

/** All that was filled in there, or chosen. */
export const words = (filled: Filled, block: string): string => (filled[block] ?? []).join(' ').trim();

/** Without duplicates, each in its first spelling. */
const different = (texts: readonly string[]) => [
  ...new Map(texts.filter((text) => text !== '').map((text) => [text.toLowerCase(), text])).values(),
];

const tagsIn = (filled: Filled) =>
  different(
    words(filled, tagsBlock)
      .split(/[,;\n]/)
      .map((tag) => tag.trim().replace(/^#/, '')),
  );

/** Chosen from Slack's list, or typed if there is none. */
const groupsIn = (filled: Filled) =>
  different(
    words(filled, groupsBlock)
      .toUpperCase()
      .split(/[\s,;]+/),
  );

/** In seconds; a string says what is wrong. */
function minSecondsIn(filled: Filled): number | string {
  const typed = words(filled, lengthBlock);
  return typed === '' ? 0 : lengthIn(typed);
}

const tooMany = (all: readonly string[] = [], what: string) =>
  all.length > MOST_OF_A_KIND && `At most ${MOST_OF_A_KIND} ${what}.`;

export function filterComplaints(filled: Filled): Complaints {
  const [tags, groups] = [tagsIn(filled), groupsIn(filled)];
  const wrong = groups.find((id) => !isGroup(id) || !/^S[A-Z0-9]{2,30}$/.test(id));
  const isTooLong = tags.some((tag) => tag.length > LONGEST_TAG);
  const minSeconds = minSecondsIn(filled);
  return {
    [peopleBlock]: tooMany(filled[peopleBlock], 'people'),
    [groupsBlock]:
      wrong === undefined
        ? tooMany(groups, 'user groups')
        : `“${wrong.slice(0, 40)}” isn’t a user group ID: those look like S0123ABCD.`,
    [tagsBlock]: isTooLong ? `A tag has 1 to ${LONGEST_TAG} characters.` : tooMany(tags, 'tags'),
    [lengthBlock]: typeof minSeconds === 'string' && minSeconds,
  };
}

/** Which sessions a form without complaints is about, groups without their names. */
export function filtersIn(filled: Filled): Filters {
  const minSeconds = minSecondsIn(filled);
  return {
    agents: [...new Set(filled[peopleBlock])],
    groups: groupsIn(filled).map((id) => ({ id })),
    tags: tagsIn(filled),
    minSeconds: typeof minSeconds === 'string' || minSeconds === 0 ? undefined : minSeconds,
  };
}

/** Adds the groups' handles. */
export async function withHandles(
  filters: Filters,
  listed: () => Promise<readonly UserGroup[] | undefined>,
): Promise<Filters> {
  if (filters.groups.length === 0) return filters;
  const handles = new Map(((await listed()) ?? []).map(({ id, handle }) => [id, handle || undefined]));
  return { ...filters, groups: filters.groups.map(({ id }) => ({ id, handle: handles.get(id) })) };
}
