import type { WorkspaceSettings } from '../grants/settings.ts';
import { button } from './buttons.ts';
import { HOME_ACTION } from './home-ids.ts';
import { buttons, lines, notice } from './message.ts';
import type { Message, Part } from './message.ts';
import { powerWords } from './power-words.ts';
import { bold, channel, group, user } from './rich-text.ts';
import type { Line, Piece } from './rich-text.ts';
import { count } from './text.ts';

const LISTED = 20;

/** Whether an id, of a deleter, is a user group's. Source: usergroups.list, where ids begin with S. */
export const isGroup = (id: string) => id.startsWith('S');

function list(pieces: readonly Piece[]): Line {
  const shown = pieces.slice(0, LISTED).flatMap((piece, index) => (index === 0 ? [piece] : [', ', piece]));
  const rest = pieces.length - LISTED;
  return rest > 0 ? [...shown, ` and ${count(rest, 'other')}`] : shown;
}

function settingsLines({ mostPower, usualPower, channelPower, deleters }: WorkspaceSettings): Line[] {
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
    [
      bold('Who may delete visitors: '),
      'admins',
      ...(deleters.length === 0
        ? []
        : [', ', ...list(deleters.map((id) => (isGroup(id) ? group(id) : user(id))))]),
    ],
  ];
}

/** The settings as they are, for admins, and the way to change them. */
export function settingsParts(settings: WorkspaceSettings): readonly Part[] {
  return [
    lines(['Only admins of this workspace see this. It counts for everybody here.']),
    lines(...settingsLines(settings)),
    buttons(
      button({
        text: 'Edit settings',
        actionId: HOME_ACTION.editSettings,
        value: 'edit',
        label: 'Edit the settings of this workspace',
      }),
    ),
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
