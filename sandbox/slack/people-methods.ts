import { z } from 'zod';

import type { SeedUser } from './seed.ts';
import { SlackError } from './slack-error.ts';
import { flag, webMethod, type WebMethod } from './web-method.ts';
import type { World } from './world.ts';

const UserInfo = z.object({ user: z.string(), include_locale: flag.optional() });

/** auth.test, and the methods about people and user groups. */
export const peopleMethods = (
  world: World,
  scopes: readonly string[],
): Readonly<Record<string, WebMethod>> => {
  const showEmail = scopes.includes('users:read.email');
  return {
    'auth.test': webMethod([], z.object({}), () => {
      const { id, name, domain, organization } = world.workspace;
      return {
        url: `https://${domain}${organization === undefined ? '' : '.enterprise'}.slack.com/`,
        team: organization?.name ?? name,
        user: world.user(world.app.botUser)?.name,
        team_id: organization?.id ?? id,
        user_id: world.app.botUser,
        bot_id: world.app.botId,
        is_enterprise_install: organization !== undefined,
        ...(organization && { enterprise_id: organization.id }),
      };
    }),

    'auth.teams.list': webMethod([], z.object({}), () => {
      const { id, name } = world.workspace;
      return { teams: world.hasApp(world.app.botUser) ? [{ id, name }] : [] };
    }),

    'users.info': webMethod(['users:read'], UserInfo, ({ user: id, include_locale }) => {
      const user = world.user(id);
      if (user === undefined) throw new SlackError('user_not_found');
      const locale = include_locale === true ? { locale: user.locale ?? 'en-US' } : {};
      return { user: { ...userBody(world, user, showEmail), ...locale } };
    }),

    'usergroups.list': webMethod(
      ['usergroups:read'],
      z.object({ include_users: flag.default(false) }),
      ({ include_users: withUsers }) => ({
        usergroups: world.userGroups.map(({ id, name, handle, users }) => ({
          id,
          team_id: world.workspace.id,
          is_usergroup: true,
          name,
          handle,
          date_delete: 0,
          user_count: users.length,
          ...(withUsers ? { users } : {}),
        })),
      }),
    ),

    'usergroups.users.list': webMethod(
      ['usergroups:read'],
      z.object({ usergroup: z.string() }),
      ({ usergroup }) => {
        const group = world.userGroups.find(({ id }) => id === usergroup);
        if (group === undefined) throw new SlackError('no_such_subteam');
        return { users: group.users };
      },
    ),
  };
};

/** The app can't see email addresses of people from other organizations. */
export const userBody = (world: World, user: SeedUser, showEmail: boolean) => {
  const { id: teamId, organization } = world.workspace;
  const hasEmail = showEmail && user.email !== undefined && world.isInsider(user.id);
  return {
    id: user.id,
    team_id: world.homeOf(user.id).id,
    name: user.name,
    real_name: user.realName,
    deleted: user.deactivated ?? false,
    ...zoneOf(user.tz ?? 'Europe/Amsterdam', world.now()),
    profile: {
      real_name: user.realName,
      display_name: user.realName,
      ...(hasEmail ? { email: user.email } : {}),
    },
    is_admin: user.admin ?? false,
    is_owner: false,
    is_primary_owner: false,
    is_restricted: user.guest !== undefined && user.guest !== false,
    is_ultra_restricted: user.guest === 'one-channel',
    is_bot: user.botId !== undefined,
    ...(organization && world.isInsider(user.id)
      ? { enterprise_user: { id: user.id, enterprise_id: organization.id, teams: [teamId] } }
      : {}),
    ...(world.isInsider(user.id) ? {} : { is_stranger: !meetsApp(world, user.id) }),
  };
};

/** @param at milliseconds since 1970: the offset follows daylight saving. */
const zoneOf = (tz: string, at: number) => {
  const part = (timeZoneName: 'longOffset' | 'long'): string =>
    new Intl.DateTimeFormat('en-US', { timeZone: tz, timeZoneName })
      .formatToParts(at)
      .find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = 0, minutes = 0] = /([+-])(\d\d):(\d\d)/u.exec(part('longOffset')) ?? [];
  const seconds = Number(hours) * 3600 + Number(minutes) * 60;
  return { tz, tz_label: part('long'), tz_offset: sign === '-' ? -seconds : seconds };
};

/**
 * Whether a person from another organization shares a channel with the app. Slack calls only those who don't strangers;
 * that they're no colleague shows in `team_id`: https://docs.slack.dev/reference/objects/user-object.
 */
const meetsApp = (world: World, userId: string): boolean =>
  world.channels().some(({ members }) => members.includes(userId) && members.includes(world.app.botUser));
