import type { KnownBlock, PlainTextOption } from '@slack/types';
import type { Rule } from '../permissions/acts.ts';
import { field } from './form-field.ts';
import { RULE_FORM } from './home-ids.ts';
import { isChannel, isGroup } from './home-rules.ts';
import type { FormContent } from './modal.ts';
import { LIMITS, short } from './text.ts';

/** More than any team has leads. */
export const MOST_NAMED = 50;
/** Each costs a request to Slack whenever the rule is checked. */
export const MOST_ASKED = 10;
const LONGEST_GROUPS = 1_000;

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false }) as const;

const MEMBERS: PlainTextOption = {
  text: plain('Members of this workspace, not guests'),
  value: RULE_FORM.members,
};
const ADMINS: PlainTextOption = {
  text: plain('Only admins and those added below'),
  value: RULE_FORM.admins,
};

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
          ...(typed === '' || typed.length > LONGEST_GROUPS ? {} : { initial_value: typed }),
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
        ...(chosen.length === 0 ? {} : { initial_options: chosen.slice(0, MOST_ASKED) }),
      },
    }),
  ];
}

/** Who can do one thing, as a form, filled in with who can now. @param listed the groups to choose from, where Slack lists them */
export function ruleForm({ members, ids }: Rule, listed: readonly UserGroup[] | undefined): FormContent {
  const users = ids.filter((id) => !isGroup(id) && !isChannel(id)).slice(0, MOST_NAMED);
  const channels = ids.filter(isChannel).slice(0, MOST_ASKED);
  return {
    submit: 'Save',
    blocks: [
      field({
        block: RULE_FORM.whoBlock,
        label: 'Who can',
        hint: 'Admins and owners always can. People from other organisations never can.',
        element: {
          type: 'radio_buttons',
          action_id: RULE_FORM.input,
          options: [MEMBERS, ADMINS],
          initial_option: members ? MEMBERS : ADMINS,
        },
      }),
      field({
        block: RULE_FORM.usersBlock,
        label: 'Also allow people',
        hint: 'Guests need to be added here.',
        optional: true,
        element: {
          type: 'multi_users_select',
          action_id: RULE_FORM.input,
          placeholder: plain('Choose people'),
          max_selected_items: MOST_NAMED,
          ...(users.length === 0 ? {} : { initial_users: users }),
        },
      }),
      ...groupsFields({
        block: RULE_FORM.groupsBlock,
        actionId: RULE_FORM.input,
        label: 'Also allow user groups',
        ids: ids.filter(isGroup),
        listed,
      }),
      field({
        block: RULE_FORM.channelsBlock,
        label: 'Also allow members of',
        hint: 'Guests aren’t included. A private channel only works if the app is in it.',
        optional: true,
        element: {
          type: 'multi_conversations_select',
          action_id: RULE_FORM.input,
          placeholder: plain('Choose channels'),
          filter: { include: ['public', 'private'] },
          max_selected_items: MOST_ASKED,
          ...(channels.length === 0 ? {} : { initial_conversations: channels }),
        },
      }),
    ],
  };
}
