import { auditCommand } from './admin/audit.ts';
import { doctorCommand } from './admin/doctor.ts';
import { usageCommand } from './admin/usage.ts';
import type { Command } from './commands/command.ts';
import type { Form } from './commands/form.ts';
import { createHelpCommand } from './commands/help.ts';
import type { Press } from './commands/press.ts';
import type { GlobalShortcut, Shortcut } from './commands/shortcut.ts';
import { agentCommand } from './sessions/agent.ts';
import { stopCommand } from './sessions/stop.ts';
import { digestCommand } from './subscriptions/digest.ts';
import { subscribeCommand } from './subscriptions/subscribe.ts';
import { subscriptionsCommand } from './subscriptions/subscriptions-command.ts';
import { unsubscribeCommand } from './subscriptions/unsubscribe.ts';
import { deleteCommand } from './visitors/delete.ts';
import { findCommand } from './visitors/find.ts';
import { visitorCommand } from './visitors/visitor.ts';
import { proxyCommand } from './watch/proxy.ts';
import { watchCommand } from './watch/watch.ts';

/** Every subcommand except help, in the order of help. A new one is its own file and a line here. */
const listed: readonly Command[] = [
  findCommand,
  watchCommand,
  visitorCommand,
  agentCommand,
  stopCommand,
  usageCommand,
  proxyCommand,
  deleteCommand,
  auditCommand,
  subscribeCommand,
  unsubscribeCommand,
  subscriptionsCommand,
  digestCommand,
  doctorCommand,
];

export const commands: readonly Command[] = [...listed, createHelpCommand(listed)];

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
