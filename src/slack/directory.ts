import type { App } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { NowCalled } from '../grants/moved-channels.ts';
import { workspaceOfEvent } from './callers.ts';
import { createChannelInfo, createPublicCheck } from './channel-info.ts';
import type { ChannelInfo } from './channel-info.ts';
import { createChannelCheck } from './channel-members.ts';
import type { ChannelCheck } from './channel-members.ts';
import type { InstalledAs } from './installed-as.ts';
import { EventPayload } from './payloads.ts';
import { createProfiles } from './profiles.ts';
import type { Profiles } from './profiles.ts';
import { createUserGroups } from './user-groups.ts';
import type { UserGroups } from './user-groups.ts';

interface DirectoryParts {
  readonly slack: WebClient;
  readonly installedAs: InstalledAs;
  readonly nowCalled: NowCalled;
  /** Milliseconds from any moment on. */
  readonly now: () => number;
  /** Told of a channel of which Slack does not show who left. */
  readonly membersNotShown: (workspaceId: string, channelId: string, why: string) => void;
}

/** Who is who and where, as Slack said at most five seconds ago: people, user groups, members of channels, channels. */
export interface Directory
  extends
    Pick<Profiles, 'profileOf'>,
    Pick<UserGroups, 'isInGroup'>,
    Pick<ChannelCheck, 'isInChannel'>,
    Pick<ChannelInfo, 'infoOf'> {
  /** Whether every member of the workspace may know of a channel; false where Slack does not say. */
  readonly isPublic: ReturnType<typeof createPublicCheck>;
  /** Hears of the changes that Slack tells of: what changed is asked anew. */
  listen(bolt: App): void;
}

const id = z.string().min(1);

/** Source: docs.slack.dev/reference/events, of each type. */
const Changed = EventPayload.extend({
  event: z.discriminatedUnion('type', [
    z.object({ type: z.literal('user_change'), user: z.object({ id }) }),
    z.object({ type: z.enum(['member_joined_channel', 'member_left_channel']), channel: id }),
    z.object({ type: z.literal('subteam_updated'), subteam: z.object({ id }) }),
    z.object({ type: z.literal('subteam_members_changed'), subteam_id: id }),
  ]),
});

export function createDirectory(parts: DirectoryParts): Directory {
  const { slack, installedAs, nowCalled, now, membersNotShown } = parts;
  const anywhere = async () => slack;
  // Of another workspace nobody is known, whatever a payload says: so nobody there may do anything.
  const people = createProfiles(
    async (workspaceId) => (workspaceId === (await installedAs()).workspaceId ? slack : undefined),
    now,
  );
  const groups = createUserGroups(anywhere, now);
  const members = createChannelCheck({ clientFor: anywhere, nowCalled, now, report: membersNotShown });
  const channels = createChannelInfo(anywhere, now);

  function forget(workspaceId: string, event: z.infer<typeof Changed>['event']): void {
    switch (event.type) {
      case 'user_change':
        return people.forget(workspaceId, event.user.id);
      case 'subteam_updated':
        return groups.forget(workspaceId, event.subteam.id);
      case 'subteam_members_changed':
        return groups.forget(workspaceId, event.subteam_id);
      case 'member_joined_channel':
      case 'member_left_channel':
        members.forget(workspaceId, event.channel);
        return channels.forget(workspaceId, event.channel);
      default:
        return event satisfies never;
    }
  }

  return {
    profileOf: people.profileOf,
    isInGroup: groups.isInGroup,
    isInChannel: members.isInChannel,
    infoOf: channels.infoOf,
    isPublic: createPublicCheck(channels),
    listen(bolt) {
      bolt.event(/^(?:user_change|member_|subteam_)/, async ({ body }) => {
        const changed = Changed.safeParse(body);
        if (changed.success) forget(workspaceOfEvent(changed.data), changed.data.event);
      });
    },
  };
}
