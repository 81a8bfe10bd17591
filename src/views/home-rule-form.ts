import type { PlainTextOption } from '@slack/types';
import type { Rule } from '../grants/acts.ts';
import { field } from './form-field.ts';
import { RULE_FORM } from './home-ids.ts';
import { isChannel, isGroup } from './home-rules.ts';
import type { FormContent } from './modal.ts';

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

/** Who may do one thing, as a form, filled in with who may now. */
export function ruleForm({ members, ids }: Rule): FormContent {
  const users = ids.filter((id) => !isGroup(id) && !isChannel(id)).slice(0, MOST_NAMED);
  const channels = ids.filter(isChannel).slice(0, MOST_ASKED);
  const groups = ids.filter(isGroup).join(' ');
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
      field({
        block: RULE_FORM.groupsBlock,
        label: 'User groups who may, too',
        hint: 'Their ids, such as S0123ABCD, with spaces between. In Slack: open the group, More, Copy group ID.',
        optional: true,
        element: {
          type: 'plain_text_input',
          action_id: RULE_FORM.input,
          max_length: LONGEST_GROUPS,
          ...(groups === '' || groups.length > LONGEST_GROUPS ? {} : { initial_value: groups }),
        },
      }),
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
