import type { App } from '@slack/bolt';
import type { WebClient } from '@slack/web-api';
import { z } from 'zod';
import type { CurrentChannelId } from '../permissions/permissions.ts';
import type { Installation } from '../workspaces/workspaces.ts';
import { workspaceOfEvent } from './callers.ts';
import { createChannelInfo, createPublicCheck } from './channel-info.ts';
import type { ChannelInfo } from './channel-info.ts';
import { createChannelCheck } from './channel-members.ts';
import type { ChannelCheck } from './channel-members.ts';
import { EventPayload } from './payloads.ts';
import { createProfiles } from './profiles.ts';
import type { Profiles } from './profiles.ts';
import type { ReadPayload } from './read-payload.ts';
import { createUserGroups } from './user-groups.ts';
import type { UserGroups } from './user-groups.ts';

interface DirectoryParts {
  /** The Web API client of a workspace; undefined if the app isn't installed there. */
  readonly clientFor: (workspaceId: string) => Promise<WebClient | undefined>;
  readonly installedAs: (workspaceId: string) => Promise<Installation>;
  readonly currentChannelId: CurrentChannelId;
  /** Milliseconds since any moment. */
  readonly now: () => number;
  readonly read: ReadPayload;
  /** Called with a channel for which Slack doesn't show who left. */
  readonly membersNotShown: (workspaceId: string, channelId: string, why: string) => void;
}

/** Who is who and where, as Slack said at most five seconds ago: people, user groups, members of channels, channels. */
export interface Directory
  extends
    Pick<Profiles, 'profileOf'>,
    Pick<UserGroups, 'isInGroup'>,
    Pick<ChannelCheck, 'isInChannel' | 'isInChannelNow'>,
    Pick<ChannelInfo, 'infoOf'> {
  /** Reports each profile that Slack was asked for. */
  readonly onFreshProfile: Profiles['onFresh'];
  /** Whether every member of the workspace may know about a channel; false if Slack doesn't say. */
  readonly isPublic: ReturnType<typeof createPublicCheck>;
  /** Listens for the changes that Slack reports, so that what changed is asked again. */
  listen(bolt: App): void;
}

const id = z.string().min(1);

const CHANGES = [
  'user_change',
  'member_joined_channel',
  'member_left_channel',
  'subteam_updated',
  'subteam_members_changed',
] as const;

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
  const { clientFor, installedAs, currentChannelId, now, read, membersNotShown } = parts;
  // Nobody is known in another workspace, whatever a payload says, so no one can act there.
  const people = createProfiles(
    async (workspaceId) =>
      (await installedAs(workspaceId)).workspaceId === workspaceId ? clientFor(workspaceId) : undefined,
    now,
  );
  const groups = createUserGroups(clientFor, now);
  const members = createChannelCheck({ clientFor, currentChannelId, now, report: membersNotShown });
  const channels = createChannelInfo(clientFor, now);

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
    onFreshProfile: people.onFresh,
    isInGroup: groups.isInGroup,
    isInChannel: members.isInChannel,
    isInChannelNow: members.isInChannelNow,
    infoOf: channels.infoOf,
    isPublic: createPublicCheck(channels),
    listen(bolt) {
      for (const name of CHANGES) {
        bolt.event(name, async ({ body }) => {
          const changed = read('directory event', Changed, body);
          if (changed !== undefined) forget(workspaceOfEvent(changed), changed.event);
        });
      }
    },
  };
}
