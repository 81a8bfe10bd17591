import type { SettingsBook } from './settings.ts';

interface RightsParts {
  readonly settings: SettingsBook;
  /** Whether the user is an admin or owner of the workspace, now. */
  readonly isAdmin: (workspaceId: string, userId: string) => Promise<boolean>;
  readonly isInGroup: (workspaceId: string, userId: string, groupId: string) => Promise<boolean>;
}

/** Who may delete visitors: the workspace's admins, and the users and user groups they named. Asked anew each time. */
export function createDeleteRight({ settings, isAdmin, isInGroup }: RightsParts) {
  return async function mayDelete({
    workspaceId,
    userId,
  }: {
    readonly workspaceId: string;
    readonly userId: string;
  }) {
    const { deleters } = await settings.of(workspaceId);
    if (deleters.includes(userId) || (await isAdmin(workspaceId, userId))) return true;
    // User groups' ids begin with S. Source: docs.slack.dev/reference/objects/usergroup-object.
    const groups = deleters.filter((id) => id.startsWith('S'));
    const memberships = await Promise.all(groups.map((group) => isInGroup(workspaceId, userId, group)));
    return memberships.includes(true);
  };
}
