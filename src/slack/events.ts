import type { App as Bolt } from '@slack/bolt';
import { z } from 'zod';
import type { Viewer } from '../commands/rights.ts';
import type { App } from '../parts.ts';
import type { Edge } from './interactions.ts';
import { EventPayload, placeOfEvent } from './payloads.ts';

const id = z.string().min(1);

/** What the manifest subscribes to. Source: docs.slack.dev/reference/events, of each type. */
const Event = z.discriminatedUnion('type', [
  z.object({ type: z.literal('app_home_opened'), user: z.string(), tab: z.string() }),
  z.object({
    /** `channel_left` and `group_left` say that the app was removed. A rename changes nothing: we know channels by their ids. */
    type: z.literal([
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
    /** Left out if nobody invited them. */
    inviter: z.string().optional(),
  }),
  z.object({ type: z.literal('channel_id_changed'), old_channel_id: id, new_channel_id: id }),
  z.object({
    type: z.literal(['app_uninstalled', 'tokens_revoked', 'team_access_granted', 'team_access_revoked']),
  }),
  z.object({ type: z.literal('user_change'), user: z.object({ id }) }),
  z.object({ type: z.literal('subteam_updated'), subteam: z.object({ id }) }),
  z.object({ type: z.literal('subteam_members_changed'), subteam_id: id }),
]);
const Happened = EventPayload.extend({ event: Event });
type OfChannel = Extract<z.infer<typeof Event>, { readonly channel: string }>;

export function listenForEvents(
  bolt: Bolt,
  { forget, outbox, listWorkspaces }: App,
  { read, find, drawHome, answerer, home, changes }: Edge,
): void {
  const { inBackground } = answerer;

  async function opened(viewer: Viewer, tab: string): Promise<void> {
    const caller = await find(viewer);
    if (caller === undefined) return;
    if (tab === 'home') drawHome(caller, 'show');
    inBackground(() => home.firstRun.greet(viewer));
  }

  function changed(workspaceId: string, event: OfChannel, bots: readonly string[]): void {
    const { type, channel, user, inviter } = event;
    const isOfMember = type.startsWith('member_');
    if (isOfMember) forget.channel(workspaceId, channel);
    const isOwn = bots.some((bot) => bot === user);
    // Only the app's joining and leaving matter; if Slack doesn't say who the app is, all count as the app's.
    if (isOfMember && bots.length > 0 && !isOwn) return;
    inBackground(() => changes.changed(workspaceId, channel, type.endsWith('_deleted')));
    if (type === 'member_joined_channel' && isOwn && inviter !== undefined)
      inBackground(() => home.firstRun.added({ workspaceId, userId: inviter }, channel));
  }

  async function take(body: unknown): Promise<void> {
    const payload = read('event', Happened, body);
    if (payload === undefined) return;
    const { event } = payload;
    const { workspaceId, organizationId, bots } = placeOfEvent(payload);
    switch (event.type) {
      case 'app_home_opened':
        return opened({ workspaceId, userId: event.user }, event.tab);
      case 'channel_id_changed':
        return inBackground(() => changes.moved(workspaceId, event.old_channel_id, event.new_channel_id));
      case 'user_change':
        return forget.person(workspaceId, event.user.id);
      case 'subteam_updated':
        return forget.group(workspaceId, event.subteam.id);
      case 'subteam_members_changed':
        return forget.group(workspaceId, event.subteam_id);
      case 'team_access_granted':
      case 'team_access_revoked':
        if (organizationId === undefined) return;
        // Where Slack doesn't say, it's asked again in a minute.
        return inBackground(() => listWorkspaces(organizationId).finally(outbox.wake));
      case 'app_uninstalled':
      case 'tokens_revoked':
        // Either may be late or out of order, and this one of a user's token alone, so Slack is asked.
        for (const doubted of [workspaceId, organizationId])
          if (doubted) inBackground(() => outbox.markTokenUncertain(doubted));
        return;
      default:
        return changed(workspaceId, event, bots);
    }
  }

  // By name, since Bolt fails on a type that isn't text before it finds a pattern's listener.
  for (const type of Event.options.flatMap(({ shape }) => [...shape.type.values]))
    bolt.event(type, ({ body }) => take(body));
}
