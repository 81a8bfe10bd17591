import type { Judged } from '../../src/watch/authorize.ts';
import type { OrderFacts } from '../../src/watch/order-facts.ts';

/** Where nobody has set, moved or opened anything. */
export const FACTS: OrderFacts = {
  rule: { members: true, ids: [] },
  maxAccess: 'full',
  channelId: undefined,
  agent: undefined,
  underWay: undefined,
  losesPresses: false,
  isWorn: false,
};

export const ALLOWED: Judged = { refused: undefined, facts: FACTS };
