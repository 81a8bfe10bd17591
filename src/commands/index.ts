import { agentCommand } from './agent.ts';
import { auditCommand } from './audit.ts';
import type { Command } from './command.ts';
import { deleteCommand } from './delete.ts';
import { digestCommand } from './digest.ts';
import { doctorCommand } from './doctor.ts';
import { findCommand } from './find.ts';
import { createHelpCommand } from './help.ts';
import { proxyCommand } from './proxy.ts';
import { stopCommand } from './stop.ts';
import { subscribeCommand } from './subscribe.ts';
import { subscriptionsCommand } from './subscriptions.ts';
import { unsubscribeCommand } from './unsubscribe.ts';
import { usageCommand } from './usage.ts';
import { visitorCommand } from './visitor.ts';
import { watchCommand } from './watch.ts';

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
