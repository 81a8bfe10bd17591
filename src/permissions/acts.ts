import { z } from 'zod';
import { DatabaseError } from '../database/errors.ts';

/** What needs a permission. */
export const ACTS = ['watch', 'stop', 'delete', 'usage'] as const;
export type Act = (typeof ACTS)[number];

/**
 * Who can do something besides the workspace's admins, who always can: its members (not its guests), and those named by
 * id: a user, a user group, or a channel and so its members.
 */
export const Rule = z.object({ members: z.boolean(), ids: z.array(z.string()) });
export type Rule = z.infer<typeof Rule>;

/** Who can do what unless a workspace's admins say otherwise. */
export type Rules = Readonly<Record<Act, Rule>>;

/** People from other organizations, bots and deactivated users never can, even if named. */
export type Never = Extract<Refusal, 'deactivated' | 'external' | 'bot'>;

/** Why somebody can't. `not-named` is for members only: a guest who isn't named is `guest`. */
export const REFUSALS = ['deactivated', 'external', 'bot', 'guest', 'left-channel', 'not-named'] as const;
export type Refusal = (typeof REFUSALS)[number];

export type Verdict = { readonly allowed: true } | { readonly allowed: false; readonly why: Refusal };

/** Whether somebody sees customers: those who can watch do, and the workspace's other members. */
export const canLook = (verdict: Verdict): boolean => verdict.allowed || verdict.why === 'not-named';

/** Who acts, and from which channel. Ids are Slack's. */
export interface Actor {
  readonly workspaceId: string;
  readonly userId: string;
  readonly channelId?: string;
}

/**
 * Whether somebody can do something right now, by what Slack says or said seconds ago. Ask when they do it. Rejects
 * with a RightUnknownError if Slack can't be asked, or the rules can't be read: then no one can.
 */
export type MayAct = (act: Act, actor: Actor) => Promise<Verdict>;

/** Slack refuses to answer because the app lacks a scope. */
export class ScopeMissingError extends Error {
  override readonly name = 'ScopeMissingError';
  /** Undefined if Slack doesn't name it. */
  readonly scope: string | undefined;
  constructor(scope: string | undefined, cause: unknown) {
    super(`The app lacks ${scope === undefined ? 'a scope' : `the scope ${scope}`}.`, { cause });
    this.scope = scope;
  }
}

/** Whether somebody can do something couldn't be checked: Slack couldn't be asked, or the rules couldn't be read. */
export class RightUnknownError extends Error {
  override readonly name = 'RightUnknownError';
  /** The scope that's missing; undefined if the reason is another one. */
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
