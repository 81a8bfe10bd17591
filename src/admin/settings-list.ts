import { button, buttons, lines, message, problem, type Message, type Part } from '../messages/message.ts';
import { accessWords } from '../messages/session-words.ts';
import {
  bold,
  channel,
  count,
  group,
  say,
  short,
  user,
  type Line,
  type Maybe,
  type Piece,
} from '../messages/text.ts';
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

/** "a, b and 3 others", or "none". */
export function listed<One>(all: readonly One[], most: number, words: (one: One) => Piece | Line): Line {
  if (all.length === 0) return ['none'];
  const rest = all.length - most;
  const shown = all.slice(0, most).flatMap((one) => [', ', ...[words(one)].flat()]);
  return say`${shown.slice(1)}${rest > 0 && ` and ${count(rest, 'other')}`}`;
}

function named(id: string): Piece | Line {
  if (isGroup(id)) return group(id);
  return isChannel(id) ? ['the members of ', channel(id)] : user(id);
}

export const ruleLine = (act: Act, { members, ids }: Rule): Line => {
  const everybody = members ? 'members, not guests' : 'admins';
  return say`${bold(`${RULE_TITLES[act]}: `)}${everybody}${ids.length > 0 && say`, ${listed(ids, LISTED, named)}`}`;
};

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

const linksLine = (title: string, links: readonly string[]): Line =>
  say`${bold(`${title}: `)}${listed(links, LINKS_LISTED, (one) => short(one, 100))}`;

export const ticketLine = ({ ticketPrefixes }: Links): Line => linksLine('Ticket addresses', ticketPrefixes);

export const recordLine = ({ recordLinks }: Links): Line => linksLine('Customer records', recordLinks);

const switchLine = (title: string, is: boolean): Line => [bold(`${title}: `), is ? 'on' : 'off'];

const NAMES_IN_FILES = 'Customers’ names and emails in files';
const LEAVES =
  'Slackbot then gets what whoever asks it can see: customers’ names, emails and pages, sessions, follow-ups and usage. That leaves this app for Slackbot and its model. It needs a Slack plan with Slackbot, and the app set up for it: see docs/slackbot.md.';

const change = (what: string, actionId: string, value = 'edit') =>
  button({ text: 'Change', actionId, value, label: `Change: ${what}` });

/** Each setting: how it is, what else to know before it's changed, and the button that changes it. */
function settingsIn(settings: SettingsNow) {
  const { namesInFiles, slackbot } = settings;
  const turn = slackbot ? 'Turn off Slackbot' : 'Turn on Slackbot';
  return [
    { is: accessLines(settings), changed: change('Access', 'home_edit_settings') },
    ...ACTS.map((act) => ({
      is: [ruleLine(act, settings.rules[act])],
      changed: change(RULE_TITLES[act], 'home_change_rule', act),
    })),
    { is: [ticketLine(settings)], changed: change('Ticket addresses', 'home_ticket_addresses') },
    { is: [recordLine(settings)], changed: change('Customer records', 'home_record_links') },
    {
      is: [switchLine(NAMES_IN_FILES, namesInFiles)],
      more: 'The file of /cobrowse sessions then says who the customers were.',
      changed: change(NAMES_IN_FILES, 'home_names_in_files', namesInFiles ? 'off' : 'on'),
    },
    {
      is: [switchLine('Slackbot', slackbot)],
      more: LEAVES,
      changed: button({
        text: turn,
        actionId: 'home_slackbot',
        value: slackbot ? 'off' : 'on',
        label: `${turn} for this workspace`,
      }),
    },
  ];
}

export const settingsParts = (settings: SettingsNow): readonly Part[] => [
  lines(...settingsIn(settings).flatMap(({ is }) => is)),
  buttons(
    button({
      text: 'Settings',
      actionId: 'home_settings',
      value: 'settings',
      label: 'Settings of this workspace, for admins',
    }),
  ),
];

export const settingsMenu = (settings: SettingsNow): Message =>
  message(
    lines(['Only workspace admins see this. It applies to everyone here.']),
    ...settingsIn(settings).flatMap(({ is, more, changed }) => [
      lines(...is, more !== undefined && [more]),
      buttons(changed),
    ]),
  );

export const whoChanged = (by: string): Piece => (by === '' ? 'The app' : user(by));

export const OPEN_AGAIN: Line = ['To make your change, open the form again in the Home tab.'];

/** What a form says that wasn't saved because of somebody else. @param what they changed  @param now how it is now */
export const changedMeanwhile = (
  whats: readonly (readonly [by: string, what: string])[],
  ...now: Maybe<Line>[]
) =>
  problem(
    ...whats.map(
      ([by, what]) =>
        say`${whoChanged(by)} changed ${what} while your form was open, so your change wasn’t saved.`,
    ),
    ...now,
    OPEN_AGAIN,
  );
