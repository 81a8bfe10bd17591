import leven from 'leven';
import { z } from 'zod';
import { needAccount, type CobrowseClient } from '../cobrowse/client.ts';
import { ACTION } from '../messages/action-ids.ts';
import { after, type Message } from '../messages/message.ts';
import { watchLinkNotSearched } from '../messages/refusals.ts';
import { RightUnknownError } from '../permissions/acts.ts';
import type { Caller, Viewer } from './caller.ts';
import { defineCommand, type Command } from './command.ts';
import { allCommands, everydayHelp, similarCommand, unknownCommand } from './help-message.ts';
import { LONGEST_SEARCH, isForbidden, typedText, withoutLinkSecrets } from './typed.ts';
import { definePress } from './press.ts';

/** The subcommands that work with this service. */
function offeredBy(commands: readonly Command[], { offers }: Pick<CobrowseClient, 'offers'>) {
  const sessionEnds = offers.sessionEndWebhook || offers.lookupAgent;
  return commands.filter(
    ({ needs }) => needs === undefined || (needs === 'sessionEnds' ? sessionEnds : offers[needs]),
  );
}

/** The subcommand with a similar name, if any. */
export function nearest(
  word: string,
  commands: readonly Command[],
  { workspace }: Caller,
): Command | undefined {
  const [best] = offeredBy(commands, workspace.cobrowse)
    .map((command) => ({ command, distance: leven(word.toLowerCase(), command.name) }))
    .filter(({ command, distance }) => distance <= Math.max(1, Math.floor(command.name.length / 2)))
    .toSorted((a, b) => a.distance - b.distance);
  return best?.command;
}

/** Help for the other commands, and for itself. */
export function createHelpCommand(
  others: readonly Command[],
  isAdmin: (who: Viewer) => Promise<boolean>,
): Command {
  const all = (): readonly Command[] => [...others, helpCommand];

  /** If Slack can't be asked, the rest is still worth showing. */
  async function isKnownAdmin(caller: Caller): Promise<boolean> {
    try {
      return await isAdmin(caller);
    } catch (error) {
      if (error instanceof RightUnknownError) return false;
      throw error;
    }
  }

  function overview({ workspace }: Caller): Message {
    // Hardly anything works without: the answer then says how to connect one.
    needAccount(workspace.cobrowse);
    const offered = offeredBy(others, workspace.cobrowse);
    const shortcuts = offered.flatMap(({ shortcut }) => (shortcut === undefined ? [] : [shortcut.title]));
    return everydayHelp(
      offered.filter(({ level }) => level === 'everyday'),
      shortcuts,
    );
  }

  async function everything(caller: Caller): Promise<Message> {
    const offered = offeredBy(all(), caller.workspace.cobrowse);
    const forAdmins = (await isKnownAdmin(caller)) ? offered.filter(({ level }) => level === 'admin') : [];
    return allCommands(
      offered.filter(({ level }) => level !== 'admin'),
      forAdmins,
    );
  }

  const helpCommand: Command = defineCommand({
    name: 'help',
    usage: 'help [command]',
    summary: 'List the commands, or explain one',
    right: 'everybody',
    argument: typedText.transform((text) => withoutLinkSecrets(text.replace(/^\/cobrowse\s+/i, ''))),
    async run(text, caller) {
      const [word = ''] = text.split(' ', 1);
      const named = all().find(({ name }) => name === word.toLowerCase());
      if (named !== undefined) return named.help();
      if (word === '' || text.length > LONGEST_SEARCH) return overview(caller);
      if (isForbidden(text, caller)) return watchLinkNotSearched;
      const guess = nearest(word, all(), caller);
      return guess === undefined
        ? after(unknownCommand(text), overview(caller))
        : similarCommand(word, guess);
    },
    presses: [
      definePress({
        actionId: ACTION.helpMore,
        answer: 'replace',
        right: 'everybody',
        value: z.string(),
        run: (_value, caller) => everything(caller),
      }),
    ],
  });
  return helpCommand;
}
