import type { LinkOrder } from '../links/order.ts';
import { pressKeyOf } from '../links/link-press.ts';
import type { Authorizer } from './authorize.ts';
import type { Meeting, Presses } from './presses.ts';
import type { TicketUses } from './ticket-uses.ts';

/** One opening of a Watch address. */
export interface Opening {
  /** The sealed ticket in its address. */
  readonly ticket: string;
  /** Calls back when the browser has gone away. */
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

/** Slack's own report of the press. Whether its user may watch was checked when it came. */
export function pressIsProof(
  presses: Pick<Presses, 'meet'>,
  uses: Pick<TicketUses, 'wornCondition'>,
  heldMs = HELD_MS,
): PressProof {
  return (order, { ticket, onGone, isLastLook = false }) => {
    const { workspaceId } = order;
    return presses.meet(
      { workspaceId, key: pressKeyOf(order) },
      // The last look comes after the opening that wore the address out, which may still take its press.
      isLastLook
        ? { patienceMs: 0, onGone }
        : { patienceMs: heldMs, onGone, isWorn: uses.wornCondition({ workspaceId, ticket }) },
    );
  };
}

/** The ticket is proof enough; whether its user may still watch is checked now. */
export function ticketIsProof(authorize: Pick<Authorizer, 'watch'>): PressProof {
  return async (order) => {
    const { refused, facts } = await authorize.watch(order);
    return refused === undefined ? { paidWith: undefined, facts } : { refused };
  };
}
