import type { App } from '@slack/bolt';
import { z } from 'zod';
import { workspaceOfEvent } from './callers.ts';
import { EventPayload } from './payloads.ts';

/** What becomes of channels, told at least once and in any order. */
export interface ChannelNews {
  /** Archived or brought back, deleted, the app removed or invited: ask Slack what is so now. */
  readonly changed: (workspaceId: string, channelId: string, isDeleted: boolean) => Promise<void>;
  /** The same channel has another id. Bolt has acknowledged that already: Slack does not tell it again. */
  readonly moved: (workspaceId: string, from: string, to: string) => Promise<void>;
}

interface ChannelEventsParts {
  readonly news: ChannelNews;
  /** Work that nobody waits for, and that a stop must not cut off. */
  readonly inBackground: (work: () => Promise<void>) => void;
}

const id = z.string().min(1);

/**
 * Source: docs.slack.dev/reference/events, of each type. The app hears of its own removal by `channel_left` and
 * `group_left`. A rename changes nothing: channels are known by their ids.
 */
const Changed = EventPayload.extend({
  event: z.object({
    type: z.enum([
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
    ]),
    channel: id,
    user: z.string().optional(),
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

/** The events of channels that the manifest subscribes to. */
export function listenForChannels(app: App, { news, inBackground }: ChannelEventsParts): void {
  app.event(/^(?:channel|group|member)_/, async ({ body }) => {
    const moved = Moved.safeParse(body);
    if (moved.success) {
      const { event } = moved.data;
      inBackground(() =>
        news.moved(workspaceOfEvent(moved.data), event.old_channel_id, event.new_channel_id),
      );
      return;
    }
    const changed = Changed.safeParse(body);
    if (!changed.success || isOfSomebodyElse(changed.data)) return;
    const { event } = changed.data;
    inBackground(() =>
      news.changed(workspaceOfEvent(changed.data), event.channel, event.type.endsWith('_deleted')),
    );
  });
}
