import { LinkRequest } from '../../src/messages/link-request.ts';
import { createTickets, type TicketKind } from '../../src/http/tickets.ts';
import type { Allowed, Decision } from '../../src/watch/link-requests.ts';
import { ofButtons, JoinAnswer, createWatchRoutes, type WatchOutcome } from '../../src/watch/route.ts';

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

export const allow = async (request: LinkRequest): Promise<Decision> => ({ allowed: allowed(request) });
const unexpected = () => Promise.reject(new Error('asked without need'));

export const ticketKind = createTickets(['a sealing key of these tests that is long']);

/** What is around the routes of a button's address, where the app is installed. */
export const fromButton = (tickets: TicketKind<LinkRequest>) =>
  ofButtons(
    tickets,
    async () => true,
    () => undefined,
  );

/** The routes of a button's address, where everybody may watch and each page has its press; and what they report. */
export function aPage(more: Partial<Parameters<typeof createWatchRoutes>[1]> = {}) {
  const outcomes: WatchOutcome[] = [];
  const tickets = ticketKind('watch', LinkRequest);
  const routes = createWatchRoutes(
    { workspaceOf: unexpected, now: () => NOON },
    {
      joinTickets: ticketKind('join', JoinAnswer),
      presses: {
        claim: async () => ({ pressId: 'press', isSecond: false }),
        giveUp: unexpected,
        useOnce: unexpected,
        wasTaken: async () => false,
      },
      needsPress: true,
      waitMs: 0,
      authorize: { watch: allow, record: unexpected },
      issueLink: unexpected,
      uses: { countFailed: unexpected },
      sendButton: unexpected,
      run: '',
      nameOf: unexpected,
      report: (outcome) => void outcomes.push(outcome),
      ...more,
    },
  ).map(fromButton(tickets));
  return { routes, outcomes, path: `/watch/${tickets.issue(order, 60_000)}` };
}
