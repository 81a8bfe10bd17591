import type { App } from '@slack/bolt';
import { z } from 'zod';
import type { Viewer } from '../home/viewer.ts';
import { workspaceOfEvent } from './callers.ts';
import { EventPayload } from './payloads.ts';
import type { ReadPayload } from './read-payload.ts';

/** What becomes of channels, told at least once and in any order. */
export interface ChannelChanges {
  /** Archived or brought back, deleted, the app removed or invited: ask Slack what is so now. */
  readonly changed: (workspaceId: string, channelId: string, isDeleted: boolean) => Promise<void>;
  /** The same channel has another id. Bolt has acknowledged that already: Slack does not tell it again. */
  readonly moved: (workspaceId: string, from: string, to: string) => Promise<void>;
}

interface ChannelEventsParts {
  readonly news: ChannelChanges;
  /** Somebody added the app to a channel. Told at least once. */
  readonly added: (inviter: Viewer, channelId: string) => Promise<void>;
  readonly read: ReadPayload;
  /** Work that nobody waits for, and that a stop must not cut off. */
  readonly inBackground: (work: () => Promise<void>) => void;
}

const id = z.string().min(1);

const CHANGES = [
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
 * Source: docs.slack.dev/reference/events, of each type. The app hears of its own removal by `channel_left` and
 * `group_left`. A rename changes nothing: channels are known by their ids.
 */
const Changed = EventPayload.extend({
  event: z.object({
    type: z.enum(CHANGES),
    channel: id,
    user: z.string().optional(),
    /** Left out where nobody invited them. */
    inviter: z.string().optional(),
  }),
});
const Moved = EventPayload.extend({
  event: z.object({ type: z.literal('channel_id_changed'), old_channel_id: id, new_channel_id: id }),
});

/** Of comings and goings only the app's own matter; where Slack does not say who the app is, all do. */
function isOfSomebodyElse({ event, authorizations = [] }: z.infer<typeof Changed>): boolean {
  if (!event.type.startsWith('member_') || authorizations.length === 0) return false;
  return authorizations.every(({ user_id: bot }) => bot !== event.user);
}

/** Who added the app itself to the channel. */
function inviterOf({ event, authorizations = [] }: z.infer<typeof Changed>): string | undefined {
  const isOwn = authorizations.some(({ user_id: bot }) => bot === event.user);
  return event.type === 'member_joined_channel' && isOwn ? event.inviter : undefined;
}

/** The events of channels that the manifest subscribes to. */
export function listenForChannels(app: App, { news, added, read, inBackground }: ChannelEventsParts): void {
  app.event('channel_id_changed', async ({ body }) => {
    const moved = read('channel event', Moved, body);
    if (moved === undefined) return;
    const { old_channel_id: from, new_channel_id: to } = moved.event;
    inBackground(() => news.moved(workspaceOfEvent(moved), from, to));
  });
  app.event(new RegExp(`^(?:${CHANGES.join('|')})$`), async ({ body }) => {
    const changed = read('channel event', Changed, body);
    if (changed === undefined || isOfSomebodyElse(changed)) return;
    const { channel, type } = changed.event;
    const workspaceId = workspaceOfEvent(changed);
    inBackground(() => news.changed(workspaceId, channel, type.endsWith('_deleted')));
    const userId = inviterOf(changed);
    if (userId !== undefined) inBackground(() => added({ workspaceId, userId }, channel));
  });
}
