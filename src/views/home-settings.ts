import type { SettingsNow, WorkspaceSettings } from '../grants/settings.ts';
import { button } from './buttons.ts';
import { HOME_ACTION } from './home-ids.ts';
import { ruleParts } from './home-rules.ts';
import { buttons, lines, notice } from './message.ts';
import type { Message, Part } from './message.ts';
import { powerWords } from './power-words.ts';
import { bold, channel } from './rich-text.ts';
import type { Line } from './rich-text.ts';
import { count } from './text.ts';

const LISTED = 20;

function settingsLines({ mostPower, usualPower, channelPower }: WorkspaceSettings | SettingsNow): Line[] {
  const channels = Object.entries(channelPower);
  const shown = channels
    .slice(0, LISTED)
    .map(([id, power]): Line => ['In ', channel(id), ` Watch grants: ${powerWords(power)}`]);
  const rest = channels.length - shown.length;
  return [
    [bold('No link grants more than: '), powerWords(mostPower)],
    [bold('Watch grants: '), powerWords(usualPower)],
    ...shown,
    ...(rest > 0 ? [[`And ${count(rest, 'other channel')} with a power of their own`]] : []),
  ];
}

/** The settings as they are, for admins, and the way to change them. */
export function settingsParts(settings: SettingsNow): readonly Part[] {
  return [
    lines(['Only admins of this workspace see this. It counts for everybody here.']),
    lines(...settingsLines(settings)),
    buttons(
      button({
        text: 'Edit settings',
        actionId: HOME_ACTION.editSettings,
        value: 'edit',
        label: 'Edit settings of this workspace',
      }),
    ),
    ...ruleParts(settings.rules),
  ];
}

/** What is said after a change. */
export function settingsSaved(settings: WorkspaceSettings): Message {
  return notice(
    ['The settings are saved. The limit counts at once, the rest for lists made from now on.'],
    ...settingsLines(settings),
  );
}

/** The settings are not for the one who asked. */
export function adminsOnly(): Message {
  return notice(
    ['The settings are for admins and owners of this workspace. Nothing was changed.'],
    ['Ask one of them.'],
  );
}
