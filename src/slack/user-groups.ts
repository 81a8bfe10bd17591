import type { WebClient } from '@slack/web-api';

/**
 * Whether a user belongs to a user group. Source: usergroups.users.list, scope usergroups:read.
 *
 * @param clientFor the Web API client of a workspace; undefined where the app is not installed there
 */
export function createGroupCheck(clientFor: (workspaceId: string) => Promise<WebClient | undefined>) {
  return async function isInGroup(workspaceId: string, userId: string, groupId: string): Promise<boolean> {
    const client = await clientFor(workspaceId);
    const answer = await client?.usergroups.users.list({ usergroup: groupId });
    return answer?.users?.includes(userId) ?? false;
  };
}
