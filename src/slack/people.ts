import type { UserGroup } from '../commands/inputs.ts';
import { GroupMembers, Groups, UserFound, type SlackUser, slackErrorKind } from '../workspaces/web-client.ts';
import { cached, cachedNames, createAsk, type ClientFor, type FindInstalled } from './cached.ts';

/** What a Slack profile says. */
export interface Profile {
  readonly name: string | undefined;
  /** Undefined if the profile shows none. */
  readonly email: string | undefined;
  /** Whether the user is an admin or owner of the workspace. */
  readonly isAdmin: boolean;
  /** Whether the user is from another organization: in shared channels they can press buttons. */
  readonly isExternal: boolean;
  /** Whether the user is a guest, in one channel or several. */
  readonly isGuest: boolean;
  readonly isBot: boolean;
  readonly isDeactivated: boolean;
  /** The user's time zone, in seconds east of UTC. */
  readonly utcOffsetSeconds: number;
  /** Its IANA name; undefined if Slack doesn't say. */
  readonly timeZone?: string;
  /** In BCP 47, such as "en-GB"; undefined if Slack doesn't say. */
  readonly locale?: string;
}

/** What is shown about somebody else. Minutes old, so it can't grant anything. */
export type Colleague = Pick<Profile, 'name' | 'isDeactivated'>;

/** As digests and lists name them. */
const MOST_COLLEAGUES = 20_000;

/** Somebody Slack doesn't show us: as little as a person from another organization. */
const UNKNOWN: Profile = {
  name: undefined,
  email: undefined,
  isAdmin: false,
  isExternal: true,
  isGuest: false,
  isBot: false,
  isDeactivated: false,
  utcOffsetSeconds: 0,
};

/** Slack itself. Of these, it would say that they're people. */
const SLACKBOTS: ReadonlySet<string> = new Set(['USLACKBOT', 'USLACK']);

/**
 * Whether a user is from another organization. `is_stranger` alone isn't enough: it's false for a person who shares a
 * channel with the app. In an Enterprise organization `team_id` may be another of the user's workspaces. Source:
 * docs.slack.dev/reference/objects/user-object.
 */
function isExternalTo(workspaceId: string, { team_id, is_stranger, enterprise_user }: SlackUser): boolean {
  if (is_stranger === true) return true;
  return team_id !== workspaceId && enterprise_user?.teams?.includes(workspaceId) !== true;
}

type HearProfile = (workspaceId: string, userId: string, profile: Profile) => void;

/**
 * Users' Slack profiles. An admin can hide emails, and then there is none. Source: users.info, scopes users:read and
 * users:read.email.
 */
export function createProfiles(clientFor: ClientFor, elapsed: () => number) {
  const recent = cached<Profile>(elapsed);
  const ask = createAsk(clientFor, elapsed);
  const listeners: HearProfile[] = [];

  async function read(workspaceId: string, userId: string): Promise<Profile> {
    if (SLACKBOTS.has(userId)) return { ...UNKNOWN, name: 'Slackbot', isExternal: false, isBot: true };
    const asked = { user: userId, include_locale: true };
    const found = await ask('users.info', UserFound, workspaceId, asked).catch((error: unknown) => {
      // Somebody from another organization, of whom Slack shows us nothing.
      if (slackErrorKind(error) === 'unreachable-person') return undefined;
      throw error;
    });
    if (found?.user === undefined) return UNKNOWN;
    const profile = profileIn(workspaceId, found.user);
    for (const hear of listeners) hear(workspaceId, userId, profile);
    return profile;
  }

  return {
    /** Rejects if Slack can't be asked, with a ScopeMissingError if the app lacks a scope. */
    profileOf: (workspaceId: string, userId: string): Promise<Profile> =>
      recent.get(workspaceId, userId, () => read(workspaceId, userId)),
    /** The person was deactivated, or has another role or name. */
    forget: recent.forget,
    /** Reports each profile that Slack was asked for, but not those from the cache. */
    onFresh: (heard: HearProfile) => void listeners.push(heard),
  };
}

/** Other people than the one who acts, as digests, lists and pages name them. */
export function createColleagues(
  profileOf: (workspaceId: string, userId: string) => Promise<Profile>,
  find: FindInstalled,
  elapsed: () => number,
) {
  const names = cachedNames<Colleague>(find, elapsed, MOST_COLLEAGUES);
  return {
    /** Undefined if the app isn't installed. Rejects if Slack can't be asked. */
    colleagueOf: (workspaceId: string, userId: string): Promise<Colleague | undefined> =>
      names.get(workspaceId, userId, async () => {
        const { name, isDeactivated } = await profileOf(workspaceId, userId);
        return { name, isDeactivated };
      }),
    /** The person was deactivated, or has another name. */
    forget: names.forget,
  };
}

function profileIn(workspaceId: string, user: SlackUser): Profile {
  const isExternal = isExternalTo(workspaceId, user);
  const names = [user.profile?.display_name, user.profile?.real_name, user.real_name, user.name];
  const name = names.find((candidate) => candidate !== undefined && candidate.trim() !== '');
  const email = user.profile?.email;
  return {
    name: name?.trim(),
    email: email === '' ? undefined : email,
    // A deactivated admin isn't one, nor is an admin of another organization.
    isAdmin: user.deleted !== true && !isExternal && (user.is_admin === true || user.is_owner === true),
    isExternal,
    isGuest: user.is_restricted === true || user.is_ultra_restricted === true,
    isBot: user.is_bot === true,
    isDeactivated: user.deleted === true,
    utcOffsetSeconds: user.tz_offset ?? 0,
    timeZone: user.tz,
    locale: user.locale,
  };
}

/** A group may have thousands of members. */
const MOST_GROUPS = 500;

/** Who belongs to which user group. Source: usergroups.users.list, scope usergroups:read. */
export function createUserGroups(clientFor: ClientFor, elapsed: () => number) {
  const ask = createAsk(clientFor, elapsed);
  const groups = cached<ReadonlySet<string>>(elapsed, MOST_GROUPS);

  async function membersOf(workspaceId: string, usergroup: string): Promise<ReadonlySet<string>> {
    try {
      return new Set((await ask('usergroups.users.list', GroupMembers, workspaceId, { usergroup }))?.users);
    } catch (error) {
      // A group that was deleted after it was named has no members; the other groups still work.
      if (slackErrorKind(error) === 'no-group') return new Set();
      throw error;
    }
  }

  return {
    /** Rejects if Slack can't be asked, with a ScopeMissingError if the app lacks a scope. */
    isInGroup: async (workspaceId: string, userId: string, groupId: string): Promise<boolean> => {
      const members = await groups.get(workspaceId, groupId, () => membersOf(workspaceId, groupId));
      return members.has(userId);
    },
    /** The group's members changed, or it was disabled or enabled. */
    forget: groups.forget,
  };
}

/** Workspaces whose groups somebody chose from lately: a list may be long. */
const MOST_GROUP_LISTS = 500;
/** There is one for each workspace. */
const ALL = '';

/**
 * A workspace's user groups by handle, to choose from. Source: usergroups.list, scope usergroups:read.
 *
 * @param report called with what Slack refused
 */
export function createGroupList(
  clientFor: ClientFor,
  find: FindInstalled,
  elapsed: () => number,
  report: (error: unknown) => void,
) {
  const ask = createAsk(clientFor, elapsed);
  const lists = cachedNames<readonly UserGroup[]>(find, elapsed, MOST_GROUP_LISTS);

  async function list(workspaceId: string): Promise<readonly UserGroup[]> {
    const { usergroups = [] } = (await ask('usergroups.list', Groups, workspaceId)) ?? {};
    return usergroups
      .flatMap(({ id, name = '', handle = '' }) => (id === undefined ? [] : [{ id, name, handle }]))
      .toSorted((a, b) => a.handle.localeCompare(b.handle));
  }

  return {
    /** Undefined if Slack doesn't list them, or the app isn't installed. Never rejects. */
    groupsOf: (workspaceId: string): Promise<readonly UserGroup[] | undefined> =>
      lists
        .get(workspaceId, ALL, () => list(workspaceId))
        .catch((error: unknown) => {
          report(error);
          return undefined;
        }),
    /** A group was disabled or enabled, or has another name. */
    forget: (workspaceId: string): void => lists.forget(workspaceId, ALL),
  };
}
