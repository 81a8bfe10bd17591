import type { Command } from '../commands/command.ts';
import type { Form } from '../commands/form.ts';
import { commands } from '../commands/index.ts';
import type { Press } from '../commands/press.ts';
import type { GlobalShortcut, Shortcut } from '../commands/shortcut.ts';

/*
 * What a request is for, found by name. Bolt gets one listener for each kind of request, since it runs every
 * registered listener's chain for every request; the choosing is done here, from the list of commands.
 */
function byName<Thing>(
  list: (command: Command) => readonly (readonly [string, Thing])[],
): Map<string, Thing> {
  return new Map(commands.flatMap(list));
}

/** A command with the message shortcut that leads to it. */
export interface ShortcutCommand {
  readonly command: Command;
  readonly shortcut: Shortcut;
}

const presses = byName<Press>((command) => command.presses.map((press) => [press.actionId, press]));
const forms = byName<Form>((command) => command.forms.map((form) => [form.callbackId, form]));
const shortcuts = byName<ShortcutCommand>((command) =>
  command.shortcut === undefined
    ? []
    : [[command.shortcut.callbackId, { command, shortcut: command.shortcut }]],
);
const globals = byName<GlobalShortcut>(({ globalShortcut }) =>
  globalShortcut === undefined ? [] : [[globalShortcut.callbackId, globalShortcut]],
);
const suggestions = byName<GlobalShortcut['suggestions']>(({ globalShortcut }) =>
  globalShortcut === undefined ? [] : [[globalShortcut.suggestions.actionId, globalShortcut.suggestions]],
);

export const pressNamed = (actionId: string): Press | undefined => presses.get(actionId);
export const formNamed = (callbackId: string): Form | undefined => forms.get(callbackId);
export const shortcutNamed = (callbackId: string): ShortcutCommand | undefined => shortcuts.get(callbackId);
export const globalShortcutNamed = (callbackId: string): GlobalShortcut | undefined =>
  globals.get(callbackId);
export const suggestionsFor = (actionId: string): GlobalShortcut['suggestions'] | undefined =>
  suggestions.get(actionId);
