import { type Interaction, type Outcome, done, refused } from './interaction.ts';
import type { Channel } from './world.ts';

/**
 * Changes of channels, and the events Slack sends about them, after https://docs.slack.dev/reference/events. An app
 * hears only about channels it is in. Left out: the message Slack posts in the channel along with each event.
 */

type Parts = Pick<Interaction, 'world' | 'events'>;

/** `by` is who did it: an admin, if it doesn't matter. */
interface ChannelChange {
  readonly channel: string;
  readonly by?: string;
}

const admin = 'U0ADA000005';

/** A person or the app's bot joins. */
export const joinChannel = (parts: Parts, wanted: ChannelChange & { readonly user: string }): Outcome => {
  const { world, events } = parts;
  const channel = world.channel(wanted.channel);
  if (channel?.kind !== 'channel') return refused('Nobody can be added there.');
  if (channel.archived) return refused('This channel is archived.');
  if (world.user(wanted.user)?.deactivated === true) return refused('They aren’t in this workspace.');
  if (channel.members.includes(wanted.user)) return done;
  world.changeChannel(channel.id, { members: [...channel.members, wanted.user] });
  const inviter = wanted.by === undefined || wanted.by === wanted.user ? {} : { inviter: wanted.by };
  if (hears(parts, channel.id))
    events.send({ ...membership(parts, wanted), ...inviter, type: 'member_joined_channel' });
  return done;
};

/**
 * A person or the app's bot leaves or is removed. An app learns of its own removal from `channel_left` or `group_left`,
 * not from `member_left_channel`, which is for those who are still there.
 */
export const leaveChannel = (parts: Parts, wanted: ChannelChange & { readonly user: string }): Outcome => {
  const { world, events } = parts;
  const channel = world.channel(wanted.channel);
  if (channel?.kind !== 'channel') return refused('Nobody can be removed there.');
  if (!channel.members.includes(wanted.user)) return done;
  const isApp = wanted.user === world.app.botUser;
  world.changeChannel(channel.id, { members: channel.members.filter((member) => member !== wanted.user) });
  if (isApp) {
    const type = channel.isPrivate ? 'group_left' : 'channel_left';
    events.send({ type, channel: channel.id, actor_id: wanted.by ?? admin, event_ts: world.nextTs() });
  } else if (hears(parts, channel.id)) {
    events.send({ ...membership(parts, wanted), type: 'member_left_channel' });
  }
  return done;
};

export const archiveChannel = (parts: Parts, { channel: id, by = admin }: ChannelChange): Outcome =>
  change(parts, id, (channel) => {
    if (channel.archived) return undefined;
    parts.world.changeChannel(id, { archived: true });
    const type = channel.isPrivate ? 'group_archive' : 'channel_archive';
    return { type, channel: id, user: by, is_moved: 0 };
  });

export const unarchiveChannel = (parts: Parts, { channel: id, by = admin }: ChannelChange): Outcome =>
  change(parts, id, (channel) => {
    if (!channel.archived) return undefined;
    parts.world.changeChannel(id, { archived: false });
    return channel.isPrivate
      ? { type: 'group_unarchive', channel: id, actor_id: by }
      : { type: 'channel_unarchive', channel: id, user: by };
  });

/** Permanently, with all its messages. */
export const deleteChannel = (parts: Parts, { channel: id, by = admin }: ChannelChange): Outcome =>
  change(parts, id, (channel) => {
    parts.world.deleteChannel(id);
    return channel.isPrivate
      ? {
          type: 'group_deleted',
          channel: id,
          date_deleted: Math.floor(parts.world.now() / 1000),
          actor_id: by,
        }
      : { type: 'channel_deleted', channel: id };
  });

/**
 * Gives a channel a new id, with everything in it; the old id is unknown from then on. Slack does this to a private
 * channel that gets shared with another organization.
 */
export const convertChannel = (
  parts: Parts,
  { channel: id, newId }: ChannelChange & { readonly newId: string },
): Outcome =>
  change(parts, id, () => {
    parts.world.moveChannel(id, newId);
    return { type: 'channel_id_changed', old_channel_id: id, new_channel_id: newId };
  });

/** @param make changes the world; @returns its event, undefined if nothing changed. */
const change = (
  parts: Parts,
  id: string,
  make: (channel: Channel) => (Readonly<Record<string, unknown>> & { readonly type: string }) | undefined,
): Outcome => {
  const channel = parts.world.channel(id);
  if (channel?.kind !== 'channel') return refused('There is no such channel.');
  const isHeard = hears(parts, id);
  const event = make(channel);
  if (event !== undefined && isHeard) parts.events.send({ ...event, event_ts: parts.world.nextTs() });
  return done;
};

const hears = ({ world }: Parts, channel: string): boolean =>
  world.channel(channel)?.members.includes(world.app.botUser) === true;

const membership = ({ world }: Parts, { channel, user }: ChannelChange & { readonly user: string }) => ({
  user,
  channel,
  // A single letter; today private channels have a "C" as well.
  channel_type: 'C',
  team: world.homeOf(user).id,
  event_ts: world.nextTs(),
});
