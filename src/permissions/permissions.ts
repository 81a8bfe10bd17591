import { z } from 'zod';
import type { WatchPermissions } from '../cobrowse/client.ts';
import { DatabaseError } from '../database/database.ts';

/* What a Slack id belongs to, by its first letter. Source: docs.slack.dev/reference/objects, conversation, user and usergroup. */

/** Not a direct message, whose id starts with D. */
export const isChannel = (id: string): boolean => /^[CG]/.test(id);
export const isPerson = (id: string): boolean => /^[UW]/.test(id);
export const isGroup = (id: string): boolean => id.startsWith('S');

/** What a watch link lets its agent do, from least to most: only look, also point and scroll, everything. */
export const ACCESS_LEVELS = ['view', 'point', 'full'] as const;
export const Access = z.enum(ACCESS_LEVELS);
export type Access = z.infer<typeof Access>;

/** What's allowed is left out, so that the visitor's page can still switch it off. Source: wire-names, Watch link body. */
export function permissionsOf(access: Access): WatchPermissions | undefined {
  if (access === 'full') return undefined;
  const pointing = { redirect: false, audio: false, click: false, console: false, type: false };
  return access === 'point' ? pointing : { ...pointing, draw: false, scroll: false };
}

export const accessLevelsUpTo = (bound: Access): readonly Access[] =>
  ACCESS_LEVELS.slice(0, ACCESS_LEVELS.indexOf(bound) + 1);

export const lesser = (one: Access, other: Access): Access =>
  accessLevelsUpTo(other).includes(one) ? one : other;

export const ACTS = ['watch', 'stop', 'delete', 'usage'] as const;
export type Act = (typeof ACTS)[number];

/** Who can, besides admins, who always can: members (not guests), and by id users, user groups, and channels' members. */
export const Rule = z.object({ members: z.boolean(), ids: z.array(z.string()) });
export type Rule = z.infer<typeof Rule>;

export type Rules = Readonly<Record<Act, Rule>>;

/** Why somebody can't. `not-named` is for members only: a guest who isn't named is `guest`. */
export const REFUSALS = ['deactivated', 'external', 'bot', 'guest', 'left-channel', 'not-named'] as const;
export type Refusal = (typeof REFUSALS)[number];

export type Verdict = { readonly allowed: true } | { readonly allowed: false; readonly why: Refusal };

/** Whether somebody sees customers: those who can watch do, and the workspace's other members. */
export const canLook = (verdict: Verdict): boolean => verdict.allowed || verdict.why === 'not-named';

export interface Actor {
  readonly workspaceId: string;
  readonly userId: string;
  readonly channelId?: string;
}

export class ScopeMissingError extends Error {
  override readonly name = 'ScopeMissingError';
  readonly scope: string | undefined;
  constructor(scope: string | undefined, cause: unknown) {
    super(`The app lacks ${scope === undefined ? 'a scope' : `the scope ${scope}`}.`, { cause });
    this.scope = scope;
  }
}

/** Whether somebody can do something couldn't be checked: Slack couldn't be asked, or the rules couldn't be read. */
export class RightUnknownError extends Error {
  override readonly name = 'RightUnknownError';
  readonly missingScope: string | undefined;
  /** Whether it's the database that failed. */
  readonly isUnread: boolean;
  constructor(cause: unknown) {
    super('A permission could not be checked.', { cause });
    this.missingScope = cause instanceof ScopeMissingError ? cause.scope : undefined;
    this.isUnread = cause instanceof DatabaseError;
  }
}

/** For a promise that rejects where Slack can't be asked. @throws RightUnknownError */
export function rightUnknown(cause: unknown): never {
  throw new RightUnknownError(cause);
}

/** The id a channel has now, since sharing or converting a channel changes it. If nothing changed, it's the same. */
export type CurrentChannelId = (workspaceId: string, channelId: string) => Promise<string>;

export interface Membership {
  readonly isDeactivated: boolean;
  readonly isBot: boolean;
  /** From another organization, in a shared channel. */
  readonly isExternal: boolean;
  readonly isGuest: boolean;
  readonly isAdmin: boolean;
}

export type ChannelState = 'member' | 'not-member' | 'archived' | 'not-found' | 'unknown';

/** Why somebody like this can't do anything, whatever they watched before or the rules say; undefined if the rules decide. */
export function neverMay({ isDeactivated, isBot, isExternal }: Membership): Refusal | undefined {
  if (isDeactivated) return 'deactivated';
  if (isBot) return 'bot';
  return isExternal ? 'external' : undefined;
}

/** @param maxAgeMs how old Slack's answer may be where it grants nothing; by default five seconds, or until an event */
export type IsInChannel = (
  workspaceId: string,
  userId: string,
  channelId: string,
  maxAgeMs?: number,
) => Promise<boolean | undefined>;

interface PermissionsParts {
  readonly profileOf: (workspaceId: string, userId: string) => Promise<Membership>;
  readonly isInGroup: (workspaceId: string, userId: string, groupId: string) => Promise<boolean>;
  /** By the id that the channel has now. Undefined if Slack doesn't show this app who is in it. */
  readonly isInChannel: IsInChannel;
  readonly settingsOf: (workspaceId: string) => Promise<{ readonly rules: Rules }>;
}

/** Asked each time: whoever is deactivated, leaves, or stops being an admin can't seconds later, even with old buttons. */
export function createPermissions(parts: PermissionsParts) {
  const { profileOf, isInGroup, isInChannel, settingsOf } = parts;

  /** Only a clear no from Slack means they left. If it doesn't say, it's enough that it let them press or type there. */
  const hasLeft = async ({ workspaceId, userId, channelId }: Actor): Promise<boolean> =>
    channelId !== undefined && (await isInChannel(workspaceId, userId, channelId)) === false;

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
    const { isGuest, isAdmin } = membership;
    const never = neverMay(membership) ?? (left ? 'left-channel' : undefined);
    if (never !== undefined) return { allowed: false, why: never };
    if (isAdmin || (rule.members && !isGuest) || (await isNamed(rule, actor, isGuest)))
      return { allowed: true };
    return { allowed: false, why: isGuest ? 'guest' : 'not-named' };
  }

  /** With a rule and channel id just read. Rejects with a RightUnknownError if Slack can't be asked: then no one can. */
  const checkRule = (rule: Rule, actor: Actor): Promise<Verdict> =>
    authorize(rule, actor).catch(rightUnknown);

  return {
    checkRule,

    /** Ask when they do it. Rejects with a RightUnknownError if Slack or the rules can't be read: then no one can. */
    mayAct: async (act: Act, actor: Actor): Promise<Verdict> => {
      const { rules } = await settingsOf(actor.workspaceId).catch((error: unknown) => {
        throw error instanceof DatabaseError ? new RightUnknownError(error) : error;
      });
      return checkRule(rules[act], actor);
    },

    /** Admin or owner. Rejects with a RightUnknownError if Slack can't be asked. */
    isAdmin: async ({ workspaceId, userId }: Actor): Promise<boolean> => {
      const { isAdmin } = await profileOf(workspaceId, userId).catch(rightUnknown);
      return isAdmin;
    },
  };
}

export type Permissions = ReturnType<typeof createPermissions>;

/** If it can't be checked who can, no one can: that's recorded as a refusal, then it rejects with a RightUnknownError. */
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
