import type { Trouble } from '../messages/delivery-words.ts';
import { kindOf } from '../messages/slack-codes.ts';

/** The stored outcome of an attempt that didn't post: Slack's code or ours, and the scope that was missing. */
export interface Refusal {
  readonly reason: string;
  readonly neededScope?: string;
}

export function troubleOf({ reason, neededScope }: Refusal): Trouble {
  return { kind: kindOf(reason), code: reason, neededScope };
}
