import { createFiles, type Files } from './files.ts';
import { createMessages, type Messages } from './messages.ts';
import type { Seed, SeedUser, SeedUserGroup, SeedWorkspace } from './seed.ts';

export interface Channel {
  readonly id: string;
  readonly name: string;
  readonly kind: 'channel' | 'dm';
  readonly topic: string;
  readonly members: readonly string[];
  readonly archived: boolean;
  /** A private channel: whoever isn't in it doesn't know about it. */
  readonly isPrivate: boolean;
  /** The other organization's id, for a channel of Slack Connect. */
  readonly sharedWith?: string;
}

export type PersonChange = Partial<
  Pick<SeedUser, 'admin' | 'deactivated' | 'guest' | 'losesLinkPresses' | 'tz'>
>;

/** Everything in the workspace: people, channels, messages and files. Listeners hear about every change. */
export interface World extends Messages {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly workspace: SeedWorkspace;
  readonly app: Seed['app'] & { readonly botId: string };
  readonly users: readonly SeedUser[];
  user(id: string): SeedUser | undefined;
  changePerson(id: string, change: PersonChange): void;
  /** A person's organization: for most people, the workspace. */
  homeOf(userId: string): SeedWorkspace;
  /** Whether a person belongs to the app's workspace: others don't have its commands, shortcuts or Home tab. */
  isInsider(userId: string): boolean;
  /** Whether a person is offered the app: it's in the workspace, and so are they. */
  hasApp(userId: string): boolean;
  /** The workspace, or one that shares a channel with it. */
  organization(id: string | undefined): SeedWorkspace | undefined;
  readonly userGroups: readonly SeedUserGroup[];
  changeUserGroup(id: string, members: readonly string[]): void;
  channels(): readonly Channel[];
  channel(id: string): Channel | undefined;
  /** The person's direct messages with the app, its "Messages" tab. */
  directMessages(userId: string): Channel | undefined;
  changeChannel(id: string, change: Partial<Pick<Channel, 'members' | 'archived'>>): void;
  /** With all its messages. */
  deleteChannel(id: string): void;
  /** Gives a channel, with all its messages, a new id. */
  moveChannel(id: string, newId: string): void;
  readonly files: Files;
  readonly changed: () => void;
  readonly onChange: (listener: () => void) => () => void;
}

/** @param now milliseconds since 1970; messages get ever-increasing timestamps from it. */
export const createWorld = (seed: Seed, now: () => number, randomId: () => string): World => {
  const channels = new Map(channelsOf(seed).map((channel) => [channel.id, channel]));
  const listeners = new Set<() => void>();
  const changed = (): void => {
    for (const listener of listeners) listener();
  };
  const messages = createMessages(seed.messages, { now, randomId, changed });
  return {
    now,
    workspace: seed.workspace,
    ...createPeople(seed, changed),
    channels: () => [...channels.values()],
    channel: (id) => channels.get(id),
    directMessages: (userId) => channels.get(directMessagesId(userId)),
    changeChannel(id, change) {
      const channel = channels.get(id);
      if (channel === undefined) return;
      channels.set(id, { ...channel, ...change });
      changed();
    },
    deleteChannel(id) {
      channels.delete(id);
      messages.moveAll(id, undefined);
    },
    moveChannel(id, newId) {
      const channel = channels.get(id);
      if (channel === undefined) return;
      channels.delete(id);
      channels.set(newId, { ...channel, id: newId });
      messages.moveAll(id, newId);
    },
    ...messages,
    files: createFiles(randomId),
    changed,
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};

const createPeople = (seed: Seed, changed: () => void) => {
  const users = [...seed.users];
  const userGroups = [...(seed.userGroups ?? [])];
  const user = (id: string): SeedUser | undefined => users.find((it) => it.id === id);
  const organization = (wanted: string | undefined): SeedWorkspace | undefined =>
    [seed.workspace, ...(seed.others ?? [])].find(({ id }) => id === wanted);
  const homeOf = (userId: string): SeedWorkspace => organization(user(userId)?.teamId) ?? seed.workspace;
  const isInsider = (userId: string) => homeOf(userId).id === seed.workspace.id;
  return {
    app: { ...seed.app, botId: user(seed.app.botUser)?.botId ?? '' },
    users,
    user,
    changePerson(id: string, change: PersonChange) {
      const at = users.findIndex((it) => it.id === id);
      const old = users[at];
      if (old === undefined) return;
      users[at] = { ...old, ...change };
      changed();
    },
    organization,
    homeOf,
    isInsider,
    hasApp: (userId: string) => isInsider(userId) && user(seed.app.botUser)?.deactivated !== true,
    userGroups,
    changeUserGroup(id: string, members: readonly string[]) {
      const at = userGroups.findIndex((it) => it.id === id);
      const old = userGroups[at];
      if (old === undefined) return;
      userGroups[at] = { ...old, users: members };
      changed();
    },
  };
};

const channelsOf = (seed: Seed): readonly Channel[] => [
  ...seed.channels.map((channel) => ({
    ...channel,
    kind: 'channel' as const,
    archived: false,
    isPrivate: channel.isPrivate ?? false,
  })),
  ...seed.users
    .filter((user) => user.botId === undefined && user.teamId === undefined)
    .map((user) => ({
      id: directMessagesId(user.id),
      name: seed.users.find((it) => it.id === seed.app.botUser)?.realName ?? 'App',
      kind: 'dm' as const,
      topic: '',
      members: [user.id, seed.app.botUser],
      archived: false,
      isPrivate: false,
    })),
];

const directMessagesId = (userId: string): string => `D${userId.slice(1)}`;
