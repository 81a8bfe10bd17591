import leven from 'leven';
import { help, unknownCommand } from '../views/help.ts';
import type { HelpEntry } from '../views/help.ts';
import type { Message } from '../views/message.ts';
import type { Caller } from './caller.ts';
import type { Command } from './command.ts';
import type { Services } from './services.ts';
import { commands } from './index.ts';
import { unescapeSlack } from './slack-input.ts';

const HELP: HelpEntry = { usage: 'help', summary: 'Show what you can ask and how to search.' };

/** What help lists: every subcommand and help itself. */
export const helpEntries: readonly HelpEntry[] = [...commands, HELP];

function nearest(word: string): HelpEntry | undefined {
  const named = [
    ...commands.map((command) => ({ name: command.name, entry: command })),
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

/** Runs what stands after `/cobrowse`. Nothing, "help" and an unknown word answer with usage; a guess is never run. */
export async function runText(text: string, caller: Caller, services: Services): Promise<Message> {
  const trimmed = text.trim();
  const [word = ''] = trimmed.split(/\s+/, 1);
  const command = commandOf(trimmed);
  if (command !== undefined) return command.run(trimmed.slice(word.length), caller, services);
  const typed = unescapeSlack(word);
  if (typed === '' || typed.toLowerCase() === 'help') return help(helpEntries);
  return unknownCommand(typed, nearest(typed.toLowerCase()), helpEntries);
}
