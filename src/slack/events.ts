import type { App as Bolt } from '@slack/bolt';
import { z } from 'zod';
import type { Viewer } from '../commands/rights.ts';
import type { Log } from '../logging/log.ts';
import type { App } from '../parts.ts';
import { createPayloadReader, EventPayload, workspaceOfEvent } from './payloads.ts';

/** Changes of channels, reported at least once and in any order. */
export interface ChannelChanges {
  /** Archived or unarchived, deleted, the app removed or invited: ask Slack for the current state. */
  readonly changed: (workspaceId: string, channelId: string, isDeleted: boolean) => Promise<void>;
  /** The same channel has another id. Bolt has already acknowledged that, so Slack won't repeat it. */
  readonly moved: (workspaceId: string, from: string, to: string) => Promise<void>;
}

const id = z.string().min(1);

const OF_CHANNELS = [
  'channel_archive',
  'channel_unarchive',
  'channel_deleted',
  'channel_left',
  'group_archive',
  'group_unarchive',
  'group_deleted',
  'group_left',
  'member_joined_channel',
  'member_left_channel',
] as const;

/**
 * Source: docs.slack.dev/reference/events, of each type. The app learns that it was removed from `channel_left` and
 * `group_left`. A rename changes nothing: we know channels by their ids.
 */
const ChannelChanged = EventPayload.extend({
  event: z.object({
    type: z.enum(OF_CHANNELS),
    channel: id,
    user: z.string().optional(),
    /** Left out if nobody invited them. */
    inviter: z.string().optional(),
  }),
});
const Moved = EventPayload.extend({
  event: z.object({ type: z.literal('channel_id_changed'), old_channel_id: id, new_channel_id: id }),
});
const PersonChanged = EventPayload.extend({ event: z.object({ user: z.object({ id }) }) });
const GroupChanged = EventPayload.extend({ event: z.object({ subteam: z.object({ id }) }) });
const GroupMembersChanged = EventPayload.extend({ event: z.object({ subteam_id: id }) });

/** Only the app's joining and leaving matter; if Slack doesn't say who the app is, treat all as the app's. */
function isOfSomebodyElse({ event, authorizations = [] }: z.infer<typeof ChannelChanged>): boolean {
  if (!event.type.startsWith('member_') || authorizations.length === 0) return false;
  return authorizations.every(({ user_id: bot }) => bot !== event.user);
}

/** Who added the app itself to the channel. */
function inviterOf({ event, authorizations = [] }: z.infer<typeof ChannelChanged>): string | undefined {
  const isOwn = authorizations.some(({ user_id: bot }) => bot === event.user);
  return event.type === 'member_joined_channel' && isOwn ? event.inviter : undefined;
}

interface EventParts {
  readonly log: Log;
  readonly changes: ChannelChanges;
  /** Somebody added the app to a channel. Called at least once. */
  readonly added: (inviter: Viewer, channelId: string) => Promise<void>;
  /** For work that nobody waits for and that a stop must not cut off. */
  readonly inBackground: (work: () => Promise<void>) => void;
}

/** The events that the manifest subscribes to, but for openings of the Home tab. */
export function listenForEvents(
  bolt: Bolt,
  { forget, outbox }: Pick<App, 'forget' | 'outbox'>,
  { log, changes, added, inBackground }: EventParts,
): void {
  const read = createPayloadReader(log);
  bolt.event('channel_id_changed', async ({ body }) => {
    const moved = read('channel event', Moved, body);
    if (moved === undefined) return;
    const { old_channel_id: from, new_channel_id: to } = moved.event;
    inBackground(() => changes.moved(workspaceOfEvent(moved), from, to));
  });
  for (const name of OF_CHANNELS) {
    bolt.event(name, async ({ body }) => {
      const changed = read('channel event', ChannelChanged, body);
      if (changed === undefined) return;
      const { channel, type } = changed.event;
      const workspaceId = workspaceOfEvent(changed);
      if (type.startsWith('member_')) forget.channel(workspaceId, channel);
      if (isOfSomebodyElse(changed)) return;
      inBackground(() => changes.changed(workspaceId, channel, type.endsWith('_deleted')));
      const userId = inviterOf(changed);
      if (userId !== undefined) inBackground(() => added({ workspaceId, userId }, channel));
    });
  }
  for (const name of ['app_uninstalled', 'tokens_revoked'] as const) {
    bolt.event(name, async ({ body }) => {
      const told = read('event about the app', EventPayload, body);
      // It may be late, or of a user's token alone, so Slack is asked.
      if (told !== undefined) inBackground(() => outbox.doubtToken(workspaceOfEvent(told)));
    });
  }
  bolt.event('user_change', async ({ body }) => {
    const changed = read('directory event', PersonChanged, body);
    if (changed !== undefined) forget.person(workspaceOfEvent(changed), changed.event.user.id);
  });
  bolt.event('subteam_updated', async ({ body }) => {
    const changed = read('directory event', GroupChanged, body);
    if (changed !== undefined) forget.group(workspaceOfEvent(changed), changed.event.subteam.id);
  });
  bolt.event('subteam_members_changed', async ({ body }) => {
    const changed = read('directory event', GroupMembersChanged, body);
    if (changed !== undefined) forget.group(workspaceOfEvent(changed), changed.event.subteam_id);
  });
}
