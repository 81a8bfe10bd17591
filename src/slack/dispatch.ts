import type { Command, Press, Shortcut } from '../commands/command.ts';
import { commands } from '../commands/index.ts';

/*
 * What a request is for, found by name. Bolt gets one listener for each kind of request, since it runs every
 * registered listener's chain for every request; the choosing is done here, from the list of commands.
 */
const presses = new Map<string, Press>(
  commands.flatMap((command) => command.presses.map((press) => [press.actionId, press])),
);

/** A command with the shortcut that leads to it. */
export interface ShortcutCommand {
  readonly command: Command;
  readonly shortcut: Shortcut;
}

const shortcuts = new Map<string, ShortcutCommand>(
  commands.flatMap((command) =>
    command.shortcut === undefined
      ? []
      : [[command.shortcut.callbackId, { command, shortcut: command.shortcut }]],
  ),
);

export const pressNamed = (actionId: string): Press | undefined => presses.get(actionId);
export const shortcutNamed = (callbackId: string): ShortcutCommand | undefined => shortcuts.get(callbackId);
