import type { LinkOrder } from '../links/order.ts';
import { pressKeyOf } from '../links/link-press.ts';
import type { PressRefusal } from '../links/press-refusal.ts';
import type { Authorizer } from './authorize.ts';
import type { Meeting, Presses } from './presses.ts';

/** One opening of a Watch address. */
export interface Opening {
  /** Calls when nobody waits for the answer any more. */
  readonly onGone: (listener: () => void) => void;
  /** Whether it looks for its press once more without waiting. */
  readonly isLastLook?: boolean;
}

/** Whether an opening was made by the one the ticket names: by their press, or as far as is known. */
export type PressProof = (order: LinkOrder, opening: Opening) => Promise<Meeting>;

/**
 * How long a page that came before its press is held: first without a word, then behind the waiting page. Together
 * the three seconds that Slack gives an app.
 */
export const HELD_MS = 1_500;

/** Slack's own word of the press. Who presses was judged when it came. */
export function pressIsProof(presses: Pick<Presses, 'meet'>, heldMs = HELD_MS): PressProof {
  return (order, { onGone, isLastLook = false }) => {
    const wanted = { workspaceId: order.workspaceId, key: pressKeyOf(order) };
    return presses.meet(wanted, isLastLook ? 0 : heldMs, onGone);
  };
}

/** The ticket is proof enough; whether its user may still watch is asked now. */
export function ticketIsProof(authorize: Pick<Authorizer, 'watch'>): PressProof {
  return async (order) => {
    const refused: PressRefusal | undefined = await authorize.watch(order);
    return refused === undefined ? 'pressed' : { refused };
  };
}
