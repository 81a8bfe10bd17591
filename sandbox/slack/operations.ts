import { openHome } from './app-home.ts';
import {
  archiveChannel,
  convertChannel,
  deleteChannel,
  joinChannel,
  leaveChannel,
  unarchiveChannel,
} from './channel-life.ts';
import { runCommand, sendMessage } from './commands.ts';
import type { Interaction } from './interaction.ts';
import { closeView, submit } from './modals.ts';
import { reload } from './page-actions.ts';
import { press } from './presses.ts';
import { runGlobalShortcut, runShortcut } from './shortcuts.ts';
import { askSlackbot } from './slackbot.ts';
import { suggest } from './suggestions.ts';

type Args<F extends (interaction: Interaction, args: never) => unknown> = Parameters<F>[1];

/** What people do, for callers without the page. Slack sends the app the events that follow from it. */
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
  join: (args: Args<typeof joinChannel>) => joinChannel(interaction, args),
  leave: (args: Args<typeof leaveChannel>) => leaveChannel(interaction, args),
  archive: (args: Args<typeof archiveChannel>) => archiveChannel(interaction, args),
  unarchive: (args: Args<typeof unarchiveChannel>) => unarchiveChannel(interaction, args),
  deleteChannel: (args: Args<typeof deleteChannel>) => deleteChannel(interaction, args),
  convert: (args: Args<typeof convertChannel>) => convertChannel(interaction, args),
  slackbot: (args: Args<typeof askSlackbot>) => askSlackbot(interaction, args),
  reload: (args: Args<typeof reload>) => reload(interaction, args),
});
