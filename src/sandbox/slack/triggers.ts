import { SlackError } from './slack-error.ts';

/** Slack's trigger_id: leave to open a modal, for a moment after a person did something, once. */
export interface Triggers {
  issue(userId: string): string;
  /** @returns the user who acted. @throws {SlackError} expired_trigger_id, exchanged_trigger_id, invalid_trigger_id. */
  redeem(triggerId: string): string;
}

const lifetimeMs = 3000;

export const createTriggers = (now: () => number, randomId: () => string): Triggers => {
  const issued = new Map<string, { readonly user: string; readonly expiresAt: number; used: boolean }>();
  return {
    issue(user) {
      const id = `${Math.floor(now())}.${randomId()}`;
      issued.set(id, { user, expiresAt: now() + lifetimeMs, used: false });
      return id;
    },
    redeem(id) {
      const trigger = issued.get(id);
      if (trigger === undefined) throw new SlackError('invalid_trigger_id');
      if (trigger.used) throw new SlackError('exchanged_trigger_id');
      if (trigger.expiresAt < now()) throw new SlackError('expired_trigger_id');
      trigger.used = true;
      return trigger.user;
    },
  };
};
