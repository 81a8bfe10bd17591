import type { PlainTextOption } from '@slack/types';
import { MOST_ASKED, field, groupsFields } from '../messages/form-fields.ts';
import type { UserGroup } from '../messages/form-fields.ts';
import { RULE_FORM } from '../messages/action-ids.ts';
import type { FormContent } from '../messages/modal.ts';
import type { Rule } from '../permissions/acts.ts';
import { isChannel, isGroup } from './rule-list.ts';

/** More than any team has leads. */
export const MOST_NAMED = 50;

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false }) as const;

const MEMBERS: PlainTextOption = {
  text: plain('Members of this workspace, not guests'),
  value: RULE_FORM.members,
};
const ADMINS: PlainTextOption = {
  text: plain('Only admins and those added below'),
  value: RULE_FORM.admins,
};

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
