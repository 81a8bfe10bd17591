import { RightUnknownError } from './acts.ts';
import type { Act, Actor, MayAct, Never, Rule, Rules, Verdict } from './acts.ts';
import { isChannel, isGroup } from '../model/slack-ids.ts';

/** What Slack says about somebody in a workspace, right now. */
export interface Membership {
  readonly isDeactivated: boolean;
  readonly isBot: boolean;
  /** From another organisation, in a shared channel. */
  readonly isExternal: boolean;
  readonly isGuest: boolean;
  /** Admin or owner. */
  readonly isAdmin: boolean;
}

interface RightsParts {
  readonly rulesOf: (workspaceId: string) => Promise<Rules>;
  readonly membershipOf: (workspaceId: string, userId: string) => Promise<Membership>;
  readonly isInGroup: (workspaceId: string, userId: string, groupId: string) => Promise<boolean>;
  /** Undefined if Slack doesn't show this app who is in the channel. */
  readonly isInChannel: (
    workspaceId: string,
    userId: string,
    channelId: string,
  ) => Promise<boolean | undefined>;
}

const ALLOWED: Verdict = { allowed: true };

/** Why somebody like this can't do anything, whatever the rules say; undefined if the rules decide. */
export function neverMay({ isDeactivated, isBot, isExternal }: Membership): Never | undefined {
  if (isDeactivated) return 'deactivated';
  if (isBot) return 'bot';
  return isExternal ? 'external' : undefined;
}

/**
 * Who can do what. Asked each time: a person who was deactivated, left the channel or a group, or is no longer an admin
 * loses the permission within seconds, even on buttons shown earlier.
 */
export function createMayAct({ rulesOf, membershipOf, isInGroup, isInChannel }: RightsParts): MayAct {
  /**
   * Only a clear no from Slack means they left. If it doesn't say, the fact that it let them press or type there is
   * enough.
   */
  async function hasLeft({ workspaceId, userId, channelId }: Actor): Promise<boolean> {
    if (channelId === undefined || !isChannel(channelId)) return false;
    return (await isInChannel(workspaceId, userId, channelId)) === false;
  }

  /** By user group and channel. For guests only by user and group: they're in channels for other reasons. */
  async function isNamed({ ids }: Rule, { workspaceId, userId }: Actor, isGuest: boolean): Promise<boolean> {
    if (ids.includes(userId)) return true;
    const groups = ids.filter(isGroup).map((id) => isInGroup(workspaceId, userId, id));
    const channels = isGuest ? [] : ids.filter(isChannel).map((id) => isInChannel(workspaceId, userId, id));
    return (await Promise.all([...groups, ...channels])).includes(true);
  }

  async function authorize(rule: Rule, actor: Actor): Promise<Verdict> {
    const [membership, left] = await Promise.all([
      membershipOf(actor.workspaceId, actor.userId),
      hasLeft(actor),
    ]);
    const { isAdmin, isGuest } = membership;
    const why = neverMay(membership);
    if (why !== undefined) return { allowed: false, why };
    if (left) return { allowed: false, why: 'left-channel' };
    if (isAdmin || (rule.members && !isGuest)) return ALLOWED;
    if (await isNamed(rule, actor, isGuest)) return ALLOWED;
    return { allowed: false, why: isGuest ? 'guest' : 'not-named' };
  }

  return async function mayAct(act: Act, actor: Actor): Promise<Verdict> {
    const rules = await rulesOf(actor.workspaceId);
    try {
      return await authorize(rules[act], actor);
    } catch (error) {
      throw new RightUnknownError(error);
    }
  };
}
