import { button, buttons, lines, message, type Message, type Part } from '../messages/message.ts';
import { accessWords } from '../messages/session-words.ts';
import { bold, channel, count, group, short, user, type Line, type Piece } from '../messages/text.ts';
import { ACTS, isChannel, isGroup, type Act, type Rule } from '../permissions/permissions.ts';
import type { SettingsNow, WorkspaceSettings } from '../workspaces/settings.ts';

const LISTED = 20;
const LINKS_LISTED = 5;

/** What a rule is about. At most 24 characters: a modal's title. */
export const RULE_TITLES = {
  watch: 'Who can watch',
  stop: 'Who can stop sessions',
  delete: 'Who can delete customers',
  usage: 'Who can see usage',
} as const satisfies Record<Act, string>;

function named(id: string): Line {
  if (isGroup(id)) return [', ', group(id)];
  return isChannel(id) ? [', the members of ', channel(id)] : [', ', user(id)];
}

export function ruleLine(act: Act, { members, ids }: Rule): Line {
  const rest = ids.length - LISTED;
  return [
    bold(`${RULE_TITLES[act]}: `),
    members ? 'members, not guests' : 'admins',
    ...ids.slice(0, LISTED).flatMap(named),
    rest > 0 ? ` and ${count(rest, 'other')}` : '',
  ];
}

export function accessLines({ maxAccess, defaultAccess, channelAccess }: WorkspaceSettings | SettingsNow) {
  const channels = Object.entries(channelAccess);
  const rest = channels.length - LISTED;
  return [
    [bold('Maximum access: '), accessWords(maxAccess)],
    [bold('Default access: '), accessWords(defaultAccess)],
    ...channels
      .slice(0, LISTED)
      .map(([id, access]): Line => ['In ', channel(id), `: ${accessWords(access)}`]),
    rest > 0 && [`And ${count(rest, 'more channel')}`],
  ];
}

type Links = Pick<WorkspaceSettings, 'ticketPrefixes' | 'recordLinks'>;

function linksLine(title: string, links: readonly string[]): Line {
  const shown = links.slice(0, LINKS_LISTED).map((one) => short(one, 100));
  const rest = links.length - shown.length;
  const others = rest > 0 ? ` and ${count(rest, 'other')}` : '';
  return [bold(`${title}: `), shown.length === 0 ? 'none' : `${shown.join(', ')}${others}`];
}

export const ticketLine = ({ ticketPrefixes }: Links): Line => linksLine('Ticket addresses', ticketPrefixes);

export const recordLine = ({ recordLinks }: Links): Line => linksLine('Customer records', recordLinks);

const namesLine = ({ namesInFiles }: SettingsNow): Line => [
  bold('Customers’ names and emails in files: '),
  namesInFiles ? 'on' : 'off',
];

const slackbotLine = ({ slackbot }: SettingsNow): Line => [bold('Slackbot: '), slackbot ? 'on' : 'off'];

const LEAVES =
  'Slackbot then gets what whoever asks it can see: customers’ names, emails and pages, sessions, follow-ups and usage. That leaves this app for Slackbot and its model. It needs a Slack plan with Slackbot, and the app set up for it: see docs/slackbot.md.';

export function settingsParts(settings: SettingsNow): readonly Part[] {
  return [
    lines(
      ...accessLines(settings),
      ...ACTS.map((act) => ruleLine(act, settings.rules[act])),
      ticketLine(settings),
      recordLine(settings),
      namesLine(settings),
      slackbotLine(settings),
    ),
    buttons(
      button({
        text: 'Settings',
        actionId: 'home_settings',
        label: 'Settings of this workspace, for admins',
      }),
    ),
  ];
}

const change = (what: string, actionId: string, value = 'edit') =>
  buttons(button({ text: 'Change', actionId, value, label: `Change: ${what}` }));

/** What the Settings button opens: each setting with a button that changes it. */
export const settingsMenu = (settings: SettingsNow): Message =>
  message(
    lines(['Only workspace admins see this. It applies to everyone here.']),
    lines(...accessLines(settings)),
    change('Access', 'home_edit_settings'),
    ...ACTS.flatMap((act) => [
      lines(ruleLine(act, settings.rules[act])),
      change(RULE_TITLES[act], 'home_change_rule', act),
    ]),
    lines(ticketLine(settings)),
    change('Ticket addresses', 'home_ticket_addresses'),
    lines(recordLine(settings)),
    change('Customer records', 'home_record_links'),
    lines(namesLine(settings), ['The file of /cobrowse sessions then says who the customers were.']),
    change(
      'Customers’ names and emails in files',
      'home_names_in_files',
      settings.namesInFiles ? 'off' : 'on',
    ),
    lines(slackbotLine(settings), [LEAVES]),
    buttons(
      button({
        text: settings.slackbot ? 'Turn off Slackbot' : 'Turn on Slackbot',
        actionId: 'home_slackbot',
        value: settings.slackbot ? 'off' : 'on',
        label: `${settings.slackbot ? 'Turn off' : 'Turn on'} Slackbot for this workspace`,
      }),
    ),
  );

export const whoChanged = (by: string): Piece => (by === '' ? 'The app' : user(by));

export const PRESS_AGAIN: Line = ['To make your change, press Settings again.'];
export const OPEN_AGAIN: Line = ['To make your change, open the form again in the Home tab.'];

/** The version of a setting that a form showed; undefined if that can't be read. */
export const readVersion = (seen = ''): number | undefined =>
  /^\d{1,15}$/.test(seen) ? Number(seen) : undefined;
