import type { LinkRequest } from '../messages/link-request.ts';
import { pressKeyOf } from '../messages/link-press.ts';
import type { Meeting, Presses } from './presses.ts';

/** One opening of a Watch address. */
export interface Opening {
  /** Calls back when the browser has gone away. */
  readonly onGone: (listener: () => void) => void;
  /** Whether it looks for its press once more without waiting. */
  readonly isLastLook?: boolean;
}

/** Whether an opening was made by the one the ticket names: by their press, or as far as is known. Not whether they may. */
export type PressProof = (order: LinkRequest, opening: Opening) => Promise<Meeting>;

/**
 * How long a page that came before its press is held: first without a word, then behind the waiting page. Together
 * the three seconds that Slack gives an app.
 */
export const HELD_MS = 1_500;

/** Slack's own report of the press. */
export function pressIsProof(presses: Pick<Presses, 'meet'>, heldMs = HELD_MS): PressProof {
  return (order, { onGone, isLastLook = false }) =>
    presses.meet(
      { workspaceId: order.workspaceId, key: pressKeyOf(order) },
      { patienceMs: isLastLook ? 0 : heldMs, onGone },
    );
}

/** The ticket is proof enough. */
export const ticketIsProof: PressProof = async () => ({ paidWith: undefined });
