import { lines, message, points } from './message.ts';
import type { Message } from './message.ts';
import { bold, code } from './rich-text.ts';
import { short } from './text.ts';

/** A subcommand, as help shows it. */
export interface HelpEntry {
  readonly usage: string;
  readonly summary: string;
}

/** Everything that can be asked for, and the search syntax of the service. */
export function help(entries: readonly HelpEntry[]): Message {
  return message(
    lines([bold('What you can ask')]),
    points(...entries.map(({ usage, summary }) => [code(`/cobrowse ${usage}`), '  ', summary])),
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
    lines([
      'On a message, open its menu for ',
      bold('Find visitor'),
      ', ',
      bold('Look up agent'),
      ' and ',
      bold('Stop session'),
      '.',
    ]),
  );
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
  const words = lines([complaint], ['Type ', code(`/cobrowse ${usage}`), '. ', summary]);
  if (examples.length === 0) return message(words);
  return message(
    words,
    lines(['For example:']),
    points(...examples.map((text) => [code(`/cobrowse ${text}`)])),
  );
}
