import type { SettingsNow, WorkspaceSettings } from '../grants/settings.ts';
import { button } from './buttons.ts';
import { HOME_ACTION } from './home-ids.ts';
import { ruleParts, whoChanged } from './home-rules.ts';
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

/** A setting that somebody else changed while the form was open. */
export interface SettingConflict {
  readonly name: string;
  /** Who did; an empty id is the app itself. */
  readonly by: string;
}

const settingWords = (name: string) => {
  if (name === 'mostPower') return 'the limit';
  return name === 'usualPower' ? 'what Watch grants' : 'what Watch grants in that channel';
};

/** What is said after a change, with the settings as they are now. */
export function settingsSaved(
  settings: WorkspaceSettings,
  conflicts: readonly SettingConflict[] = [],
): Message {
  if (conflicts.length === 0) {
    return notice(
      ['The settings are saved. The limit counts at once, the rest for lists made from now on.'],
      ...settingsLines(settings),
    );
  }
  const [first, ...others] = conflicts.map(({ name, by }): Line => [
    whoChanged(by),
    ` changed ${settingWords(name)} while your form was open, so your change of it wasn’t saved.`,
  ]);
  return notice(first ?? [], ...others, ...settingsLines(settings), [
    'Press Edit settings again to see them and make your change.',
  ]);
}

/** The settings are not for the one who asked. */
export function adminsOnly(): Message {
  return notice(
    ['The settings are for admins and owners of this workspace. Nothing was changed.'],
    ['Ask one of them.'],
  );
}
