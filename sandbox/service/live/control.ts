import type { WatchLink } from '../watch-links.ts';
import { accessNow, askable, grantedBy, type Capability } from './access.ts';

/** A page of an agent, as far as control is concerned. */
export interface Hand {
  readonly sessionId: string;
  readonly link: WatchLink;
}

/** Which of the agents is in control, and what the visitor allows them. */
export interface Control {
  readonly holder: () => Hand | null;
  /** An agent's page joined: the first one gets control, and one that was away gets back what it had. */
  readonly joined: (hand: Hand) => void;
  readonly left: (hand: Hand) => void;
  /** Another agent takes over, without what was allowed to the previous one. */
  readonly take: (hand: Hand) => void;
  readonly ended: (sessionId: string, next: Hand | undefined) => void;
  readonly accessOf: (hand: Hand) => readonly Capability[];
  readonly ask: (hand: Hand, access: readonly Capability[]) => void;
  /** What was asked for and waits for the visitor's answer. */
  readonly asked: () => readonly Capability[];
  readonly answer: (allow: boolean) => void;
  /** The visitor takes back everything they allowed. */
  readonly revoke: () => void;
  /** Whether the agent in control is away right now. */
  readonly isAway: () => boolean;
}

export function createControl(): Control {
  let holder: Hand | null = null;
  let isAway = false;
  let lent = new Set<Capability>();
  let asked: readonly Capability[] = [];

  function hold(hand: Hand | null) {
    if (hand?.sessionId !== holder?.sessionId) [lent, asked] = [new Set(), []];
    [holder, isAway] = [hand, false];
  }

  return {
    holder: () => holder,
    joined(hand) {
      if (holder === null || (isAway && holder.sessionId === hand.sessionId)) hold(hand);
    },
    left(hand) {
      if (holder === hand) isAway = true;
    },
    take: hold,
    ended(sessionId, next) {
      if (holder?.sessionId === sessionId) hold(next ?? null);
    },
    accessOf: (hand) => (hand === holder ? accessNow(hand.link, lent) : []),
    ask(hand, access) {
      if (hand === holder) asked = askable(hand.link, lent, access);
    },
    asked: () => asked,
    answer(allow) {
      // Only a bug of ours could ask for more than the link grants; check again anyway.
      if (allow && holder) for (const one of grantedBy(holder.link)) if (asked.includes(one)) lent.add(one);
      asked = [];
    },
    revoke: () => ([lent, asked] = [new Set(), []]),
    isAway: () => isAway,
  };
}
