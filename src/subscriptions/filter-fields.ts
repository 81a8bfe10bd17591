import type { KnownBlock } from '@slack/types';
import type { Complaints, Filled } from '../commands/command.ts';
import { inputs, type UserGroup } from '../commands/inputs.ts';
import { lengthIn, LONGEST_TAG, MOST_OF_A_KIND } from './subscribe.ts';
import type { Filters } from './subscription.ts';

const people = inputs.people('people', 'Only sessions by these people', {
  optional: true,
  placeholder: 'Everyone',
  most: MOST_OF_A_KIND,
});
const groups = inputs.groups('groups', 'Or by these user groups');
const tags = inputs.text('tags', 'Only customers with one of these tags', {
  hint: 'Separate tags with commas, for example: vip, gold.',
  optional: true,
  most: 700,
});
const length = inputs.text('length', 'Shortest session', {
  hint: 'For example 5m, 90s or 1h.',
  optional: true,
  most: 20,
});

/** As the form's input takes it: "90s", "5m". */
const lengthOf = (seconds: number): string => (seconds % 60 === 0 ? `${seconds / 60}m` : `${seconds}s`);

/** @param filters what is chosen now @param listed the user groups to choose from; undefined where Slack doesn't list them */
export const filterFields = (
  filters: Filters = { agents: [], groups: [], tags: [] },
  listed: readonly UserGroup[] | undefined,
): readonly KnownBlock[] => [
  people.show(filters.agents),
  ...groups.show(
    filters.groups.map(({ id }) => id),
    listed,
  ),
  tags.show(filters.tags.join(', ')),
  length.show(filters.minSeconds === undefined ? '' : lengthOf(filters.minSeconds)),
];

function tagsIn(filled: Filled): string[] {
  const typed = tags
    .read(filled)
    .split(/[,;\n]/)
    .map((tag) => tag.trim().replace(/^#/, ''))
    .filter((tag) => tag !== '');
  return [...new Map(typed.map((tag) => [tag.toLowerCase(), tag])).values()];
}

/** In seconds; a string says what is wrong. */
function minSecondsIn(filled: Filled): number | string {
  const typed = length.read(filled);
  return typed === '' ? 0 : lengthIn(typed);
}

const tooMany = (all: readonly string[], what: string) =>
  all.length > MOST_OF_A_KIND && `At most ${MOST_OF_A_KIND} ${what}.`;

export function filterComplaints(filled: Filled): Complaints {
  const tagged = tagsIn(filled);
  const isTooLong = tagged.some((tag) => tag.length > LONGEST_TAG);
  const minSeconds = minSecondsIn(filled);
  return {
    people: tooMany(people.read(filled), 'people'),
    groups: groups.wrong(filled) ?? tooMany(groups.read(filled), 'user groups'),
    tags: isTooLong ? `A tag has 1 to ${LONGEST_TAG} characters.` : tooMany(tagged, 'tags'),
    length: typeof minSeconds === 'string' && minSeconds,
  };
}

/** Which sessions a form without complaints is about. @param listed the user groups, for what they're called */
export async function filtersIn(filled: Filled, listed: () => Promise<readonly UserGroup[] | undefined>) {
  const minSeconds = minSecondsIn(filled);
  const chosen = groups.read(filled);
  const all = chosen.length === 0 ? [] : ((await listed()) ?? []);
  const handles = new Map(all.map(({ id, handle }) => [id, handle || undefined]));
  return {
    agents: [...people.read(filled)],
    groups: chosen.map((id) => ({ id, handle: handles.get(id) })),
    tags: tagsIn(filled),
    minSeconds: typeof minSeconds === 'string' || minSeconds === 0 ? undefined : minSeconds,
  };
}
