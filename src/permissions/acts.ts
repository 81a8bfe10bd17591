import { z } from 'zod';

/** What a person may be allowed to do with the app. */
export const ACTS = ['watch', 'stop', 'delete', 'usage'] as const;
export type Act = (typeof ACTS)[number];

/**
 * Who may do something, beside the workspace's admins, who always may: its members (not its guests), and who is named
 * by id: a user, a user group, or a channel, whose members are meant.
 */
export const Rule = z.object({ members: z.boolean(), ids: z.array(z.string()) });
export type Rule = z.infer<typeof Rule>;

/** Who may do what where a workspace's admins have not said otherwise. */
export type Rules = Readonly<Record<Act, Rule>>;

/** People of other organisations, bots and deactivated users never may, named or not. */
export type Never = 'deactivated' | 'external' | 'bot';

/** Why somebody may not. `not-named` is a member's only: a guest who was not named is `guest`. */
export type Refusal = Never | 'guest' | 'left-channel' | 'not-named';

export type Verdict = { readonly allowed: true } | { readonly allowed: false; readonly why: Refusal };

/** Who acts, and from which channel. Ids are Slack's. */
export interface Actor {
  readonly workspaceId: string;
  readonly userId: string;
  readonly channelId?: string | undefined;
}

/**
 * Whether somebody may do something now: asked at the act itself, by what Slack says or said seconds ago. Rejects with a
 * RightUnknownError where Slack cannot be asked: then nobody may.
 */
export type MayAct = (act: Act, actor: Actor) => Promise<Verdict>;

/** Slack does not answer the app, which lacks a scope. */
export class ScopeMissingError extends Error {
  override readonly name = 'ScopeMissingError';
  /** Undefined where Slack does not name it. */
  readonly scope: string | undefined;
  constructor(scope: string | undefined, cause: unknown) {
    super(`The app lacks ${scope === undefined ? 'a scope' : `the scope ${scope}`}.`, { cause });
    this.scope = scope;
  }
}

/** Slack could not be asked whether somebody may do something. */
export class RightUnknownError extends Error {
  override readonly name = 'RightUnknownError';
  /** The scope without which Slack does not say; undefined where it is for another reason. */
  readonly missingScope: string | undefined;
  constructor(cause: unknown) {
    super('Slack could not be asked about a permission.', { cause });
    this.missingScope = cause instanceof ScopeMissingError ? cause.scope : undefined;
  }
}
