import type { InputBlock, KnownBlock, PlainTextOption } from '@slack/types';
import type { Power } from '../grants/power.ts';
import type { WorkspaceSettings } from '../grants/settings.ts';
import { SETTINGS_FORM } from './home-ids.ts';
import { isGroup } from './home-settings.ts';
import type { FormContent } from './modal.ts';
import { powerWords } from './power-words.ts';

/** Far beyond a team's leads. */
export const MOST_DELETERS = 50;
const LONGEST_GROUPS = 1_000;

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false }) as const;
const option = (power: Power): PlainTextOption => ({ text: plain(powerWords(power)), value: power });

interface Field {
  readonly block: string;
  readonly label: string;
  readonly hint: string;
  readonly element: InputBlock['element'];
  readonly optional?: boolean;
}

function input({ block, label, hint, element, optional = false }: Field): KnownBlock {
  return { type: 'input', block_id: block, label: plain(label), hint: plain(hint), element, optional };
}

function powerSelect(initial: Power, powers: readonly Power[]): InputBlock['element'] {
  return {
    type: 'static_select',
    action_id: SETTINGS_FORM.input,
    options: powers.map(option),
    initial_option: option(initial),
  };
}

function channelFields(powers: readonly Power[]): KnownBlock[] {
  return [
    input({
      block: SETTINGS_FORM.channelBlock,
      label: 'One channel',
      hint: 'To let Watch grant something else in one channel, choose it here and below what.',
      optional: true,
      element: {
        type: 'conversations_select',
        action_id: SETTINGS_FORM.input,
        placeholder: plain('Choose a channel'),
        filter: { include: ['public', 'private'], exclude_bot_users: true },
      },
    }),
    input({
      block: SETTINGS_FORM.channelPowerBlock,
      label: 'What Watch grants in that channel',
      hint: 'The channel keeps it until it is changed here.',
      optional: true,
      element: {
        type: 'static_select',
        action_id: SETTINGS_FORM.input,
        placeholder: plain('Choose what'),
        options: [
          ...powers.map(option),
          { text: plain('the same as elsewhere'), value: SETTINGS_FORM.noPower },
        ],
      },
    }),
  ];
}

function deleterFields(deleters: readonly string[]): KnownBlock[] {
  const users = deleters.filter((id) => !isGroup(id)).slice(0, MOST_DELETERS);
  const groups = deleters.filter(isGroup).join(' ');
  return [
    input({
      block: SETTINGS_FORM.deletersBlock,
      label: 'People who may delete visitors',
      hint: 'Beside the admins of this workspace.',
      optional: true,
      element: {
        type: 'multi_users_select',
        action_id: SETTINGS_FORM.input,
        placeholder: plain('Choose people'),
        max_selected_items: MOST_DELETERS,
        ...(users.length === 0 ? {} : { initial_users: users }),
      },
    }),
    input({
      block: SETTINGS_FORM.groupsBlock,
      label: 'User groups who may delete visitors',
      hint: 'Their ids, such as S0123ABCD, with spaces between. In Slack: open the group, More, Copy group ID.',
      optional: true,
      element: {
        type: 'plain_text_input',
        action_id: SETTINGS_FORM.input,
        max_length: LONGEST_GROUPS,
        ...(groups === '' || groups.length > LONGEST_GROUPS ? {} : { initial_value: groups }),
      },
    }),
  ];
}

/** The settings as a form, filled in with what they are. @param powers all there are, from least to most */
export function settingsForm(
  { mostPower, usualPower, deleters }: WorkspaceSettings,
  powers: readonly Power[],
): FormContent {
  return {
    submit: 'Save',
    blocks: [
      input({
        block: SETTINGS_FORM.mostBlock,
        label: 'No link grants more than',
        hint: 'Counts at once, for every link made in this workspace.',
        element: powerSelect(mostPower, powers),
      }),
      input({
        block: SETTINGS_FORM.usualBlock,
        label: 'Watch grants',
        hint: 'The menu beside Watch offers the others, up to the limit.',
        element: powerSelect(usualPower, powers),
      }),
      ...channelFields(powers),
      ...deleterFields(deleters),
    ],
  };
}
