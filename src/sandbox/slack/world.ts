import type { KnownBlock } from '@slack/types';

import type { Seed, SeedUser } from './seed.ts';

export interface Channel {
  readonly id: string;
  readonly name: string;
  readonly kind: 'channel' | 'dm';
  readonly topic: string;
  readonly members: readonly string[];
  readonly archived: boolean;
}

export interface Message {
  readonly ts: string;
  readonly channel: string;
  readonly user: string;
  readonly text: string;
  readonly blocks: readonly KnownBlock[];
  readonly threadTs: string | undefined;
  readonly edited: boolean;
  /** The one user who sees an ephemeral message; undefined for everyone. */
  readonly visibleTo: string | undefined;
  readonly fromSlack: boolean;
  /** Kept as Slack keeps it for other apps to read; never shown. */
  readonly metadata: unknown;
}

export type Draft = Pick<Message, 'channel' | 'user' | 'text'> & Partial<Omit<Message, 'ts' | 'edited'>>;

/** Everything the workspace holds: people, channels and messages. Every change is told to the listeners. */
export interface World {
  readonly workspace: Seed['workspace'];
  readonly app: Seed['app'] & { readonly botId: string };
  readonly users: readonly SeedUser[];
  user(id: string): SeedUser | undefined;
  channels(): readonly Channel[];
  channel(id: string): Channel | undefined;
  /** The person's direct messages with the app, its "Messages" tab. */
  directMessages(userId: string): Channel | undefined;
  changeChannel(id: string, change: Partial<Pick<Channel, 'members' | 'archived'>>): void;
  messages(): readonly Message[];
  message(channel: string, ts: string): Message | undefined;
  post(draft: Draft): Message;
  edit(message: Message, change: Partial<Pick<Message, 'text' | 'blocks' | 'metadata'>>): Message;
  remove(message: Message): void;
  /** A timestamp of Slack's form, unlike every other. */
  nextTs(): string;
  readonly changed: () => void;
  readonly onChange: (listener: () => void) => () => void;
}

/**
 * @param now milliseconds since 1970; messages get ever growing timestamps from it.
 */
export const createWorld = (seed: Seed, now: () => number, randomId: () => string): World => {
  const users = new Map(seed.users.map((user) => [user.id, user]));
  const channels = new Map(channelsOf(seed).map((channel) => [channel.id, channel]));
  const messages = new Map<string, Message>();
  const listeners = new Set<() => void>();
  const nextTs = createTimestamps();

  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const keep = (message: Message): Message => {
    messages.set(keyOf(message.channel, message.ts), message);
    changed();
    return message;
  };
  const post = (draft: Draft, atMs = now()): Message =>
    keep({
      threadTs: undefined,
      visibleTo: undefined,
      fromSlack: false,
      metadata: undefined,
      ...draft,
      blocks: withIds(draft.blocks ?? [], randomId),
      edited: false,
      ts: nextTs(atMs),
    });

  for (const { minutesAgo, ...draft } of seed.messages.toSorted((a, b) => b.minutesAgo - a.minutesAgo)) {
    post(draft, now() - minutesAgo * 60_000);
  }
  return {
    workspace: seed.workspace,
    app: { ...seed.app, botId: users.get(seed.app.botUser)?.botId ?? '' },
    users: seed.users,
    user: (id) => users.get(id),
    channels: () => [...channels.values()],
    channel: (id) => channels.get(id),
    directMessages: (userId) => channels.get(directMessagesId(userId)),
    changeChannel(id, change) {
      const channel = channels.get(id);
      if (channel === undefined) return;
      channels.set(id, { ...channel, ...change });
      changed();
    },
    messages: () => [...messages.values()],
    message: (channel, ts) => messages.get(keyOf(channel, ts)),
    post: (draft) => post(draft),
    edit: (message, change) =>
      keep({
        ...message,
        ...change,
        blocks: withIds(change.blocks ?? message.blocks, randomId),
        // Slack shows "(edited)" on what everyone sees, never on a replaced ephemeral message.
        edited: message.visibleTo === undefined,
      }),
    remove(message) {
      messages.delete(keyOf(message.channel, message.ts));
      changed();
    },
    nextTs: () => nextTs(now()),
    changed,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};

/** Slack names every block and element the sender left without a name: presses refer to them. */
export const withIds = (blocks: readonly KnownBlock[], randomId: () => string): readonly KnownBlock[] =>
  blocks.map((block) => nameElements({ ...block, block_id: block.block_id ?? randomId() }, randomId));

const nameElements = (block: KnownBlock, randomId: () => string): KnownBlock => {
  const named = <E extends { readonly action_id?: string }>(element: E) => ({
    ...element,
    action_id: element.action_id ?? randomId(),
  });
  if (block.type === 'actions') return { ...block, elements: block.elements.map(named) };
  if (block.type === 'input') return { ...block, element: named(block.element) };
  if (block.type === 'section' && block.accessory !== undefined && block.accessory.type !== 'image') {
    return { ...block, accessory: named(block.accessory) };
  }
  return block;
};

const channelsOf = (seed: Seed): readonly Channel[] => [
  ...seed.channels.map((channel) => ({ ...channel, kind: 'channel' as const, archived: false })),
  ...seed.users
    .filter((user) => user.botId === undefined)
    .map((user) => ({
      id: directMessagesId(user.id),
      name: seed.users.find((it) => it.id === seed.app.botUser)?.realName ?? 'App',
      kind: 'dm' as const,
      topic: '',
      members: [user.id, seed.app.botUser],
      archived: false,
    })),
];

const directMessagesId = (userId: string): string => `D${userId.slice(1)}`;

const keyOf = (channel: string, ts: string): string => `${channel}/${ts}`;

/** Seconds and six digits, as Slack's; never twice the same, never backwards. */
const createTimestamps = () => {
  let last = 0;
  return (atMs: number): string => {
    last = Math.max(Math.floor(atMs * 1000), last + 1);
    return `${Math.floor(last / 1_000_000)}.${String(last % 1_000_000).padStart(6, '0')}`;
  };
};
