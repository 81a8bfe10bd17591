import type { WebClient } from '@slack/web-api';
import type { Profile } from './people.ts';

const UNKNOWN: Profile = {
  name: undefined,
  email: undefined,
  isAdmin: false,
  isStranger: false,
  utcOffsetSeconds: 0,
};

/**
 * Reads a user's Slack profile. An admin can hide emails, and then there is none.
 * Source: users.info, scopes users:read and users:read.email.
 *
 * @param clientFor the Web API client of a workspace; undefined where the app is not installed there
 */
export function createProfiles(clientFor: (workspaceId: string) => Promise<WebClient | undefined>) {
  return async function profile(workspaceId: string, userId: string): Promise<Profile> {
    const client = await clientFor(workspaceId);
    if (client === undefined) return UNKNOWN;
    const { user } = await client.users.info({ user: userId });
    const names = [user?.profile?.display_name, user?.profile?.real_name, user?.real_name, user?.name];
    const name = names.find((candidate) => candidate !== undefined && candidate.trim() !== '');
    const email = user?.profile?.email;
    return {
      name: name?.trim(),
      email: email === '' ? undefined : email,
      // A deactivated admin is none.
      isAdmin: user?.deleted !== true && (user?.is_admin === true || user?.is_owner === true),
      isStranger: user?.is_stranger === true,
      utcOffsetSeconds: user?.tz_offset ?? 0,
    };
  };
}
