import { z } from 'zod';

import { openHome } from './app-home.ts';
import { removeApp } from './app-life.ts';
import { archiveChannel, joinChannel, leaveChannel, unarchiveChannel } from './channel-life.ts';
import { runCommand, sendMessage } from './commands.ts';
import { done, refused, type Interaction, type Outcome } from './interaction.ts';
import { applyRequest, misbehaviorRequest, type Misbehaviors } from './misbehaviors.ts';
import { closeView, submit } from './modals.ts';
import { changePerson } from './people-life.ts';
import { press } from './presses.ts';
import { runGlobalShortcut, runShortcut } from './shortcuts.ts';
import { askSlackbot } from './slackbot.ts';
import { suggest } from './suggestions.ts';

/** The page's requests, by the name in their address; see page-api.ts. */
export type PageActions = Readonly<Record<string, (body: unknown) => Promise<Outcome>>>;

const as = z.string();
/** A browser may know one that this Node doesn't: the person then keeps theirs. */
const zone = z.string().refine(isZone).optional().catch(undefined);
const state = z.record(z.string(), z.record(z.string(), z.record(z.string(), z.unknown())));
const source = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message'), channel: z.string(), ts: z.string() }),
  z.object({ type: z.literal('view'), view_id: z.string() }),
]);
const typed = z.object({ as, channel: z.string(), text: z.string(), thread_ts: z.string().optional() });
const chosen = z.object({ as, channel: z.string(), message_ts: z.string(), callback_id: z.string() });
const chosenGlobally = z.object({ as, callback_id: z.string(), viewing: z.string().optional() });
const opened = z.object({ as, tab: z.enum(['home', 'messages']) });
const onElement = z.object({ as, source, block_id: z.string(), action_id: z.string() });
const pressed = onElement.extend({
  selected_option: z.unknown().optional(),
  state: state.optional(),
});
const asked = onElement.extend({ value: z.string(), state: state.optional() });
const wanted = z.object({
  as,
  tool: z.string().optional(),
  args: z.record(z.string(), z.unknown()).optional(),
});
const inView = z.object({ as, view_id: z.string() });
const channelChange = z.object({
  as,
  channel: z.string(),
  change: z.enum(['archive', 'unarchive', 'invite-app', 'remove-app']),
});
const phoneChange = z.object({ as, loses_link_presses: z.boolean() });

/** What a page can do besides what people do in Slack. */
interface SandboxControls {
  readonly misbehaviors: Misbehaviors;
  readonly closeTour: () => void;
  readonly reset: (() => Promise<unknown>) | undefined;
}

export const createPageActions = (
  parts: Interaction,
  { misbehaviors, closeTour, reset }: SandboxControls,
): PageActions => ({
  reload: reading(z.object({ as, tz: zone }), async (args) => reload(parts, args)),
  command: reading(typed, (args) => runCommand(parts, args)),
  message: reading(typed, (args) => sendMessage(parts, args)),
  shortcut: reading(chosen, (args) => runShortcut(parts, args)),
  'global-shortcut': reading(chosenGlobally, (args) => runGlobalShortcut(parts, args)),
  home: reading(opened, (args) => openHome(parts, args)),
  press: reading(pressed, (args) => press(parts, args)),
  suggest: reading(asked, (args) => suggest(parts, args)),
  slackbot: reading(wanted, (args) => askSlackbot(parts, args)),
  submit: reading(inView.extend({ state }), (args) => submit(parts, args)),
  channel: reading(channelChange, async (args) => changeChannel(parts, args)),
  uninstall: reading(z.object({ as }), async () => removeApp(parts)),
  phone: reading(phoneChange, async (args) => changePhone(parts, args)),
  misbehave: reading(misbehaviorRequest, async (request) => {
    applyRequest(misbehaviors, request);
    return done;
  }),
  close: reading(inView, (args) => closeView(parts, args)),
  tour: reading(z.object({ as }), async () => {
    closeTour();
    return done;
  }),
  reset: reading(z.object({ as }), async () => {
    if (reset === undefined) return refused('This sandbox can’t be reset from its page.');
    // The answer goes out first: the reset closes the server.
    setImmediate(() => void reset());
    return done;
  }),
});

/** Reloading a page loses the user's ephemeral messages and open modals, of which the app isn't notified. */
export const reload = (
  parts: Interaction,
  { as: userId, tz }: { readonly as: string; readonly tz?: string | undefined },
): Outcome => {
  const { world, views, marks } = parts;
  if (tz !== undefined && tz !== world.user(userId)?.tz) changePerson(parts, { id: userId, tz });
  for (const message of world.messages()) {
    if (message.visibleTo === userId) world.remove(message);
  }
  views.closeAll(userId);
  marks.forget(userId);
  return done;
};

/** Slack lets members archive and invite; whoever isn't in a channel has no menu for it. */
const changeChannel = (
  parts: Interaction,
  { as: by, channel, change }: z.output<typeof channelChange>,
): Outcome => {
  const { world } = parts;
  if (world.channel(channel)?.members.includes(by) !== true) return refused('You are not in this channel.');
  const act = { channel, by, user: world.app.botUser };
  if (change === 'archive') return archiveChannel(parts, act);
  if (change === 'unarchive') return unarchiveChannel(parts, act);
  return change === 'invite-app' ? joinChannel(parts, act) : leaveChannel(parts, act);
};

const changePhone = (
  { world }: Interaction,
  { as: user, loses_link_presses: losesLinkPresses }: z.output<typeof phoneChange>,
): Outcome => {
  world.changePerson(user, { losesLinkPresses });
  return done;
};

const reading =
  <S extends z.ZodType>(schema: S, run: (args: z.output<S>) => Promise<Outcome>) =>
  async (body: unknown): Promise<Outcome> => {
    const parsed = schema.safeParse(body);
    return parsed.success ? run(parsed.data) : refused('The page sent something that cannot be read.');
  };

function isZone(tz: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: tz }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}
