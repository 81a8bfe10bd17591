import type { KnownBlock } from '@slack/types';
import type { Power } from '../grants/power.ts';
import { ACTION, START_FORM } from './action-ids.ts';
import type { FormContent } from './modal.ts';
import { powerWords } from './power-words.ts';

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false }) as const;

function powerBlock(powers: readonly Power[]): KnownBlock[] {
  if (powers.length < 2) return [];
  const options = powers.map((power) => ({ text: plain(powerWords(power)), value: power }));
  const strongest = options.at(-1);
  return [
    {
      type: 'input',
      block_id: START_FORM.powerBlock,
      label: plain('What you may do'),
      element: {
        type: 'radio_buttons',
        action_id: START_FORM.power,
        options,
        ...(strongest === undefined ? {} : { initial_option: strongest }),
      },
    },
  ];
}

/** @param powers those a link may have here, from least to most */
export function startForm(powers: readonly Power[]): FormContent {
  return {
    submit: 'Continue',
    blocks: [
      {
        type: 'input',
        block_id: START_FORM.visitorBlock,
        label: plain('Customer'),
        hint: plain('Type a part of the name or email, or the lookup code.'),
        element: {
          type: 'external_select',
          action_id: ACTION.visitorSearch,
          min_query_length: 1,
          placeholder: plain('Search visitors'),
        },
      },
      ...powerBlock(powers),
      {
        type: 'input',
        block_id: START_FORM.channelBlock,
        optional: true,
        label: plain('Post the summary in'),
        hint: plain('The app must be in that channel. Left out, you get the summary by direct message.'),
        element: {
          type: 'conversations_select',
          action_id: START_FORM.channel,
          filter: { include: ['public', 'private'] },
        },
      },
    ],
  };
}
