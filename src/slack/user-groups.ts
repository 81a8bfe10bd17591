import type { WebClient } from '@slack/web-api';
import type { UserGroup } from '../views/home-rule-form.ts';
import { slackErrorCode } from './web-client.ts';

/** Source: usergroups.users.list, Errors. */
const GONE = new Set(['no_such_subteam', 'subteam_not_found']);

/**
 * Whether a user belongs to a user group. Source: usergroups.users.list, scope usergroups:read.
 *
 * @param clientFor the Web API client of a workspace; undefined where the app is not installed there
 */
export function createGroupCheck(clientFor: (workspaceId: string) => Promise<WebClient | undefined>) {
  return async function isInGroup(workspaceId: string, userId: string, groupId: string): Promise<boolean> {
    const client = await clientFor(workspaceId);
    try {
      const answer = await client?.usergroups.users.list({ usergroup: groupId });
      return answer?.users?.includes(userId) ?? false;
    } catch (error) {
      // A group that was deleted since it was named has no members; the other groups still count.
      if (GONE.has(slackErrorCode(error) ?? '')) return false;
      throw error;
    }
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
