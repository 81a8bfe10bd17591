import type { PressGrant } from '../grants/grant.ts';
import { pressKeyOf } from '../grants/link-press.ts';
import type { PressRefusal } from '../grants/press-refusal.ts';
import type { Judge } from './judge.ts';
import type { Meeting, Presses } from './presses.ts';

/** One opening of a Watch address. */
export interface Opening {
  /** Calls when nobody waits for the answer any more. */
  readonly onGone: (listener: () => void) => void;
}

/** Whether an opening was made by the one the ticket names: by their press, or as far as is known. */
export type PressProof = (grant: PressGrant, opening: Opening) => Promise<Meeting>;

/**
 * How long a page that came before its press is held: first without a word, then behind the waiting page. Together
 * the three seconds that Slack gives an app.
 */
export const HELD_MS = 1_500;

/** Slack's own word of the press. Who presses was judged when it came. */
export function pressIsProof(presses: Pick<Presses, 'meet'>, heldMs = HELD_MS): PressProof {
  return (grant, { onGone }) =>
    presses.meet({ workspaceId: grant.workspaceId, key: pressKeyOf(grant) }, heldMs, onGone);
}

/** The ticket is proof enough; whether its user may still watch is asked now. */
export function ticketIsProof(judge: Pick<Judge, 'watch'>): PressProof {
  return async (grant) => {
    const refused: PressRefusal | undefined = await judge.watch(grant);
    return refused === undefined ? 'pressed' : { refused };
  };
}
