import type { WebClient } from '@slack/web-api';
import type { UserGroup } from '../views/home-rule-form.ts';
import { createCallMethod, createRecentAnswers } from './recent-answers.ts';
import { slackErrorCode } from './web-client.ts';

/** Source: usergroups.users.list, Errors. */
const GONE = new Set(['no_such_subteam', 'subteam_not_found']);
/** A group may have thousands of members. */
const MOST_GROUPS = 500;

/** Who belongs to which user group. */
export interface UserGroups {
  /** Rejects where Slack cannot be asked, with a ScopeMissingError where the app lacks a scope. */
  readonly isInGroup: (workspaceId: string, userId: string, groupId: string) => Promise<boolean>;
  /** The group has other members, or is gone or back. */
  readonly forget: (workspaceId: string, groupId: string) => void;
}

/**
 * Source: usergroups.users.list, scope usergroups:read.
 *
 * @param clientFor the Web API client of a workspace; undefined where the app is not installed there
 * @param now milliseconds from any moment on
 */
export function createUserGroups(
  clientFor: (workspaceId: string) => Promise<WebClient | undefined>,
  now: () => number,
): UserGroups {
  const groups = createRecentAnswers<ReadonlySet<string>>(now, MOST_GROUPS);
  const callMethod = createCallMethod(now);

  async function membersOf(workspaceId: string, groupId: string): Promise<ReadonlySet<string>> {
    const client = await clientFor(workspaceId);
    if (client === undefined) return new Set();
    try {
      const list = () => client.usergroups.users.list({ usergroup: groupId });
      return new Set((await callMethod(workspaceId, list)).users);
    } catch (error) {
      // A group that was deleted since it was named has no members; the other groups still count.
      if (GONE.has(slackErrorCode(error) ?? '')) return new Set();
      throw error;
    }
  }

  return {
    async isInGroup(workspaceId, userId, groupId) {
      const members = await groups.get(workspaceId, groupId, () => membersOf(workspaceId, groupId));
      return members.has(userId);
    },
    forget: (workspaceId, groupId) => groups.forget(workspaceId, groupId),
  };
}

/**
 * The user groups of a workspace by handle; undefined where Slack does not list them. Source: usergroups.list, scope
 * usergroups:read.
 *
 * @param clientFor the Web API client of a workspace; undefined where the app is not installed there
 * @param report told of what Slack refused
 */
export function createGroupList(
  clientFor: (workspaceId: string) => Promise<WebClient | undefined>,
  report: (error: unknown) => void,
) {
  return async function groupsOf(workspaceId: string): Promise<readonly UserGroup[] | undefined> {
    try {
      const client = await clientFor(workspaceId);
      const { usergroups = [] } = (await client?.usergroups.list()) ?? {};
      return usergroups
        .flatMap(({ id, name = '', handle = '' }) => (id === undefined ? [] : [{ id, name, handle }]))
        .toSorted((a, b) => a.handle.localeCompare(b.handle));
    } catch (error) {
      report(error);
      return undefined;
    }
  };
}
