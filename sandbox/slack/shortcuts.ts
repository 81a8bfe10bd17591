import { done, refused, sayAsSlackbot, type Interaction, type Outcome } from './interaction.ts';
import { globalShortcutPayload, shortcutPayload } from './payloads.ts';

/** A message shortcut. Slack offers none on ephemeral messages. */
export const runShortcut = async (
  parts: Interaction,
  chosen: {
    readonly as: string;
    readonly channel: string;
    readonly message_ts: string;
    readonly callback_id: string;
  },
): Promise<Outcome> => {
  const { world } = parts;
  const channel = world.channel(chosen.channel);
  const message = world.message(chosen.channel, chosen.message_ts);
  const shortcut = parts.manifest.shortcuts.find((it) => it.callback_id === chosen.callback_id);
  if (channel === undefined || message === undefined || !channel.members.includes(chosen.as)) {
    return refused('This message is gone.');
  }
  if (shortcut === undefined || !world.hasApp(chosen.as)) return refused('There is no such shortcut.');
  if (message.visibleTo !== undefined)
    return refused('Shortcuts are not offered on messages only you can see.');
  const acknowledgement = await parts.deliver(
    'interactive',
    shortcutPayload(world, {
      userId: chosen.as,
      channel,
      message,
      callbackId: shortcut.callback_id,
      responseUrl: parts.responseUrls.issue({ channel: channel.id, user: chosen.as }),
      triggerId: parts.triggers.issue(chosen.as, channel.id),
      actionTs: world.nextTs(),
    }),
  );
  if (!acknowledgement.acknowledged) {
    // Slack's client shows a banner here; the page has no place for one, so Slackbot says it.
    const at = { channel: channel.id, user: chosen.as };
    sayAsSlackbot(world, at, `${shortcut.name} failed because the app did not respond.`);
  }
  return done;
};

/**
 * A global shortcut. The app doesn't learn where the person was, but a modal it opens does, for menus of conversations
 * that start with the current one.
 */
export const runGlobalShortcut = async (
  parts: Interaction,
  chosen: { readonly as: string; readonly callback_id: string; readonly viewing?: string | undefined },
): Promise<Outcome> => {
  const { world } = parts;
  const shortcut = parts.manifest.globalShortcuts.find((it) => it.callback_id === chosen.callback_id);
  if (shortcut === undefined || !world.hasApp(chosen.as)) return refused('There is no such shortcut.');
  const acknowledgement = await parts.deliver(
    'interactive',
    globalShortcutPayload(world, {
      userId: chosen.as,
      callbackId: shortcut.callback_id,
      triggerId: parts.triggers.issue(chosen.as, chosen.viewing),
      actionTs: world.nextTs(),
    }),
  );
  return acknowledgement.acknowledged
    ? done
    : refused(`${shortcut.name} failed because the app did not respond.`);
};
