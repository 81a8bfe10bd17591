import { RightUnknownError } from './acts.ts';
import type { Act, Actor, MayAct, Never, Rule, Rules, Verdict } from './acts.ts';
import { isChannel, isGroup } from '../model/slack-ids.ts';

/** What a Slack profile says of somebody's standing in a workspace, now. */
export interface Standing {
  readonly isDeactivated: boolean;
  readonly isBot: boolean;
  /** Of another organisation, met in a shared channel. */
  readonly isExternal: boolean;
  readonly isGuest: boolean;
  /** Admin or owner. */
  readonly isAdmin: boolean;
}

interface RightsParts {
  readonly rulesOf: (workspaceId: string) => Promise<Rules>;
  readonly standingOf: (workspaceId: string, userId: string) => Promise<Standing>;
  readonly isInGroup: (workspaceId: string, userId: string, groupId: string) => Promise<boolean>;
  /** Undefined where Slack does not show this app who is in the channel. */
  readonly isInChannel: (
    workspaceId: string,
    userId: string,
    channelId: string,
  ) => Promise<boolean | undefined>;
}

const ALLOWED: Verdict = { allowed: true };

/** Why nobody of this standing may do anything, whatever the rules say; undefined where others decide. */
export function neverMay({ isDeactivated, isBot, isExternal }: Standing): Never | undefined {
  if (isDeactivated) return 'deactivated';
  if (isBot) return 'bot';
  return isExternal ? 'external' : undefined;
}

/**
 * Who may do what. Asked at each act: a person who was deactivated, removed from the channel or a group, or is no admin
 * any more, has lost the right within seconds, with every button drawn before.
 */
export function createMayAct({ rulesOf, standingOf, isInGroup, isInChannel }: RightsParts): MayAct {
  /** Only a no of Slack's counts: where it does not say, what it let the person press or type there does. */
  async function hasLeft({ workspaceId, userId, channelId }: Actor): Promise<boolean> {
    if (channelId === undefined || !isChannel(channelId)) return false;
    return (await isInChannel(workspaceId, userId, channelId)) === false;
  }

  /** By user group and channel; a guest is a member of channels for other reasons. */
  async function isNamed({ ids }: Rule, { workspaceId, userId }: Actor, isGuest: boolean): Promise<boolean> {
    if (ids.includes(userId)) return true;
    const groups = ids.filter(isGroup).map((id) => isInGroup(workspaceId, userId, id));
    const channels = isGuest ? [] : ids.filter(isChannel).map((id) => isInChannel(workspaceId, userId, id));
    return (await Promise.all([...groups, ...channels])).includes(true);
  }

  async function authorize(rule: Rule, actor: Actor): Promise<Verdict> {
    const [standing, left] = await Promise.all([standingOf(actor.workspaceId, actor.userId), hasLeft(actor)]);
    const { isAdmin, isGuest } = standing;
    const why = neverMay(standing);
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
