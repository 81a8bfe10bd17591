import type { KnownBlock } from '@slack/types';
import type { Power } from '../grants/power.ts';
import { ACTION, START_FORM } from './action-ids.ts';
import type { FormContent } from './modal.ts';
import { powerTitle } from './power-words.ts';

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false }) as const;

/** What the form asks for depends on the workspace and on the deployment. */
export interface StartOptions {
  /** Those a link may have here, from least to most. */
  readonly powers: readonly Power[];
  /** What Watch grants where nothing is chosen. */
  readonly usual: Power;
  /** Where a summary goes for which no channel is chosen; `nowhere` where there are no summaries. */
  readonly summariesTo: 'person' | 'nowhere' | { readonly channelId: string };
}

function powerBlock({ powers, usual }: StartOptions): KnownBlock[] {
  if (powers.length < 2) return [];
  const options = powers.map((power) => ({ text: plain(powerTitle(power)), value: power }));
  const chosen = options.find(({ value }) => value === usual);
  return [
    {
      type: 'input',
      block_id: START_FORM.powerBlock,
      label: plain('What you may do'),
      element: {
        type: 'radio_buttons',
        action_id: START_FORM.power,
        options,
        ...(chosen === undefined ? {} : { initial_option: chosen }),
      },
    },
  ];
}

function channelBlock({ summariesTo }: StartOptions): KnownBlock[] {
  if (summariesTo === 'nowhere') return [];
  const otherwise =
    summariesTo === 'person'
      ? 'If empty, you get the summary as a direct message.'
      : 'If empty, the summary goes to the workspace’s summary channel.';
  return [
    {
      type: 'input',
      block_id: START_FORM.channelBlock,
      optional: true,
      label: plain('Post the summary in'),
      hint: plain(`The app must be in that channel. ${otherwise}`),
      element: {
        type: 'conversations_select',
        action_id: START_FORM.channel,
        placeholder: plain('Choose a channel'),
        filter: { include: ['public', 'private'] },
        // Slack alone knows where the person is: a global shortcut does not say.
        ...(summariesTo === 'person'
          ? { default_to_current_conversation: true }
          : { initial_conversation: summariesTo.channelId }),
      },
    },
  ];
}

export function startForm(options: StartOptions): FormContent {
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
      ...powerBlock(options),
      ...channelBlock(options),
    ],
  };
}
