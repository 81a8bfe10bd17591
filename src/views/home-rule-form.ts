import type { KnownBlock, PlainTextOption } from '@slack/types';
import type { Rule } from '../grants/acts.ts';
import { field } from './form-field.ts';
import { RULE_FORM } from './home-ids.ts';
import { isChannel, isGroup } from './home-rules.ts';
import type { FormContent } from './modal.ts';
import { LIMITS, short } from './text.ts';

/** Far beyond a team's leads. */
export const MOST_NAMED = 50;
/** Each is a question to Slack at each act. */
export const MOST_ASKED = 10;
const LONGEST_GROUPS = 1_000;

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false }) as const;

const MEMBERS: PlainTextOption = {
  text: plain('Members of this workspace, not guests'),
  value: RULE_FORM.members,
};
const ADMINS: PlainTextOption = {
  text: plain('Only admins and those named here'),
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

/** Nothing where there is nothing to choose; typed ids where Slack does not list its groups. */
function groupsFields(
  ids: readonly string[],
  listed: readonly UserGroup[] | undefined,
): readonly KnownBlock[] {
  const common = { block: RULE_FORM.groupsBlock, label: 'Also allow user groups', optional: true };
  if (listed === undefined) {
    const typed = ids.join(' ');
    return [
      field({
        ...common,
        hint: 'Slack didn’t list your user groups. Give their ids, such as S0123ABCD, with spaces between.',
        element: {
          type: 'plain_text_input',
          action_id: RULE_FORM.input,
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
        action_id: RULE_FORM.input,
        placeholder: plain('Search user groups'),
        max_selected_items: MOST_ASKED,
        ...groupOptions(options),
        ...(chosen.length === 0 ? {} : { initial_options: chosen.slice(0, MOST_ASKED) }),
      },
    }),
  ];
}

/** Who may do one thing, as a form, filled in with who may now. @param listed the groups to choose from, where Slack lists them */
export function ruleForm({ members, ids }: Rule, listed: readonly UserGroup[] | undefined): FormContent {
  const users = ids.filter((id) => !isGroup(id) && !isChannel(id)).slice(0, MOST_NAMED);
  const channels = ids.filter(isChannel).slice(0, MOST_ASKED);
  return {
    submit: 'Save',
    blocks: [
      field({
        block: RULE_FORM.whoBlock,
        label: 'Who may',
        hint: 'Admins and owners always may. People of other organisations never may.',
        element: {
          type: 'radio_buttons',
          action_id: RULE_FORM.input,
          options: [MEMBERS, ADMINS],
          initial_option: members ? MEMBERS : ADMINS,
        },
      }),
      field({
        block: RULE_FORM.usersBlock,
        label: 'People who may, too',
        hint: 'A guest may only where they are named here, or are in a group that is.',
        optional: true,
        element: {
          type: 'multi_users_select',
          action_id: RULE_FORM.input,
          placeholder: plain('Choose people'),
          max_selected_items: MOST_NAMED,
          ...(users.length === 0 ? {} : { initial_users: users }),
        },
      }),
      ...groupsFields(ids.filter(isGroup), listed),
      field({
        block: RULE_FORM.channelsBlock,
        label: 'Channels whose members may, too',
        hint: 'Not their guests. A private channel counts only where the app is in it.',
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
