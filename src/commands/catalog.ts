import type { Message } from '../messages/message.ts';
import { pressRunning, type Command, type Form, type Press, type Shortcut, type Surface } from './command.ts';
import { createHelpCommand, nearest } from './help.ts';
import type { Caller, IfAllowed, Viewer } from './rights.ts';
import { unescapeSlack } from './typed.ts';

export interface ShortcutCommand {
  readonly command: Command;
  readonly shortcut: Shortcut;
}

// Phones turn two hyphens into a dash.
const ASKS_FOR_HELP = /^(?:--|[—–])help$/i;

export type Catalog = ReturnType<typeof createCatalog>;

/**
 * Finds what an interaction is for, by the name that Slack sends with it. Bolt has one listener for each kind of interaction,
 * since it runs the chains of all listeners for every request.
 */
export function createCatalog(
  search: Command,
  listed: readonly Command[],
  home: Surface,
  isAdmin: (who: Viewer) => Promise<boolean>,
) {
  const help = createHelpCommand(listed, isAdmin);
  const commands: readonly Command[] = [...listed, help];
  const retry = pressRunning(
    { run: (text, presser, ifAllowed) => asked(text).run(presser, ifAllowed) },
    { actionId: 'retry', answer: 'replace' },
  );
  const presses = new Map(
    [...commands, home, { presses: [retry] }].flatMap((one) => one.presses).map((one) => [one.actionId, one]),
  );
  const forms = new Map([...commands, home].flatMap((one) => one.forms).map((one) => [one.callbackId, one]));
  const shortcuts = commands.flatMap((command): readonly ShortcutCommand[] =>
    command.shortcut === undefined ? [] : [{ command, shortcut: command.shortcut }],
  );
  const globals = commands.flatMap(({ globalShortcut }) => globalShortcut ?? []);

  /** Without a subcommand it's a search, or asks for help. */
  function read(text: string): { readonly command: Command; readonly rest: string; readonly word?: string } {
    const trimmed = text.trim();
    const [first = ''] = trimmed.split(/\s+/, 1);
    const rest = trimmed.slice(first.length);
    const word = unescapeSlack(first);
    if (word === '' || ASKS_FOR_HELP.test(word)) return { command: help, rest };
    const command = commands.find(({ name }) => name === first.toLowerCase());
    return command === undefined ? { command: search, rest: trimmed, word } : { command, rest };
  }

  /**
   * Reads the text after `/cobrowse`: a subcommand, or a search. If that finds nobody and the first word resembles a
   * subcommand, the answer suggests it, but never runs it. The text itself is never logged.
   */
  function asked(text: string) {
    const { command, rest, word } = read(text);
    return {
      command,
      run: async (caller: Caller, ifAllowed: IfAllowed): Promise<Message> => {
        if (ASKS_FOR_HELP.test(rest.trim())) return command.help();
        const meant = word === undefined ? undefined : nearest(word, commands, caller);
        return command.run(rest, caller, ifAllowed, meant && `/cobrowse ${meant.name}`);
      },
    };
  }

  return {
    commands,
    home,
    asked,
    press: (actionId: string): Press | undefined => presses.get(actionId),
    form: (callbackId: string): Form | undefined => forms.get(callbackId),
    shortcut: (callbackId: string) => shortcuts.find(({ shortcut }) => shortcut.callbackId === callbackId),
    globalShortcut: (callbackId: string) => globals.find((global) => global.callbackId === callbackId),
    suggestions: (actionId: string) =>
      globals.map(({ suggestions }) => suggestions).find((one) => one.actionId === actionId),
  };
}
