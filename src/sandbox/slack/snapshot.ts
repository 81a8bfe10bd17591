import type { Manifest } from './manifest.ts';
import type { PageMessage, PageView, Snapshot } from './page-api.ts';
import type { PressMarks } from './press-marks.ts';
import type { OpenView, ViewStacks } from './view-stacks.ts';
import type { Message } from './messages.ts';
import type { Channel, World } from './world.ts';

interface Seen {
  readonly world: World;
  readonly views: ViewStacks;
  readonly marks: PressMarks;
  readonly manifest: Manifest;
  readonly completions: Snapshot['completions'];
}

/** Everything one user sees at this moment: no one else's ephemeral or direct messages. */
export const snapshotFor = (
  userId: string,
  { world, views, marks, manifest, completions }: Seen,
): Snapshot => {
  const channels = world.channels().filter((channel) => channel.members.includes(userId));
  const visible = new Set(channels.map((channel) => channel.id));
  return {
    me: userId,
    workspace: world.workspace.name,
    users: world.users.map((user) => ({
      id: user.id,
      name: user.realName,
      initials: initials(user.realName),
      is_bot: user.botId !== undefined,
    })),
    channels: channels.map((channel) => pageChannel(channel, world.app.botUser)),
    messages: world
      .messages()
      .filter((message) => visible.has(message.channel) && (message.visibleTo ?? userId) === userId)
      .map(pageMessage),
    views: views.of(userId).map(pageView),
    commands: manifest.commands.map(({ command, description, usage_hint }) => ({
      command,
      description,
      usage_hint,
    })),
    shortcuts: manifest.shortcuts.map(({ callback_id, name, description }) => ({
      callback_id,
      name,
      description,
    })),
    completions,
    pending: marks.pending(userId),
    failed: marks.failed(userId),
  };
};

const pageChannel = (channel: Channel, botUser: string) => ({
  id: channel.id,
  name: channel.name,
  kind: channel.kind,
  topic: channel.topic,
  has_app: channel.members.includes(botUser),
});

const pageMessage = (message: Message): PageMessage => ({
  ts: message.ts,
  channel: message.channel,
  user: message.user,
  text: message.text,
  blocks: message.blocks,
  ...(message.threadTs === undefined ? {} : { thread_ts: message.threadTs }),
  edited: message.edited,
  ephemeral: message.visibleTo !== undefined,
  from_slack: message.fromSlack,
});

const pageView = ({ id, modal, errors }: OpenView): PageView => ({
  id,
  title: modal.title.text,
  ...(modal.submit === undefined ? {} : { submit: modal.submit.text }),
  ...(modal.close === undefined ? {} : { close: modal.close.text }),
  blocks: modal.blocks,
  errors,
});

const initials = (name: string): string =>
  name
    .split(/[ -]/u)
    .map((word) => word.charAt(0).toUpperCase())
    .slice(0, 2)
    .join('');
