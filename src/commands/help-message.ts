import { ACTION } from '../messages/action-ids.ts';
import { button, buttons, lines, message, points, type Message, type Part } from '../messages/message.ts';
import { bold, code, short, type Line } from '../messages/text.ts';

/** A button carries it. */
const LONGEST_QUERY = 200;

/** A subcommand, as help shows it. */
export interface HelpEntry {
  readonly usage: string;
  readonly summary: string;
}

/** The search syntax of the service. */
export const searchSyntax: readonly Part[] = [
  lines([bold('How to search')]),
  points(
    ['Any text: names and emails like it'],
    [code('jane@acme.com'), '  this email'],
    ['A link to the page a customer is on, or to the customer in the dashboard'],
    [
      code('jane https://acme.zendesk.com/agent/tickets/42'),
      '  with the ticket, which the session then links',
    ],
    [code('online'), ' or ', code('-online'), '  online or offline customers only'],
    [code('1234'), '  the four-digit lookup code a customer can read to you'],
    [code('#vip'), ' or ', code('tag:vip'), '  a tag'],
    [code('ip:1.1.1.1'), '  an IP address'],
    [code('id:42'), '  the unique ID from your site'],
    [code('integration_id:zendesk:42'), '  the ID in another system'],
  ),
];

const entryLines = (entries: readonly HelpEntry[]): readonly Line[] =>
  entries.map(({ usage, summary }) => [code(`/cobrowse ${usage}`), '  ', summary]);

/** What an agent does every day; the rest is a press away. @param shortcuts the names of those in a message's menu */
export function everydayHelp(entries: readonly HelpEntry[], shortcuts: readonly string[]): Message {
  const names = shortcuts.flatMap((name, index): Line => {
    const before = index === 0 ? '' : index === shortcuts.length - 1 ? ' and ' : ', ';
    return [before, bold(name)];
  });
  return message(
    lines(
      [bold('Find a customer')],
      [
        'Type what you know: ',
        code('/cobrowse jane'),
        ', ',
        code('/cobrowse jane@acme.com'),
        ' or the code the customer sees on the page, like ',
        code('/cobrowse 4821'),
        '.',
      ],
    ),
    lines([bold('Commands')]),
    points(...entryLines(entries)),
    lines(...(names.length === 0 ? [] : [['In a message’s menu: ', ...names, '.']]), [
      'For one command: ',
      code('/cobrowse help find'),
      '.',
    ]),
    buttons(
      button({
        text: 'All commands',
        actionId: ACTION.helpMore,
        value: 'all',
        label: 'All commands and search tips',
      }),
    ),
  );
}

/** Every command, and how to search. @param forAdmins empty for who is none */
export function allCommands(entries: readonly HelpEntry[], forAdmins: readonly HelpEntry[]): Message {
  return message(
    lines([bold('All commands')]),
    points(...entryLines(entries)),
    ...(forAdmins.length === 0 ? [] : [lines([bold('For admins')]), points(...entryLines(forAdmins))]),
    ...searchSyntax,
  );
}

const exampleParts = (examples: readonly string[]): readonly Part[] =>
  examples.length === 0
    ? []
    : [lines(['For example:']), points(...examples.map((text) => [code(`/cobrowse ${text}`)]))];

/** One command. @param more what else there is to say of it */
export function commandHelp(
  { usage, summary }: HelpEntry,
  examples: readonly string[],
  more: readonly Part[] = [],
): Message {
  return message(lines([code(`/cobrowse ${usage}`)], [summary]), ...exampleParts(examples), ...more);
}

const unknown = (word: string): Line => ['I don’t know the command ', code(short(word, 60)), '.'];

/** Help was asked for a word that is no subcommand, but like one. */
export function similarCommand(word: string, { usage, summary }: HelpEntry): Message {
  return message(
    lines(
      [...unknown(word), ' Did you mean ', code(`/cobrowse ${usage}`), '?'],
      [summary, ' For everything else: ', code('/cobrowse help'), '.'],
    ),
  );
}

/** Help was asked for something that is no subcommand, but may be a search. */
export function unknownCommand(typed: string): Message {
  const [word = ''] = typed.split(' ', 1);
  const query = short(typed, LONGEST_QUERY);
  return message(
    lines([...unknown(word), ' Search customers for “', short(typed, 60), '”?']),
    buttons(
      button({
        text: 'Search',
        actionId: ACTION.findRetry,
        value: JSON.stringify({ query, offset: 0 }),
        label: `Search customers for ${query}`,
      }),
    ),
  );
}

/** The argument of a subcommand is missing or not right. @param example how it could be typed */
export function usageMessage(complaint: string, { usage, summary }: HelpEntry, example?: string): Message {
  return message(
    lines(
      [complaint, ...(example === undefined ? [] : [' Try ', code(`/cobrowse ${example}`), '.'])],
      [code(`/cobrowse ${usage}`), '  ', summary],
    ),
  );
}
