import { lines, message, points } from './message.ts';
import type { Message, Part } from './message.ts';
import { bold, code } from './rich-text.ts';
import type { Line } from './rich-text.ts';
import { short } from './text.ts';

/** A subcommand, as help shows it. */
export interface HelpEntry {
  readonly usage: string;
  readonly summary: string;
}

/** The search syntax of the service. */
export const searchSyntax: readonly Part[] = [
  lines([bold('How to search')]),
  points(
    ['Any text: names and emails that are like it'],
    [code('jane@acme.com'), '  this email'],
    [code('online'), ' or ', code('-online'), '  only visitors who are online, or who are not'],
    [code('1234'), '  the four-digit lookup code a customer can read to you'],
    [code('#vip'), '  a tag'],
    [code('ip:1.1.1.1'), '  an IP address'],
    [code('id:42'), '  the unique id your site gave the visitor'],
    [code('integration_id:zendesk:42'), '  the id in another system'],
  ),
];

/** Everything that can be asked for. @param shortcuts the names of those in a message's menu */
export function help(entries: readonly HelpEntry[], shortcuts: readonly string[]): Message {
  const names = shortcuts.flatMap((name, index): Line => {
    const before = index === 0 ? '' : index === shortcuts.length - 1 ? ' and ' : ', ';
    return [before, bold(name)];
  });
  return message(
    lines([bold('Commands')]),
    points(...entries.map(({ usage, summary }) => [code(`/cobrowse ${usage}`), '  ', summary])),
    ...searchSyntax,
    lines(...(names.length === 0 ? [] : [['In a message’s menu: ', ...names, '.']]), [
      'For one command: ',
      code('/cobrowse help find'),
      '.',
    ]),
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

/** A word that is no subcommand. Nothing is run by a guess. */
export function unknownCommand(
  typed: string,
  guess: HelpEntry | undefined,
  entries: readonly HelpEntry[],
): Message {
  const word = short(typed, 60);
  if (guess === undefined) {
    const usages = entries.map(({ usage }) => [code(`/cobrowse ${usage}`)]);
    return message(lines(['There is no ', code(word), '. You can ask:']), points(...usages));
  }
  return message(
    lines(
      ['There is no ', code(word), '. Did you mean ', code(`/cobrowse ${guess.usage}`), '?'],
      [guess.summary, ' For everything else: ', code('/cobrowse help'), '.'],
    ),
  );
}

/** The argument of a subcommand is missing or not right. */
export function usageMessage(
  complaint: string,
  { usage, summary }: HelpEntry,
  examples: readonly string[] = [],
): Message {
  return message(
    lines([complaint], ['Type ', code(`/cobrowse ${usage}`), '. ', summary]),
    ...exampleParts(examples),
  );
}
