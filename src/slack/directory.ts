import { Keyv } from 'keyv';
import { LRUCache } from 'lru-cache';
import type { z } from 'zod';
import type { UserGroup } from '../commands/inputs.ts';
import type { Log } from '../logging/log.ts';
import type { CodeKind } from '../messages/slack-codes.ts';
import type { Shared } from '../messages/visitor-pieces.ts';
import {
  ScopeMissingError,
  type CurrentChannelId,
  type IsInChannel,
  isChannel,
} from '../permissions/permissions.ts';
import {
  ChannelFound,
  GroupMembers,
  Groups,
  MembersPage,
  UserFound,
  slackErrorCode,
  slackErrorKind,
  type SlackChannel,
  type SlackUser,
} from '../workspaces/web-client.ts';
import type { Workspace } from '../workspaces/workspaces.ts';
import { scopeMissing } from './call-failure.ts';

/** How long we act on what Slack said: whoever loses a permission has lost it after this, even if no event says so. */
const FRESH_MS = 5_000;
/** Of names and lists: whoever sees an old one isn't allowed anything by it. */
const NAMES_MS = 5 * 60_000;
// `max` would take the memory for all of them at once.
const bounded = <Value extends {}>(most: number) =>
  new LRUCache<string, Value>({ maxSize: most, sizeCalculation: () => 1 });

interface Said<Answer> {
  readonly answer: Answer;
  readonly askedAt: number;
}

/** An LRUCache, which forgets at once, or a Keyv. */
interface Store<Answer> {
  get(key: string): Said<Answer> | undefined | Promise<Said<Answer> | undefined>;
  set(key: string, said: Said<Answer>): unknown;
  delete(key: string): unknown;
}

/** What Slack said about something, by its age. Failed calls aren't cached. @param elapsed a clock that nobody sets */
function cached<Answer extends {}>(
  elapsed: () => number,
  store: Store<Answer> = bounded(5_000),
  usualMs = FRESH_MS,
) {
  const underWay = new Map<string, Promise<Answer>>();

  async function request(key: string, ask: () => Promise<Answer>): Promise<Answer> {
    const askedAt = elapsed();
    const asked = ask();
    underWay.set(key, asked);
    try {
      const answer = await asked;
      // Not if it was forgotten in the meantime.
      if (underWay.get(key) === asked) await store.set(key, { answer, askedAt });
      return answer;
    } finally {
      if (underWay.get(key) === asked) underWay.delete(key);
    }
  }

  /** What Slack said, if it's no older. */
  async function last(workspaceId: string, id: string, maxAgeMs: number): Promise<Answer | undefined> {
    const said = await store.get(`${workspaceId} ${id}`);
    return said !== undefined && elapsed() - said.askedAt < maxAgeMs ? said.answer : undefined;
  }

  return {
    last,
    /** Simultaneous callers share one request. Rejects as `ask` does. */
    get: async (workspaceId: string, id: string, ask: () => Promise<Answer>, maxAgeMs = usualMs) => {
      const key = `${workspaceId} ${id}`;
      return (await last(workspaceId, id, maxAgeMs)) ?? underWay.get(key) ?? request(key, ask);
    },
    forget: (workspaceId: string, id: string): void => {
      const key = `${workspaceId} ${id}`;
      underWay.delete(key);
      void store.delete(key);
    },
  };
}

export type Find<Needed extends keyof Workspace> = (
  workspaceId: string,
) => Promise<Pick<Workspace, Needed> | undefined>;

/** For what grants nothing. Its key has the install id: after a workspace was removed, nothing kept of it is read again. */
export function cachedNames<Answer extends {}>(find: Find<'installId'>, elapsed: () => number, most: number) {
  // As it is, since nobody else reads it, and without a time to live, which would go by the machine's clock.
  const store = new Keyv<Said<Answer>>({ store: bounded(most), serialization: false });
  const names = cached<Answer>(elapsed, store, NAMES_MS);
  /** Undefined if the app isn't installed. Rejects as `ask` does. */
  return async (workspaceId: string, id: string, ask: () => Promise<Answer>): Promise<Answer | undefined> => {
    const installed = await find(workspaceId);
    return installed && names.get(workspaceId, `${installed.installId ?? ''} ${id}`, ask);
  };
}

/** Rejects with a ScopeMissingError where the app lacks a scope. */
async function askSlack<Answer>(
  { slack }: Pick<Workspace, 'slack'>,
  method: string,
  schema: z.ZodType<Answer>,
  asked: Readonly<Record<string, unknown>> = {},
): Promise<Answer> {
  try {
    return schema.parse(await slack.apiCall(method, asked));
  } catch (error) {
    if (slackErrorKind(error) !== 'missing-scope') throw error;
    throw new ScopeMissingError(scopeMissing(error), error);
  }
}

/** Slack itself. Of these, it would say that they're people. */
const SLACKBOTS: ReadonlySet<string> = new Set(['USLACKBOT', 'USLACK']);

/**
 * `is_stranger` alone isn't enough: it's false for a person who shares a channel with the app. In an Enterprise organization
 * `team_id` may be another of the user's workspaces. Source: docs.slack.dev/reference/objects/user-object.
 */
function isExternalTo(workspaceId: string, user: Partial<SlackUser>): boolean {
  if (user.is_stranger === true) return true;
  return user.team_id !== workspaceId && user.enterprise_user?.teams?.includes(workspaceId) !== true;
}

function profileIn(
  { id, organizationId }: Pick<Workspace, 'id' | 'organizationId'>,
  user: Partial<SlackUser>,
) {
  const isExternal = isExternalTo(id, user);
  // Asked with an organization's token, Slack may speak of another of its workspaces, whose admins are none here.
  const isOfHere = organizationId === undefined || user.team_id === id;
  const { is_admin, is_owner } = isOfHere ? user : (user.enterprise_user ?? {});
  /** IANA name, and BCP 47. */
  const local: { readonly timeZone?: string; readonly locale?: string } = {
    timeZone: user.tz,
    locale: user.locale,
  };
  const names = [user.profile?.display_name, user.profile?.real_name, user.real_name, user.name];
  return {
    name: names.map((name) => name?.trim()).find((name) => name),
    /** Undefined if the profile shows none: an admin can hide emails. */
    email: user.profile?.email || undefined,
    // A deactivated admin isn't one, nor is an admin of another organization.
    isAdmin: user.deleted !== true && !isExternal && (is_admin === true || is_owner === true),
    /** From another organization: in shared channels they can press buttons. */
    isExternal,
    isGuest: user.is_restricted === true || user.is_ultra_restricted === true,
    isBot: user.is_bot === true,
    isDeactivated: user.deleted === true,
    /** East of UTC. */
    utcOffsetSeconds: user.tz_offset ?? 0,
    ...local,
  };
}
type Profile = ReturnType<typeof profileIn>;

/** Somebody of another organization, of whom nothing is shown. */
const UNKNOWN = profileIn({ id: '' }, {});

/** Slack's maximum for one page of conversations.members. */
const PAGE = 999;
/** A press can't wait for more; for a larger channel, the members count as not shown. */
const MOST_PAGES = 5;
/** Any other refusal, like a missing scope or a policy, is no answer, and then no one can act. Source: conversations.members. */
const NOT_SHOWN: ReadonlySet<CodeKind | undefined> = new Set<CodeKind>([
  'not-in-channel',
  'other-conversation',
]);
/** Scopes the app doesn't request: direct messages, of two or of several people, are none of its business. */
const NOT_ASKED_FOR = new Set(['im:read', 'mpim:read']);

/** Slack's code, if it shows the members to no app like this one. */
function notShown(error: unknown): string | undefined {
  if (error instanceof ScopeMissingError)
    return NOT_ASKED_FOR.has(error.scope ?? '') ? error.scope : undefined;
  return NOT_SHOWN.has(slackErrorKind(error)) ? slackErrorCode(error) : undefined;
}

type Includes = (userId: string) => Promise<boolean | undefined>;

/** Reads until somebody is found. Undefined if there are too many to read. */
function createMemberList(readPage: (cursor: string) => Promise<z.infer<typeof MembersPage>>): Includes {
  const read = new Set<string>();
  let [pages, cursor] = [0, ''];
  let reading: Promise<void> | undefined;

  async function readOn(): Promise<void> {
    const { members, response_metadata: more } = await readPage(cursor);
    for (const member of members) read.add(member);
    pages += 1;
    cursor = more?.next_cursor ?? '';
  }

  // Whoever else asks for the same meanwhile shares these requests.
  return async function includes(userId) {
    while (!read.has(userId)) {
      if (pages > 0 && cursor === '') return false;
      if (pages === MOST_PAGES) return undefined;
      reading ??= readOn().finally(() => (reading = undefined));
      await reading;
    }
    return true;
  };
}

const sharingIn = ({ is_ext_shared: shared, is_pending_ext_shared: isPending }: SlackChannel) =>
  shared === false ? isPending === true : shared;

type AskedIn = Pick<Workspace, 'id' | 'organizationId' | 'slack' | 'installedAs'>;

interface DirectoryParts {
  readonly find: Find<'id' | 'installId'>;
  readonly get: (workspaceId: string) => Promise<AskedIn>;
  readonly currentChannelId: CurrentChannelId;
  readonly log: Log;
  readonly elapsed: () => number;
}

/** Source: users.info, usergroups.list, usergroups.users.list; scopes users:read, users:read.email, usergroups:read. */
function createPeople({ find, get, log, elapsed }: DirectoryParts) {
  const profiles = cached<Profile>(elapsed);
  const members = cached<ReadonlySet<string>>(elapsed, bounded(500));
  const colleague = cachedNames<Pick<Profile, 'name' | 'isDeactivated'>>(find, elapsed, 20_000);
  const groups = cachedNames<readonly UserGroup[]>(find, elapsed, 500);

  async function readProfile(workspaceId: string, userId: string): Promise<Profile> {
    const workspace = await get(workspaceId);
    // Nobody is known in another workspace, whatever a payload says, so no one can act there.
    if ((await workspace.installedAs()).workspaceId !== workspaceId) return UNKNOWN;
    if (SLACKBOTS.has(userId)) return { ...UNKNOWN, name: 'Slackbot', isExternal: false, isBot: true };
    const asked = { user: userId, include_locale: true };
    const found = await askSlack(workspace, 'users.info', UserFound, asked).catch((error: unknown) => {
      // Somebody from another organization, of whom Slack shows us nothing.
      if (slackErrorKind(error) === 'unreachable-person') return undefined;
      throw error;
    });
    return found?.user === undefined ? UNKNOWN : profileIn(workspace, found.user);
  }

  /** Rejects if Slack can't be asked, with a ScopeMissingError if the app lacks a scope. */
  const profileOf = (workspaceId: string, userId: string): Promise<Profile> =>
    profiles.get(workspaceId, userId, () => readProfile(workspaceId, userId));

  async function readMembers(workspaceId: string, usergroup: string): Promise<ReadonlySet<string>> {
    try {
      const workspace = await get(workspaceId);
      return new Set((await askSlack(workspace, 'usergroups.users.list', GroupMembers, { usergroup })).users);
    } catch (error) {
      // A group that was deleted after it was named has no members; the other groups still work.
      if (slackErrorKind(error) === 'no-group') return new Set();
      throw error;
    }
  }

  async function listGroups(workspaceId: string): Promise<readonly UserGroup[]> {
    const { usergroups = [] } = await askSlack(await get(workspaceId), 'usergroups.list', Groups);
    return usergroups
      .flatMap(({ id, name = '', handle = '' }) => (id === undefined ? [] : [{ id, name, handle }]))
      .toSorted((a, b) => a.handle.localeCompare(b.handle));
  }

  return {
    profileOf,
    emailOf: async (workspaceId: string, userId: string) => (await profileOf(workspaceId, userId)).email,
    /** Somebody else than who acts. Undefined if the app isn't installed. Rejects if Slack can't be asked. */
    colleagueOf: (workspaceId: string, userId: string) =>
      colleague(workspaceId, userId, async () => {
        const { name, isDeactivated } = await profileOf(workspaceId, userId);
        return { name, isDeactivated };
      }),
    isInGroup: async (workspaceId: string, userId: string, groupId: string): Promise<boolean> => {
      const group = await members.get(workspaceId, groupId, () => readMembers(workspaceId, groupId));
      return group.has(userId);
    },
    /** By handle, to choose from. Undefined if Slack doesn't list them, or the app isn't installed. Never rejects. */
    groupsOf: (workspaceId: string): Promise<readonly UserGroup[] | undefined> =>
      groups(workspaceId, '', () => listGroups(workspaceId)).catch((error: unknown) => {
        log.warn({ err: error }, "Slack didn't list the user groups");
        return undefined;
      }),
    forget: { person: profiles.forget, group: members.forget },
  };
}

/** Who is in a channel. Source: conversations.members; scopes channels:read, groups:read. */
function createMemberships({ get, currentChannelId, log, elapsed }: DirectoryParts) {
  const lists = cached<Includes>(elapsed, bounded(100));

  async function read(workspaceId: string, channelId: string): Promise<Includes> {
    // With an id it had before, no one would be seen to have left.
    const channel = await currentChannelId(workspaceId, channelId);
    const workspace = await get(workspaceId);
    return createMemberList((cursor) =>
      askSlack(workspace, 'conversations.members', MembersPage, {
        channel,
        limit: PAGE,
        ...(cursor !== '' && { cursor }),
      }),
    );
  }

  /** Undefined for a direct message, and if Slack doesn't show the members, or they're too many. Rejects if it can't be asked. */
  const isInChannel: IsInChannel = async (workspaceId, userId, channelId, maxAgeMs) => {
    if (!isChannel(channelId)) return undefined;
    const includes = await lists.get(workspaceId, channelId, () => read(workspaceId, channelId), maxAgeMs);
    let why: string | undefined = 'too_many_members';
    const isMember = await includes(userId).catch((error: unknown) => {
      why = notShown(error);
      if (why === undefined) throw error;
      return undefined;
    });
    if (isMember === undefined)
      log.info(
        { workspaceId, channelId, why },
        "Slack doesn't show who left a channel, so nobody is refused there",
      );
    return isMember;
  };

  return { isInChannel, forget: lists.forget };
}

/** Source: conversations.info; scopes channels:read, groups:read. */
function createChannels({ get, log, elapsed }: DirectoryParts) {
  const infos = cached<SlackChannel>(elapsed);

  const infoOf = (workspaceId: string, channel: string): Promise<SlackChannel> =>
    infos.get(workspaceId, channel, async () => {
      const found = await askSlack(await get(workspaceId), 'conversations.info', ChannelFound, { channel });
      return found.channel ?? {};
    });

  /** What a channel is called; undefined if Slack doesn't show it. Never rejects. */
  async function channelNameOf(workspaceId: string, channelId: string) {
    const info = await infoOf(workspaceId, channelId).catch(() => undefined);
    return info && { name: info.name, isPublic: info.is_channel === true && info.is_private === false };
  }

  return {
    channelNameOf,
    /** Whether every member of the workspace may know about a channel; false if Slack doesn't say. */
    isPublic: async (workspaceId: string, channelId: string): Promise<boolean> =>
      (await channelNameOf(workspaceId, channelId))?.isPublic === true,
    /**
     * Shared, or about to be; a direct message never is. Unknown if Slack doesn't say or know the channel: a private one that
     * gets shared has another id, and a message for the old id may follow it there. Where Slack limits or fails us, what it said
     * within a minute counts. Never rejects.
     */
    isShared: async (workspaceId: string, place: string): Promise<Shared> => {
      if (!isChannel(place)) return false;
      try {
        return sharingIn(await infoOf(workspaceId, place)) ?? 'unknown';
      } catch (error) {
        if (slackErrorKind(error) === 'not-in-channel') return 'unknown';
        log.warn({ err: error }, 'Slack could not be asked whether a channel is shared');
        const last = await infos.last(workspaceId, place, 60_000);
        return (last && sharingIn(last)) ?? 'unknown';
      }
    },
    /** Whether the app is in a channel, and so can post there; undefined if Slack doesn't say. Never rejects. */
    isAppIn: async (workspaceId: string, channelId: string): Promise<boolean | undefined> => {
      try {
        return (await infoOf(workspaceId, channelId)).is_member;
      } catch (error) {
        return slackErrorKind(error) === 'not-in-channel' ? false : undefined;
      }
    },
    forget: infos.forget,
  };
}

export function createDirectory(parts: DirectoryParts) {
  const people = createPeople(parts);
  const memberships = createMemberships(parts);
  const channels = createChannels(parts);
  return {
    ...people,
    ...memberships,
    ...channels,
    forget: {
      ...people.forget,
      channel(workspaceId: string, channelId: string): void {
        memberships.forget(workspaceId, channelId);
        channels.forget(workspaceId, channelId);
      },
    },
  };
}
