import type { Command } from '../commands/command.ts';
import type { Form } from '../commands/form.ts';
import { commands } from '../commands/index.ts';
import type { Press } from '../commands/press.ts';
import type { GlobalShortcut, Shortcut } from '../commands/shortcut.ts';

/** A command with the message shortcut that leads to it. */
export interface ShortcutCommand {
  readonly command: Command;
  readonly shortcut: Shortcut;
}

/** Buttons and forms that belong to no command. */
export interface Surface {
  readonly presses: readonly Press[];
  readonly forms: readonly Form[];
}

/** Finds what an interaction is for, by the name that Slack sends with it. */
export interface Catalog {
  press(actionId: string): Press | undefined;
  form(callbackId: string): Form | undefined;
  shortcut(callbackId: string): ShortcutCommand | undefined;
  globalShortcut(callbackId: string): GlobalShortcut | undefined;
  suggestions(actionId: string): GlobalShortcut['suggestions'] | undefined;
}

/**
 * Bolt gets only one listener for each kind of interaction, because it runs the chain of every registered listener for
 * every request. The choice is made here.
 */
export function createCatalog(others: Surface): Catalog {
  const presses = new Map(
    [...commands.flatMap((command) => command.presses), ...others.presses].map((press) => [
      press.actionId,
      press,
    ]),
  );
  const forms = new Map(
    [...commands.flatMap((command) => command.forms), ...others.forms].map((form) => [form.callbackId, form]),
  );
  const shortcuts = new Map(
    commands.flatMap((command) =>
      command.shortcut === undefined
        ? []
        : [[command.shortcut.callbackId, { command, shortcut: command.shortcut }] as const],
    ),
  );
  const globals = commands.flatMap(({ globalShortcut }) =>
    globalShortcut === undefined ? [] : [globalShortcut],
  );
  return {
    press: (actionId) => presses.get(actionId),
    form: (callbackId) => forms.get(callbackId),
    shortcut: (callbackId) => shortcuts.get(callbackId),
    globalShortcut: (callbackId) => globals.find((global) => global.callbackId === callbackId),
    suggestions: (actionId) =>
      globals.find((global) => global.suggestions.actionId === actionId)?.suggestions,
  };
}
