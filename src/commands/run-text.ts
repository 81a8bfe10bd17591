import leven from 'leven';
import type { CobrowseClient } from '../cobrowse/client.ts';
import { commandHelp, help, unknownCommand } from '../views/help.ts';
import type { HelpEntry } from '../views/help.ts';
import type { Message } from '../views/message.ts';
import type { Caller } from './caller.ts';
import type { Command } from './command.ts';
import type { Services, Uses } from './services.ts';
import { commands } from './index.ts';
import { unescapeSlack } from './slack-input.ts';

const HELP: HelpEntry = {
  usage: 'help [command]',
  summary: 'List the commands and how to search, or explain one command.',
};

/** Every subcommand and help itself. */
export const helpEntries: readonly HelpEntry[] = [...commands, HELP];

// Phones turn two hyphens into a dash.
const ASKS_FOR_HELP = /^(?:--|[—–])help$/i;

/** The subcommands that work with this service. */
const offeredBy = ({ offers }: Pick<CobrowseClient, 'offers'>): readonly Command[] =>
  commands.filter(({ needs }) => needs === undefined || offers[needs]);

function nearest(word: string, offered: readonly Command[]): HelpEntry | undefined {
  const named = [
    ...offered.map((command) => ({ name: command.name, entry: command })),
    { name: 'help', entry: HELP },
  ];
  const [best] = named
    .map(({ name, entry }) => ({ entry, distance: leven(word, name), length: name.length }))
    .filter(({ distance, length }) => distance <= Math.max(1, Math.floor(length / 2)))
    .toSorted((a, b) => a.distance - b.distance);
  return best?.entry;
}

/** The subcommand a text begins with, for the log: never more of the text. */
export function commandOf(text: string): Command | undefined {
  const word = text.trim().split(/\s+/, 1)[0]?.toLowerCase();
  return commands.find(({ name }) => name === word);
}

/** Of one command where it is named, else of all that work here. @param named what stands after "help" */
function helpFor(named: string, { cobrowse }: Uses<'cobrowse'>): Message {
  const offered = offeredBy(cobrowse);
  const word = named.replace(/^\/cobrowse\s+/i, '').toLowerCase();
  if (word === 'help') return commandHelp(HELP, []);
  const command = commandOf(word);
  if (command !== undefined) return command.help();
  const guess = word === '' ? undefined : nearest(word, offered);
  const shortcuts = offered.flatMap(({ shortcut }) => (shortcut === undefined ? [] : [shortcut.title]));
  const entries = [...offered, HELP];
  return guess === undefined ? help(entries, shortcuts) : unknownCommand(named, guess, entries);
}

/** Runs what stands after `/cobrowse`. Nothing, "help" and an unknown word answer with usage; a guess is never run. */
export async function runText(text: string, caller: Caller, services: Services): Promise<Message> {
  const trimmed = text.trim();
  const [word = ''] = trimmed.split(/\s+/, 1);
  const command = commandOf(trimmed);
  const rest = trimmed.slice(word.length);
  if (command !== undefined)
    return ASKS_FOR_HELP.test(rest.trim()) ? command.help() : command.run(rest, caller, services);
  const typed = unescapeSlack(word);
  if (typed === '' || typed.toLowerCase() === 'help' || ASKS_FOR_HELP.test(typed))
    return helpFor(unescapeSlack(rest), services);
  const offered = offeredBy(services.cobrowse);
  return unknownCommand(typed, nearest(typed.toLowerCase(), offered), [...offered, HELP]);
}
