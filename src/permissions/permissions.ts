import { DatabaseError } from '../database/errors.ts';
import { isChannel, isGroup } from './slack-ids.ts';
import {
  RightUnknownError,
  type Actor,
  type MayAct,
  type Never,
  type Rule,
  type Rules,
  type Verdict,
} from './acts.ts';

/** The id a channel has now, since sharing or converting a channel changes it. If nothing changed, it's the same. */
export type CurrentChannelId = (workspaceId: string, channelId: string) => Promise<string>;

/** What Slack says about somebody in a workspace, right now. */
export interface Membership {
  readonly isDeactivated: boolean;
  readonly isBot: boolean;
  /** From another organization, in a shared channel. */
  readonly isExternal: boolean;
  readonly isGuest: boolean;
  /** Admin or owner. */
  readonly isAdmin: boolean;
}

/**
 * @param maxAgeMs how old Slack's answer may be where it grants nothing; five seconds if not given. An event that somebody
 *   joined or left ends it sooner
 */
export type IsInChannel = (
  workspaceId: string,
  userId: string,
  channelId: string,
  maxAgeMs?: number,
) => Promise<boolean | undefined>;

/** Whether the app may post in a channel, as Slack says now. */
export type ChannelState = 'member' | 'not-member' | 'archived' | 'not-found' | 'unknown';

/**
 * Whether a rule allows somebody something, where the rule and the id that the channel has now were just read. Rejects
 * as {@link MayAct} does.
 */
export type CheckRule = (rule: Rule, actor: Actor) => Promise<Verdict>;

const ALLOWED: Verdict = { allowed: true };

/** Why somebody like this can't do anything, whatever the rules say; undefined if the rules decide. */
export function neverMay({ isDeactivated, isBot, isExternal }: Membership): Never | undefined {
  if (isDeactivated) return 'deactivated';
  if (isBot) return 'bot';
  return isExternal ? 'external' : undefined;
}

/**
 * Who can do what, asked each time: a person who was deactivated, left the channel or a group, or is no longer an admin
 * loses the permission within seconds, even on buttons shown earlier.
 */
export function createPermissions({
  profileOf,
  isInGroup,
  isInChannel,
  isInChannelNow,
  settingsOf,
  currentChannelId,
}: {
  readonly profileOf: (workspaceId: string, userId: string) => Promise<Membership>;
  readonly isInGroup: (workspaceId: string, userId: string, groupId: string) => Promise<boolean>;
  /** Undefined if Slack doesn't show this app who is in the channel. */
  readonly isInChannel: IsInChannel;
  /** The same by the id that the channel has now. */
  readonly isInChannelNow: IsInChannel;
  readonly settingsOf: (workspaceId: string) => Promise<{ readonly rules: Rules }>;
  readonly currentChannelId: CurrentChannelId;
}) {
  /**
   * Only a clear no from Slack means they left. If it doesn't say, the fact that it let them press or type there is
   * enough.
   */
  async function hasLeft({ workspaceId, userId, channelId }: Actor): Promise<boolean> {
    if (channelId === undefined || !isChannel(channelId)) return false;
    return (await isInChannelNow(workspaceId, userId, channelId)) === false;
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
      profileOf(actor.workspaceId, actor.userId),
      hasLeft(actor),
    ]);
    const { isGuest } = membership;
    const why = neverMay(membership);
    if (why !== undefined) return { allowed: false, why };
    if (left) return { allowed: false, why: 'left-channel' };
    if (membership.isAdmin || (rule.members && !isGuest)) return ALLOWED;
    if (await isNamed(rule, actor, isGuest)) return ALLOWED;
    return { allowed: false, why: isGuest ? 'guest' : 'not-named' };
  }

  const checkRule: CheckRule = async (rule, actor) => {
    try {
      return await authorize(rule, actor);
    } catch (error) {
      throw new RightUnknownError(error);
    }
  };

  const mayAct: MayAct = async (act, { workspaceId, userId, channelId }) => {
    const [{ rules }, current] = await Promise.all([
      settingsOf(workspaceId),
      channelId !== undefined && isChannel(channelId) ? currentChannelId(workspaceId, channelId) : channelId,
    ]).catch((error: unknown) => {
      throw error instanceof DatabaseError ? new RightUnknownError(error) : error;
    });
    return checkRule(rules[act], { workspaceId, userId, channelId: current });
  };

  /** Whether somebody is an admin or owner of the workspace. Rejects with a RightUnknownError if Slack can't be asked. */
  async function isAdmin({ workspaceId, userId }: Actor): Promise<boolean> {
    try {
      return (await profileOf(workspaceId, userId)).isAdmin;
    } catch (error) {
      throw new RightUnknownError(error);
    }
  }

  return { checkRule, mayAct, isAdmin };
}

export type Permissions = ReturnType<typeof createPermissions>;

/**
 * Asks who can. If that can't be checked, no one can: it's recorded as a refusal too, and then rejects with a
 * RightUnknownError.
 *
 * @param refuse writes the refusal into the audit
 */
export async function asking<Answer>(
  ask: () => Promise<Answer>,
  refuse: (why: 'unchecked') => Promise<void>,
): Promise<Answer> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof RightUnknownError) await refuse('unchecked');
    throw error;
  }
}
