import type { App as Bolt } from '@slack/bolt';
import { z } from 'zod';
import type { Viewer } from '../commands/rights.ts';
import type { Log } from '../logging/log.ts';
import type { App } from '../parts.ts';
import { EventPayload, createPayloadReader, organizationOfEvent, workspaceOfEvent } from './payloads.ts';

/** Changes of channels, reported at least once and in any order. */
export interface ChannelChanges {
  /** Archived or unarchived, deleted, the app removed or invited: ask Slack for the current state. */
  readonly changed: (workspaceId: string, channelId: string, isDeleted: boolean) => Promise<void>;
  /** The same channel has another id. Bolt has already acknowledged that, so Slack won't repeat it. */
  readonly moved: (workspaceId: string, from: string, to: string) => Promise<void>;
}

const id = z.string().min(1);

/** `channel_left` and `group_left` say that the app was removed. A rename changes nothing: we know channels by their ids. */
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

/** Source: docs.slack.dev/reference/events, of each type. */
const ChannelChanged = z.object({
  type: z.enum(OF_CHANNELS),
  channel: id,
  user: z.string().optional(),
  /** Left out if nobody invited them. */
  inviter: z.string().optional(),
});
const Moved = z.object({
  type: z.literal('channel_id_changed'),
  old_channel_id: id,
  new_channel_id: id,
});
const AccessChanged = z.object({
  type: z.enum(['team_access_granted', 'team_access_revoked']),
  team_ids: z.array(id),
});
const PersonChanged = z.object({ user: z.object({ id }) });
const GroupChanged = z.object({ subteam: z.object({ id }) });
const GroupMembersChanged = z.object({ subteam_id: id });

export interface EventParts {
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
  { access, forget, outbox, now }: Pick<App, 'access' | 'forget' | 'outbox' | 'now'>,
  { log, changes, added, inBackground }: EventParts,
): void {
  const read = createPayloadReader(log);
  /** @param take given the event, its workspace, and its envelope */
  function on<Event>(
    names: readonly string[],
    kind: 'channel event' | 'directory event' | 'event about the app',
    schema: z.ZodType<Event>,
    take: (event: Event, workspaceId: string, envelope: z.infer<typeof EventPayload>) => void,
  ): void {
    for (const name of names) {
      bolt.event(name, async ({ body }) => {
        const payload = read(kind, EventPayload.extend({ event: schema }), body);
        if (payload === undefined) return;
        take(payload.event, workspaceOfEvent(payload), payload);
      });
    }
  }

  on(['channel_id_changed'], 'channel event', Moved, (moved, workspaceId) =>
    inBackground(() => changes.moved(workspaceId, moved.old_channel_id, moved.new_channel_id)),
  );
  on(
    OF_CHANNELS,
    'channel event',
    ChannelChanged,
    ({ type, channel, user, inviter }, workspaceId, envelope) => {
      const bots = (envelope.authorizations ?? []).flatMap(({ user_id: bot }) => bot ?? []);
      const isOfMember = type.startsWith('member_');
      if (isOfMember) forget.channel(workspaceId, channel);
      const isOwn = bots.some((bot) => bot === user);
      // Only the app's joining and leaving matter; if Slack doesn't say who the app is, all count as the app's.
      if (isOfMember && bots.length > 0 && !isOwn) return;
      inBackground(() => changes.changed(workspaceId, channel, type.endsWith('_deleted')));
      if (type === 'member_joined_channel' && isOwn && inviter !== undefined)
        inBackground(() => added({ workspaceId, userId: inviter }, channel));
    },
  );
  // It may be late, or of a user's token alone, so Slack is asked.
  on(
    ['app_uninstalled', 'tokens_revoked'],
    'event about the app',
    z.unknown(),
    (_, workspaceId, envelope) => {
      const organizationId = organizationOfEvent(envelope);
      for (const doubted of [workspaceId, organizationId])
        if (doubted) inBackground(() => outbox.markTokenUncertain(doubted));
    },
  );
  on(
    ['team_access_granted', 'team_access_revoked'],
    'event about the app',
    AccessChanged,
    (event, _, envelope) => {
      const { type, team_ids: workspaceIds } = event;
      const organizationId = organizationOfEvent(envelope);
      if (organizationId === undefined) return;
      log.info(
        { organizationId, workspaceIds, type },
        'an organization changed which workspaces have the app',
      );
      const at = (envelope.event_time ?? now() / 1_000) * 1_000;
      const change = type === 'team_access_granted' ? access.grant : access.revoke;
      inBackground(() => change(organizationId, workspaceIds, at));
    },
  );
  on(['user_change'], 'directory event', PersonChanged, ({ user }, workspaceId) =>
    forget.person(workspaceId, user.id),
  );
  on(['subteam_updated'], 'directory event', GroupChanged, ({ subteam }, workspaceId) =>
    forget.group(workspaceId, subteam.id),
  );
  on(['subteam_members_changed'], 'directory event', GroupMembersChanged, (changed, workspaceId) =>
    forget.group(workspaceId, changed.subteam_id),
  );
}
