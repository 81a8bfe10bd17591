import type { InputBlock, KnownBlock, PlainTextOption } from '@slack/types';
import { LIMITS, short } from './text.ts';

export const plain = (text: string) => ({ type: 'plain_text', text, emoji: false }) as const;

/** One input of a form, with its words. */
interface FormField {
  readonly block: string;
  readonly label: string;
  readonly hint?: string;
  readonly element: InputBlock['element'];
  readonly optional?: boolean;
}

export function field({ block, label, hint, element, optional = false }: FormField): KnownBlock {
  return {
    type: 'input',
    block_id: block,
    label: plain(label),
    hint: hint === undefined ? undefined : plain(hint),
    element,
    optional,
  };
}

/** Each costs a request to Slack whenever the rule is checked. */
export const MOST_ASKED = 10;
const LONGEST_GROUPS = 1_000;

/** A user group, as Slack lists it. */
export interface UserGroup {
  readonly id: string;
  readonly name: string;
  readonly handle: string;
}

function groupOption({ id, name, handle }: UserGroup): PlainTextOption {
  const [shownHandle, shownName] = [short(handle, 30), short(name, 35)];
  const named =
    shownHandle === '' ? shownName : `@${shownHandle}${shownName === '' ? '' : ` (${shownName})`}`;
  return { text: plain(named || id), value: id };
}

/** Slack takes 100 options, or as many groups of them; people search both by typing. */
function groupOptions(options: readonly PlainTextOption[]) {
  if (options.length <= LIMITS.options) return { options: [...options] };
  const starts = Array.from(
    { length: Math.ceil(options.length / LIMITS.options) },
    (_, page) => page * LIMITS.options,
  );
  return {
    option_groups: starts.slice(0, LIMITS.options).map((start) => ({
      label: plain(`From ${options[start]?.text.text.slice(0, 60) ?? ''}`),
      options: options.slice(start, start + LIMITS.options),
    })),
  };
}

interface GroupsField {
  readonly block: string;
  readonly actionId: string;
  readonly label: string;
  /** Those chosen now. */
  readonly ids: readonly string[];
  /** Those to choose from, where Slack lists them. */
  readonly listed: readonly UserGroup[] | undefined;
}

/** Empty if there is nothing to choose; a text field for ids if Slack doesn't list its groups. */
export function groupsFields({ block, actionId, label, ids, listed }: GroupsField): readonly KnownBlock[] {
  const common = { block, label, optional: true };
  if (listed === undefined) {
    const typed = ids.join(' ');
    return [
      field({
        ...common,
        hint: 'Slack didn’t list your user groups. Enter their IDs, such as S0123ABCD, separated by spaces.',
        element: {
          type: 'plain_text_input',
          action_id: actionId,
          max_length: LONGEST_GROUPS,
          initial_value: typed === '' || typed.length > LONGEST_GROUPS ? undefined : typed,
        },
      }),
    ];
  }
  const known = new Map(listed.map((group) => [group.id, groupOption(group)]));
  const gone = ids
    .filter((id) => !known.has(id) && id.length <= LIMITS.optionValue)
    .map((id): PlainTextOption => ({ text: plain(`${short(id, 60)} (not found)`), value: id }));
  const options = [...gone, ...known.values()];
  if (options.length === 0) return [];
  const chosen = options.filter(({ value }) => value !== undefined && ids.includes(value));
  return [
    field({
      ...common,
      element: {
        type: 'multi_static_select',
        action_id: actionId,
        placeholder: plain('Search user groups'),
        max_selected_items: MOST_ASKED,
        ...groupOptions(options),
        initial_options: chosen.length === 0 ? undefined : chosen.slice(0, MOST_ASKED),
      },
    }),
  ];
}
