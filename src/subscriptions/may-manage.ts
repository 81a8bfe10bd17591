import { RightUnknownError, type Actor } from '../permissions/acts.ts';
import type { Membership } from '../permissions/permissions.ts';
import type { Subscription } from './subscription.ts';
import type { NotManaged } from './messages.ts';

/** Checked at each action. */
export type MayManage = ReturnType<typeof createMayManage>;

export function createMayManage({
  membershipOf,
  isInChannel,
}: {
  readonly membershipOf: (workspaceId: string, userId: string) => Promise<Membership>;
  /** Undefined if Slack doesn't show this app who is in the channel. */
  readonly isInChannel: (
    workspaceId: string,
    userId: string,
    channelId: string,
  ) => Promise<boolean | undefined>;
}) {
  async function authorize({ workspaceId, userId, channelId: at }: Actor, channelId: string, isOwn: boolean) {
    const [membership, isMember] = await Promise.all([
      membershipOf(workspaceId, userId),
      isInChannel(workspaceId, userId, channelId),
    ]);
    if (membership.isDeactivated) return 'deactivated';
    if (membership.isBot) return 'bot';
    if (membership.isExternal) return 'external';
    if (membership.isAdmin || isOwn) return undefined;
    if (membership.isGuest) return 'guest';
    // If Slack doesn't say: it let them type the command there, so they're in it.
    if (isMember === undefined) return at === channelId ? undefined : 'unknown';
    return isMember ? undefined : 'not-member';
  }

  async function asked(actor: Actor, channelId: string, isOwn: boolean): Promise<NotManaged | undefined> {
    try {
      return await authorize(actor, channelId, isOwn);
    } catch (error) {
      throw new RightUnknownError(error);
    }
  }

  /** Why someone can't manage a channel's summaries; undefined if they can. */
  return {
    /** Admins, and the channel's members who aren't guests. Rejects with a RightUnknownError. */
    channel: (actor: Actor, channelId: string) => asked(actor, channelId, false),
    /** The same people, and whoever set it up. */
    one: (actor: Actor, { channelId, setUpBy }: Pick<Subscription, 'channelId' | 'setUpBy'>) =>
      asked(actor, channelId, setUpBy === actor.userId),
  };
}
