import type { KnownBlock } from '@slack/types';

import { nameElements } from './elements.ts';
import type { Seed } from './seed.ts';

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
  /** Stored for other apps to read, as Slack does; never shown. */
  readonly metadata: unknown;
  /** Ids of the files shared with it. */
  readonly files: readonly string[];
}

type Draft = Pick<Message, 'channel' | 'user' | 'text'> & Partial<Omit<Message, 'ts' | 'edited'>>;

/** All messages of the workspace, oldest first. */
export interface Messages {
  messages(): readonly Message[];
  message(channel: string, ts: string): Message | undefined;
  post(draft: Draft): Message;
  /** A message of the channel, or the parent of its thread. */
  threadRoot(channel: string, ts: string): Message | undefined;
  edit(message: Message, change: Partial<Pick<Message, 'text' | 'blocks' | 'metadata'>>): Message;
  /** Removes a message. If it has a thread, Slackbot's note replaces it. */
  remove(message: Message): void;
  /** Moves all messages of a channel to another; undefined: removes them. */
  moveAll(channel: string, to: string | undefined): void;
  /** A unique timestamp in Slack's form. */
  nextTs(): string;
}

export const createMessages = (
  seed: Seed['messages'],
  options: {
    readonly now: () => number;
    readonly randomId: () => string;
    readonly changed: () => void;
  },
): Messages => {
  const { now, randomId, changed } = options;
  const messages = new Map<string, Message>();
  const nextTs = createTimestamps();
  const keep = (message: Message): Message => {
    messages.set(keyOf(message.channel, message.ts), message);
    changed();
    return message;
  };
  const post = (draft: Draft, atMs: number): Message =>
    keep({ ...plainMessage, ...draft, blocks: withIds(draft.blocks ?? [], randomId), ts: nextTs(atMs) });

  for (const { minutesAgo, ...draft } of seed.toSorted((a, b) => b.minutesAgo - a.minutesAgo)) {
    post(draft, now() - minutesAgo * 60_000);
  }
  return {
    messages: () => [...messages.values()],
    message: (channel, ts) => messages.get(keyOf(channel, ts)),
    threadRoot(channel, ts) {
      const message = messages.get(keyOf(channel, ts));
      return message && (messages.get(keyOf(channel, message.threadTs ?? ts)) ?? message);
    },
    post: (draft) => post(draft, now()),
    edit(message, change) {
      const blocks = withIds(change.blocks ?? message.blocks, randomId);
      // Slack shows "(edited)" on what everyone sees, never on a replaced ephemeral message.
      return keep({ ...message, ...change, blocks, edited: message.visibleTo === undefined });
    },
    remove(message) {
      const { channel, ts } = message;
      const isRoot = [...messages.values()].some((it) => it.channel === channel && it.threadTs === ts);
      if (isRoot) {
        keep({ ...plainMessage, channel, ts, ...tombstone });
        return;
      }
      messages.delete(keyOf(channel, ts));
      changed();
    },
    moveAll(channel, to) {
      for (const message of [...messages.values()].filter((it) => it.channel === channel)) {
        messages.delete(keyOf(channel, message.ts));
        if (to !== undefined) messages.set(keyOf(to, message.ts), { ...message, channel: to });
      }
      changed();
    },
    nextTs: () => nextTs(now()),
  };
};

const plainMessage = {
  threadTs: undefined,
  visibleTo: undefined,
  fromSlack: false,
  metadata: undefined,
  edited: false,
  files: [],
};

const tombstone = { user: 'USLACKBOT', text: 'This message was deleted.', blocks: [], fromSlack: true };

/** Slack gives an id to every block and element without one, since presses refer to them. */
export const withIds = (blocks: readonly KnownBlock[], randomId: () => string): readonly KnownBlock[] =>
  blocks.map((block) => nameElements({ ...block, block_id: block.block_id ?? randomId() }, randomId));

const keyOf = (channel: string, ts: string): string => `${channel}/${ts}`;

/** Seconds and six digits, like Slack's; unique and increasing. */
const createTimestamps = () => {
  let last = 0;
  return (atMs: number): string => {
    last = Math.max(Math.floor(atMs * 1000), last + 1);
    return `${Math.floor(last / 1_000_000)}.${String(last % 1_000_000).padStart(6, '0')}`;
  };
};
