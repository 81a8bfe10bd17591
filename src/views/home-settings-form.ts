import type { InputBlock, KnownBlock, PlainTextOption } from '@slack/types';
import type { Power } from '../grants/power.ts';
import type { WorkspaceSettings } from '../grants/settings.ts';
import { field } from './form-field.ts';
import { SETTINGS_FORM } from './home-ids.ts';
import type { FormContent } from './modal.ts';
import { powerWords } from './power-words.ts';

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false }) as const;
const option = (power: Power): PlainTextOption => ({ text: plain(powerWords(power)), value: power });

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
    field({
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
    field({
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

/** The settings as a form, filled in with what they are. @param powers all there are, from least to most */
export function settingsForm(
  { mostPower, usualPower }: WorkspaceSettings,
  powers: readonly Power[],
): FormContent {
  return {
    submit: 'Save',
    blocks: [
      field({
        block: SETTINGS_FORM.mostBlock,
        label: 'No link grants more than',
        hint: 'Counts at once, for every link made in this workspace.',
        element: powerSelect(mostPower, powers),
      }),
      field({
        block: SETTINGS_FORM.usualBlock,
        label: 'Watch grants',
        hint: 'The menu beside Watch offers the others, up to the limit.',
        element: powerSelect(usualPower, powers),
      }),
      ...channelFields(powers),
    ],
  };
}
