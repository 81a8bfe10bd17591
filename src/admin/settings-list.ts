import type { Right } from '../commands/rights.ts';
import {
  button,
  buttons,
  done,
  lines,
  message,
  problem,
  refusal,
  type Message,
  type Part,
} from '../messages/message.ts';
import { HOME_ACTION } from '../messages/action-ids.ts';
import { accessWords } from '../messages/session-words.ts';
import { bold, channel, count, short, type Line } from '../messages/text.ts';
import type { SettingsNow, WorkspaceSettings } from '../workspaces/settings.ts';
import { ruleLines, ruleParts, whoChanged } from './rule-list.ts';

const LISTED = 20;
const TICKETS_LISTED = 5;

function settingsLines({ maxAccess, defaultAccess, channelAccess }: WorkspaceSettings | SettingsNow): Line[] {
  const channels = Object.entries(channelAccess);
  const shown = channels
    .slice(0, LISTED)
    .map(([id, access]): Line => ['In ', channel(id), `: ${accessWords(access)}`]);
  const rest = channels.length - shown.length;
  return [
    [bold('Maximum access: '), accessWords(maxAccess)],
    [bold('Default access: '), accessWords(defaultAccess)],
    ...shown,
    ...(rest > 0 ? [[`And ${count(rest, 'more channel')}`]] : []),
  ];
}

/** What tickets' addresses begin with. */
export function ticketLines(prefixes: readonly string[]): readonly Line[] {
  const shown = prefixes.slice(0, TICKETS_LISTED).map((prefix) => short(prefix, 100));
  const rest = prefixes.length - shown.length;
  const others = rest > 0 ? ` and ${count(rest, 'other')}` : '';
  return [[bold('Ticket addresses: '), shown.length === 0 ? 'none' : `${shown.join(', ')}${others}`]];
}

const namesLine = ({ namesInFiles }: SettingsNow): Line => [
  bold('Customers’ names and emails in files: '),
  namesInFiles ? 'on' : 'off',
];

/** The settings as they are, for admins, and the way to change them. */
export function settingsParts(settings: SettingsNow): readonly Part[] {
  return [
    lines(
      ...settingsLines(settings),
      ...ruleLines(settings.rules),
      ...ticketLines(settings.ticketPrefixes),
      namesLine(settings),
    ),
    buttons(
      button({
        text: 'Settings',
        actionId: HOME_ACTION.settings,
        value: 'settings',
        label: 'Settings of this workspace, for admins',
      }),
    ),
  ];
}

/** What the Settings button opens: each setting with a button that changes it. */
export function settingsMenu(settings: SettingsNow): Message {
  return message(
    lines(['Only workspace admins see this. It applies to everyone here.']),
    lines(...settingsLines(settings)),
    buttons(
      button({
        text: 'Change',
        actionId: HOME_ACTION.editSettings,
        value: 'edit',
        label: 'Change: Access',
      }),
    ),
    ...ruleParts(settings.rules),
    lines(...ticketLines(settings.ticketPrefixes)),
    buttons(
      button({
        text: 'Change',
        actionId: HOME_ACTION.ticketAddresses,
        value: 'edit',
        label: 'Change: Ticket addresses',
      }),
    ),
    lines(namesLine(settings), ['The file of /cobrowse sessions then says who the customers were.']),
    buttons(
      button({
        text: 'Change',
        actionId: HOME_ACTION.namesInFiles,
        value: settings.namesInFiles ? 'off' : 'on',
        label: 'Change: Customers’ names and emails in files',
      }),
    ),
  );
}

/** A setting that somebody else changed while the form was open. */
export interface SettingConflict {
  readonly name: string;
  /** Who did; an empty id is the app itself. */
  readonly by: string;
}

const settingWords = (name: string) => {
  if (name === 'maxAccess') return 'the maximum access';
  return name === 'defaultAccess' ? 'the default access' : 'the access in that channel';
};

/** The answer to a change, with the settings as they are now. */
export function settingsSaved(
  settings: WorkspaceSettings,
  conflicts: readonly SettingConflict[] = [],
): Message {
  if (conflicts.length === 0) {
    return done(
      ['Settings saved. The maximum applies immediately, the default to new lists.'],
      ...settingsLines(settings),
    );
  }
  const [first, ...others] = conflicts.map(({ name, by }): Line => [
    whoChanged(by),
    ` changed ${settingWords(name)} while your form was open, so your change to it wasn’t saved.`,
  ]);
  return problem(first ?? [], ...others, ...settingsLines(settings), [
    'To make your change, press Settings again.',
  ]);
}

/** For somebody who isn't an admin. */
export function adminsOnly(): Message {
  return refusal(
    ['Only workspace admins and owners can change the settings. Nothing changed.'],
    ['Ask one of them.'],
  );
}

/** The right to see and change settings. @param act what of them, for the audit */
export const forAdmins = (act: string): Right => ({ admins: act, refused: adminsOnly });
