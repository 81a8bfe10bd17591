import type { WebClient } from '@slack/web-api';
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
