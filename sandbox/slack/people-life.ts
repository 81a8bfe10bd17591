import { type Interaction, type Outcome, done, refused } from './interaction.ts';
import { userBody } from './people-methods.ts';
import type { PersonChange } from './world.ts';

/**
 * Changes of people and user groups, and the events Slack sends about them, after
 * https://docs.slack.dev/reference/events.
 */

type Parts = Pick<Interaction, 'world' | 'events' | 'manifest'>;

/** Deactivates a person, makes them a guest or an admin, breaks their client; and back. */
export const changePerson = (
  { world, events, manifest }: Parts,
  { id, ...change }: PersonChange & { readonly id: string },
): Outcome => {
  world.changePerson(id, change);
  const user = world.user(id);
  if (user === undefined) return refused('There is no such person.');
  const { losesLinkPresses: _, ...inProfile } = change;
  // Slack doesn't report what a client does.
  if (Object.keys(inProfile).length === 0) return done;
  const showEmail = manifest.scopes.includes('users:read.email');
  events.send({
    type: 'user_change',
    user: userBody(world, user, showEmail),
    cache_ts: Math.floor(world.now() / 1000),
    event_ts: world.nextTs(),
  });
  return done;
};

/** Changes the members of a user group. */
export const changeUserGroup = (
  { world, events }: Parts,
  { id, users }: { readonly id: string; readonly users: readonly string[] },
): Outcome => {
  const before = world.userGroups.find((group) => group.id === id);
  if (before === undefined) return refused('There is no such user group.');
  world.changeUserGroup(id, users);
  const added = users.filter((user) => !before.users.includes(user));
  const removed = before.users.filter((user) => !users.includes(user));
  events.send({
    type: 'subteam_members_changed',
    subteam_id: id,
    team_id: world.workspace.id,
    date_previous_update: Math.floor(world.now() / 1000),
    date_update: Math.floor(world.now() / 1000),
    added_users: added,
    added_users_count: added.length,
    removed_users: removed,
    removed_users_count: removed.length,
    event_ts: world.nextTs(),
  });
  return done;
};
