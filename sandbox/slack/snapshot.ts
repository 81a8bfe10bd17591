import { filesOf } from './bodies.ts';
import type { StoredFile } from './files.ts';
import type { Interaction } from './interaction.ts';
import type { Message } from './messages.ts';
import type { PageFile, PageHome, PageMessage, PageView, Snapshot } from './page-api.ts';
import { permalinkOf } from './permalinks.ts';
import type { SeedUser } from './seed.ts';
import type { OpenView } from './view-stacks.ts';
import { shownBlocks } from './views.ts';
import type { Channel, World } from './world.ts';

type Seen = Pick<Interaction, 'world' | 'views' | 'homes' | 'marks' | 'manifest'> & {
  readonly resets: number;
  readonly completions: Snapshot['completions'];
  readonly canReset: boolean;
  readonly tour: Snapshot['tour'];
  readonly installing: Snapshot['installing'];
  /** The stand-in Slack's address. */
  readonly base: string;
  /** What was made of each message: one that changes is replaced, and every change shows all of them again. */
  readonly shown: WeakMap<Message, PageMessage>;
};

/** Everything one user sees right now: no one else's ephemeral or direct messages. */
export const snapshotFor = (userId: string, seen: Seen): Snapshot => {
  const { world, views, marks } = seen;
  const channels = world
    .channels()
    .filter(({ kind, members }) => members.includes(userId) && (kind === 'channel' || world.hasApp(userId)));
  const visible = new Set(channels.map((channel) => channel.id));
  return {
    resets: seen.resets,
    me: userId,
    workspace: world.homeOf(userId).name,
    users: world.users.map((user) => pageUser(user, userId, world)),
    channels: channels.map((channel) => pageChannel(channel, userId, seen)),
    messages: world
      .messages()
      .filter((message) => visible.has(message.channel) && (message.visibleTo ?? userId) === userId)
      .map((message) => seen.shown.get(message) ?? pageMessage(message, seen)),
    views: views.of(userId).map((view) => pageView(world, view)),
    ...pageHome(userId, seen),
    user_groups: world.userGroups.map(({ id, handle }) => ({ id, handle })),
    ...offersOf(userId, seen),
    pending: marks.pending(userId),
    failed: marks.failed(userId),
    loses_link_presses: world.user(userId)?.losesLinkPresses ?? false,
    can_reset: seen.canReset,
    tour: seen.tour,
    installing: seen.installing,
  };
};

/** The app's commands and shortcuts. Where it isn't installed there are none: in other organizations, or here. */
const offersOf = (userId: string, { world, manifest, completions }: Seen) => {
  if (!world.hasApp(userId)) return { commands: [], shortcuts: [], global_shortcuts: [], completions: [] };
  return {
    commands: manifest.commands.map(({ command, description, usage_hint }) => ({
      command,
      description,
      usage_hint,
    })),
    shortcuts: manifest.shortcuts.map(pageShortcut),
    global_shortcuts: manifest.globalShortcuts.map(pageShortcut),
    completions,
  };
};

const pageShortcut = ({
  callback_id,
  name,
  description,
}: {
  readonly callback_id: string;
  readonly name: string;
  readonly description: string;
}) => ({ callback_id, name, description });

const pageUser = (user: SeedUser, viewerId: string, world: World) => ({
  id: user.id,
  name: user.realName,
  initials: initials(user.realName),
  is_bot: user.botId !== undefined,
  ...(world.homeOf(user.id) === world.homeOf(viewerId) ? {} : { organization: world.homeOf(user.id).name }),
  deactivated: user.deactivated ?? false,
});

const pageChannel = (channel: Channel, viewerId: string, { world, manifest }: Seen) => {
  const shared = world.organization(channel.sharedWith);
  const other = shared && world.isInsider(viewerId) ? shared : shared && world.workspace;
  return {
    id: channel.id,
    name: channel.name,
    kind: channel.kind,
    topic: channel.topic,
    has_app: channel.members.includes(world.app.botUser),
    ...(other === undefined ? {} : { shared_with: other.name }),
    archived: channel.archived,
    read_only: channel.kind === 'dm' && manifest.messagesReadOnly,
  };
};

const pageHome = (userId: string, { world, manifest, homes }: Seen): { readonly home?: PageHome } => {
  const channel = world.directMessages(userId);
  if (channel === undefined || !manifest.homeTab || !world.hasApp(userId)) return {};
  const tab = homes.of(userId);
  const view = tab === undefined ? {} : { view: { id: tab.id, blocks: tab.home.blocks } };
  return { home: { channel: channel.id, ...view } };
};

const pageMessage = (message: Message, { world, base, shown }: Seen): PageMessage => {
  const made = {
    ts: message.ts,
    channel: message.channel,
    user: message.user,
    text: message.text,
    blocks: message.blocks,
    thread_ts: message.threadTs,
    files: filesOf(world, message).map(pageFile),
    ...(message.visibleTo === undefined ? { permalink: permalinkOf(base, message) } : {}),
    edited: message.edited,
    ephemeral: message.visibleTo !== undefined,
    from_slack: message.fromSlack,
  };
  shown.set(message, made);
  return made;
};

const pageFile = (file: StoredFile): PageFile => ({
  id: file.id,
  name: file.name,
  title: file.title,
  size: file.length,
});

const pageView = (world: World, view: OpenView): PageView => ({
  id: view.id,
  title: view.modal.title.text,
  ...(view.modal.submit === undefined ? {} : { submit: view.modal.submit.text }),
  ...(view.modal.close === undefined ? {} : { close: view.modal.close.text }),
  blocks: shownBlocks(world, view),
  errors: view.errors,
});

const initials = (name: string): string =>
  name
    .split(/[ -]/u)
    .map((word) => word.charAt(0).toUpperCase())
    .slice(0, 2)
    .join('');
