import { openHome } from './app-home.ts';
import { runCommand, sendMessage } from './commands.ts';
import type { Interaction } from './interaction.ts';
import { closeView, submit } from './modals.ts';
import { reload } from './page-actions.ts';
import { press } from './presses.ts';
import { runGlobalShortcut, runShortcut } from './shortcuts.ts';
import { suggest } from './suggestions.ts';

type Args<F extends (interaction: Interaction, args: never) => unknown> = Parameters<F>[1];

/** What people do, for those who drive it without the page. */
export const operations = (interaction: Interaction) => ({
  command: (args: Args<typeof runCommand>) => runCommand(interaction, args),
  message: (args: Args<typeof sendMessage>) => sendMessage(interaction, args),
  shortcut: (args: Args<typeof runShortcut>) => runShortcut(interaction, args),
  globalShortcut: (args: Args<typeof runGlobalShortcut>) => runGlobalShortcut(interaction, args),
  openHome: (args: Args<typeof openHome>) => openHome(interaction, args),
  press: (args: Args<typeof press>) => press(interaction, args),
  suggest: (args: Args<typeof suggest>) => suggest(interaction, args),
  submit: (args: Args<typeof submit>) => submit(interaction, args),
  closeView: (args: Args<typeof closeView>) => closeView(interaction, args),
  reload: (args: Args<typeof reload>) => reload(interaction, args),
});
