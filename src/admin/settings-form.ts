import type { InputBlock, KnownBlock, PlainTextOption } from '@slack/types';
import type { Access } from '../permissions/access.ts';
import type { WorkspaceSettings } from '../workspaces/settings.ts';
import { field } from '../messages/form-fields.ts';
import { SETTINGS_FORM } from '../messages/action-ids.ts';
import type { FormContent } from '../messages/modal.ts';
import { accessMeaning, accessTitle } from '../permissions/access.ts';

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false }) as const;
const option = (access: Access): PlainTextOption => ({
  text: plain(accessTitle(access)),
  description: plain(accessMeaning(access)),
  value: access,
});

function accessSelect(initial: Access, accessLevels: readonly Access[]): InputBlock['element'] {
  return {
    type: 'static_select',
    action_id: SETTINGS_FORM.input,
    options: accessLevels.map(option),
    initial_option: option(initial),
  };
}

function channelFields(accessLevels: readonly Access[]): KnownBlock[] {
  return [
    field({
      block: SETTINGS_FORM.channelBlock,
      label: 'Channel override',
      hint: 'To change the access in one channel, choose the channel here and its access below.',
      optional: true,
      element: {
        type: 'conversations_select',
        action_id: SETTINGS_FORM.input,
        placeholder: plain('Choose a channel'),
        filter: { include: ['public', 'private'], exclude_bot_users: true },
      },
    }),
    field({
      block: SETTINGS_FORM.channelAccessBlock,
      label: 'Access in that channel',
      hint: 'Applies until you change it here.',
      optional: true,
      element: {
        type: 'static_select',
        action_id: SETTINGS_FORM.input,
        placeholder: plain('Choose access'),
        options: [
          ...accessLevels.map(option),
          { text: plain('Same as elsewhere'), value: SETTINGS_FORM.noAccess },
        ],
      },
    }),
  ];
}

/** The settings as a form, filled in with what they are. @param access levels all there are, from least to most */
export function settingsForm(
  { maxAccess, defaultAccess }: WorkspaceSettings,
  accessLevels: readonly Access[],
): FormContent {
  return {
    submit: 'Save',
    blocks: [
      field({
        block: SETTINGS_FORM.mostBlock,
        label: 'Maximum access',
        hint: 'Applies immediately, to every link in this workspace.',
        element: accessSelect(maxAccess, accessLevels),
      }),
      field({
        block: SETTINGS_FORM.usualBlock,
        label: 'Default access',
        hint: 'The menu beside Watch offers the others, up to the maximum.',
        element: accessSelect(defaultAccess, accessLevels),
      }),
      ...channelFields(accessLevels),
    ],
  };
}
