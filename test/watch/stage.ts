import { LinkRequest } from '../../src/messages/link-request.ts';
import { createTickets } from '../../src/http/tickets.ts';
import type { Allowed, Decision } from '../../src/watch/link-requests.ts';
import { JoinAnswer, createWatchRoutes, type Serving, type WatchOutcome } from '../../src/watch/route.ts';

const NOON = Date.UTC(2026, 2, 1, 12);

/** What Alex asks for, from #support. */
export const order = {
  workspaceId: 'T0ACME00000',
  userId: 'U0ALEX00001',
  visitorId: 'jane4821',
  channelId: 'C0SUPPORT01',
  access: 'full',
} as const;

/** What is allowed where nobody has set, moved or opened anything. */
export const allowed = (request: LinkRequest): Allowed => ({
  request,
  underWay: undefined,
  losesPresses: false,
  isBlocked: false,
});

const allow = async (_workspace: unknown, request: LinkRequest): Promise<Decision> => ({
  allowed: allowed(request),
});
const members = { members: true, ids: [] };
const unexpected = () => Promise.reject(new Error('asked without need'));

export const ticketKind = createTickets(['a sealing key of these tests that is long']);

type Parts = Parameters<typeof createWatchRoutes>[1];
interface PageParts extends Partial<Omit<Parts, 'presses' | 'uses'>> {
  readonly presses?: Partial<Parts['presses']>;
  readonly uses?: Partial<Parts['uses']>;
}

/** A workspace whose service nobody asks. */
export const serving: Serving = {
  id: 'T0ACME00000',
  accountId: 'account',
  ownAccountId: undefined,
  endSource: 'webhook',
  hasPlainLinks: false,
  defaults: {
    rules: { watch: members, stop: members, delete: members, usage: members },
    summaryChannel: undefined,
  },
  cobrowse: {
    offers: { lookupAgent: true },
    lookupAgent: unexpected,
    createWatchLink: unexpected,
    createProxyLink: unexpected,
    visitor: unexpected,
  },
};

/** The routes of a button's address, where everybody may watch and each page has its press; and what they report. */
export function aPage({ presses, uses, ...more }: PageParts = {}, now = Date.now) {
  const outcomes: WatchOutcome[] = [];
  const tickets = createTickets(['a sealing key of these tests that is long'], now)('watch', LinkRequest);
  const routes = createWatchRoutes(
    { ownWorkspace: async () => serving, now: () => NOON },
    {
      tickets,
      joinTickets: ticketKind('join', JoinAnswer),
      presses: {
        claim: async () => ({ pressId: 'press', isSecond: false }),
        useOnce: unexpected,
        wasTaken: async () => false,
        wasReported: async () => false,
        ...presses,
      },
      needsPress: true,
      waitMs: 0,
      authorize: { watch: allow, record: unexpected },
      issueLink: unexpected,
      uses: {
        countFailed: unexpected,
        isBlocked: unexpected,
        claimSending: unexpected,
        ...uses,
      },
      sendButton: unexpected,
      unconfirmedPresses: { suspect: async () => undefined },
      nameOf: unexpected,
      report: (outcome) => void outcomes.push(outcome),
      ...more,
    },
  );
  const ticket = tickets.issue(order, 10 * 60_000);
  return { routes, outcomes, ticket, path: `/watch/${ticket}` };
}
