import { searchText } from './commands/search-text.ts';
import type { HelpEntry } from './commands/help-message.ts';
import type { Message } from './messages/message.ts';
import type { Caller } from './commands/caller.ts';
import type { Command } from './commands/command.ts';
import { find, findCommand } from './visitors/find.ts';
import { nearest } from './commands/help.ts';
import { commands } from './catalog.ts';
import type { Services } from './services.ts';
import { unescapeSlack } from './commands/slack-input.ts';

/** Every subcommand, as help shows it. */
export const helpEntries: readonly HelpEntry[] = commands;

// Phones turn two hyphens into a dash.
const ASKS_FOR_HELP = /^(?:--|[—–])help$/i;

const commandNamed = (word: string): Command | undefined =>
  commands.find(({ name }) => name === word.toLowerCase());

/** A text split into its subcommand and argument. Without a subcommand it's a search, or asks for help. */
function read(text: string): { readonly command: Command; readonly rest: string; readonly word?: string } {
  const trimmed = text.trim();
  const [first = ''] = trimmed.split(/\s+/, 1);
  const rest = trimmed.slice(first.length);
  const word = unescapeSlack(first);
  const command = commandNamed(word === '' || ASKS_FOR_HELP.test(word) ? 'help' : first);
  return command === undefined ? { command: findCommand, rest: trimmed, word } : { command, rest };
}

/** The subcommand that a text runs, for the log: the text itself is never logged. */
export const commandOf = (text: string): Command => read(text).command;

/**
 * Runs the text after `/cobrowse`: a subcommand, or a search for the whole text. If that finds nobody and the first word
 * resembles a subcommand, the answer suggests it, but never runs it.
 */
export async function runText(text: string, caller: Caller, services: Services): Promise<Message> {
  const { command, rest, word } = read(text);
  if (ASKS_FOR_HELP.test(rest.trim())) return command.help();
  const query = searchText.safeParse(rest).data;
  const guess = word === undefined ? undefined : nearest(word, commands, services);
  if (guess === undefined || query === undefined) return command.run(rest, caller, services);
  const meant = ['/cobrowse', guess.name, ...query.split(' ').slice(1)].join(' ');
  return find({ query, offset: 0 }, caller, services, meant);
}
