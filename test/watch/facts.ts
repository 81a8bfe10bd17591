import type { LinkRequest } from '../../src/messages/link-request.ts';
import type { Allowed, Decision } from '../../src/watch/authorize.ts';

/** What is allowed where nobody has set, moved or opened anything. */
export const allowed = (request: LinkRequest): Allowed => ({
  request,
  agent: undefined,
  underWay: undefined,
  losesPresses: false,
  isBlocked: false,
});

export const allow = async (request: LinkRequest): Promise<Decision> => ({ allowed: allowed(request) });
