import type { WebClient } from '@slack/web-api';
import type { UserGroup } from '../messages/form-fields.ts';
import { GroupMembers, Groups } from '../workspaces/slack-answers.ts';
import { slackErrorKind } from '../workspaces/web-client.ts';
import { createKeptAnswers, type FindInstalled } from './kept-answers.ts';
import { createCallMethod, createRecentAnswers } from './recent-answers.ts';

/** A group may have thousands of members. */
const MOST_GROUPS = 500;

/**
 * Who belongs to which user group. Source: usergroups.users.list, scope usergroups:read.
 *
 * @param clientFor the Web API client of a workspace; undefined if the app isn't installed there
 * @param now milliseconds since any moment
 */
export function createUserGroups(
  clientFor: (workspaceId: string) => Promise<WebClient | undefined>,
  now: () => number,
) {
  const groups = createRecentAnswers<ReadonlySet<string>>(now, MOST_GROUPS);
  const callMethod = createCallMethod(now);

  async function membersOf(workspaceId: string, groupId: string): Promise<ReadonlySet<string>> {
    const client = await clientFor(workspaceId);
    if (client === undefined) return new Set();
    try {
      const list = async () => GroupMembers.parse(await client.usergroups.users.list({ usergroup: groupId }));
      return new Set((await callMethod(workspaceId, list)).users);
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

async function listGroups(client: WebClient): Promise<readonly UserGroup[]> {
  const { usergroups = [] } = Groups.parse(await client.usergroups.list());
  return usergroups
    .flatMap(({ id, name = '', handle = '' }) => (id === undefined ? [] : [{ id, name, handle }]))
    .toSorted((a, b) => a.handle.localeCompare(b.handle));
}

/**
 * A workspace's user groups by handle, to choose from. Source: usergroups.list, scope usergroups:read.
 *
 * @param report called with what Slack refused
 */
export function createGroupList(find: FindInstalled, now: () => number, report: (error: unknown) => void) {
  const kept = createKeptAnswers<readonly UserGroup[]>(find, now, MOST_GROUP_LISTS);

  return {
    /** Undefined if Slack doesn't list them, or the app isn't installed. Never rejects. */
    groupsOf: (workspaceId: string): Promise<readonly UserGroup[] | undefined> =>
      kept.get(workspaceId, ALL, listGroups).catch((error: unknown) => {
        report(error);
        return undefined;
      }),
    /** A group was disabled or enabled, or has another name. */
    forget: (workspaceId: string): void => kept.forget(workspaceId, ALL),
  };
}
