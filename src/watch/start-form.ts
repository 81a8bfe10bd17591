import type { KnownBlock } from '@slack/types';
import type { Access } from '../permissions/access.ts';
import { ACTION, START_FORM } from '../messages/action-ids.ts';
import type { FormContent } from '../messages/modal.ts';
import { accessTitle } from '../permissions/access.ts';

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false }) as const;

/** What the form asks for depends on the workspace and on the deployment. */
export interface StartOptions {
  /** Those a link may have here, from least to most. */
  readonly accessLevels: readonly Access[];
  /** The access where nothing is chosen. */
  readonly usual: Access;
  /** Where the summary goes if no channel is chosen; `nowhere` if there are no summaries. */
  readonly summariesTo: 'person' | 'nowhere' | { readonly channelId: string };
}

function accessBlock({ accessLevels, usual }: StartOptions): KnownBlock[] {
  if (accessLevels.length < 2) return [];
  const options = accessLevels.map((access) => ({ text: plain(accessTitle(access)), value: access }));
  const chosen = options.find(({ value }) => value === usual);
  return [
    {
      type: 'input',
      block_id: START_FORM.accessBlock,
      label: plain('Your access'),
      element: {
        type: 'radio_buttons',
        action_id: START_FORM.access,
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
        // Only Slack knows where the person is: a global shortcut doesn't say.
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
        hint: plain('Type part of the name or email, or the lookup code.'),
        element: {
          type: 'external_select',
          action_id: ACTION.visitorSearch,
          min_query_length: 1,
          placeholder: plain('Search visitors'),
        },
      },
      ...accessBlock(options),
      ...channelBlock(options),
    ],
  };
}
