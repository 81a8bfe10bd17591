import { SlackError } from './slack-error.ts';

/** Who did something, and the conversation they were in, if any. */
export interface Opener {
  readonly user: string;
  readonly viewing: string | undefined;
}

/** Slack's trigger_id: permission to open one modal, for a moment after a person did something. */
export interface Triggers {
  issue(userId: string, viewing?: string): string;
  /** @throws {SlackError} expired_trigger_id, exchanged_trigger_id, invalid_trigger_id. */
  redeem(triggerId: string): Opener;
}

const lifetimeMs = 3000;

export const createTriggers = (now: () => number, randomId: () => string): Triggers => {
  const issued = new Map<string, { readonly opener: Opener; readonly expiresAt: number; used: boolean }>();
  return {
    issue(user, viewing) {
      const id = `${Math.floor(now())}.${randomId()}`;
      issued.set(id, { opener: { user, viewing }, expiresAt: now() + lifetimeMs, used: false });
      return id;
    },
    redeem(id) {
      const trigger = issued.get(id);
      if (trigger === undefined) throw new SlackError('invalid_trigger_id');
      if (trigger.used) throw new SlackError('exchanged_trigger_id');
      if (trigger.expiresAt < now()) throw new SlackError('expired_trigger_id');
      trigger.used = true;
      return trigger.opener;
    },
  };
};
