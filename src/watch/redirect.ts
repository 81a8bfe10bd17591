import { z } from 'zod';
import { AGENT_UNKNOWN, CobrowseError } from '../cobrowse/errors.ts';
import { RightUnknownError } from '../permissions/acts.ts';
import { LinkOrder } from '../links/order.ts';
import { lacking } from '../links/press-refusal.ts';
import type { Reply } from '../http/routes.ts';
import { DatabaseError } from '../database/errors.ts';
import type { TicketKind } from '../tickets/tickets.ts';
import type { IssueLink } from './issue-link.ts';
import type { OrderFacts, ReadFacts } from './order-facts.ts';
import { doublePage, failurePage, joinPage, notRecordedPage, refusedPage } from './pages.ts';
import type { PaidPress, PressResult, SecondPress } from './presses.ts';

/** How long the question whether to join, or to open another, may be answered. */
const JOIN_TICKET_MS = 2 * 60 * 1_000;

/** What the button of such a page says: the press is proven, and pays for one link, whoever joins. */
export const JoinOrder = z.object({ id: z.string(), order: LinkOrder });
export type JoinOrder = z.infer<typeof JoinOrder>;

/** What became of a press that was proven. */
export type RedirectOutcome = 'redirected' | 'asked-to-join' | 'double' | LinkFailure;

/** Why no link could be made: the service, the record of it, or Slack, which does not say who pressed. */
type LinkFailure = CobrowseError | DatabaseError | RightUnknownError;

const isFailure = (error: unknown): error is LinkFailure =>
  error instanceof CobrowseError || error instanceof DatabaseError || error instanceof RightUnknownError;

interface RedirectParts {
  readonly issueLink: IssueLink;
  readonly readFacts: ReadFacts;
  readonly joinTickets: TicketKind<JoinOrder>;
  /** How the agent is called. Never rejects. */
  readonly nameOf: (workspaceId: string, userId: string) => Promise<string>;
  /** Where the browser may be led from the question: sources for the policy of its page. */
  readonly linkSources: (workspaceId: string) => Promise<string>;
  readonly now: () => number;
  readonly newId: () => string;
  readonly report: (outcome: RedirectOutcome, order: LinkOrder) => void;
}

/** Gives links to browsers: in the Location header and nowhere else. */
export interface Redirect {
  /** Asks first where somebody else was given a link to the same screen. */
  afterPress(order: LinkOrder, press: PaidPress): Promise<Reply>;
  /** Offers what the second press of a double click pays for. @param first what came of the first press */
  afterSecondPress(order: LinkOrder, second: SecondPress, first: PressResult | 'unknown'): Promise<Reply>;
  /** After the question. @param read what was read to judge who answers it */
  link(order: LinkOrder, read: OrderFacts): Promise<Reply>;
}

export function createRedirect(parts: RedirectParts): Redirect {
  const { issueLink, readFacts, joinTickets, nameOf, linkSources, now, newId, report } = parts;

  async function link(
    order: LinkOrder,
    facts: OrderFacts,
    { status, pressId }: { readonly status: 302 | 303; readonly pressId?: string | undefined },
  ): Promise<Reply> {
    try {
      const made = await issueLink(order, facts, pressId);
      report('redirected', order);
      return { status, headers: { location: made.locationHeader(), 'cache-control': 'no-store' } };
    } catch (error) {
      if (!isFailure(error)) throw error;
      report(error, order);
      if (error instanceof DatabaseError) return notRecordedPage;
      if (error instanceof RightUnknownError) return refusedPage(lacking(error.missingScope));
      if (error.code !== AGENT_UNKNOWN || 'proxy' in order) return failurePage(error);
      // The press is proven, so the page itself may try again. From the page of the press, or from a try before.
      const ticket = joinTickets.issue({ id: newId(), order }, JOIN_TICKET_MS);
      return failurePage(error, {
        action: status === 302 ? `join/${ticket}` : ticket,
        leadsTo: await linkSources(order.workspaceId),
      });
    }
  }

  return {
    link: async (order, read) => link(order, await readFacts(order, read), { status: 303 }),
    async afterSecondPress(order, { id }, first) {
      const ticket = joinTickets.issue({ id, order }, JOIN_TICKET_MS);
      report('double', order);
      return doublePage(first, { action: `join/${ticket}`, leadsTo: await linkSources(order.workspaceId) });
    },
    async afterPress(order, { paidWith: pressId, facts: read }) {
      const facts = await readFacts(order, read);
      const { other } = facts;
      if (other === undefined || 'proxy' in order) return link(order, facts, { status: 302, pressId });
      const ticket = joinTickets.issue({ id: newId(), order }, JOIN_TICKET_MS);
      report('asked-to-join', order);
      return joinPage({
        name: await nameOf(order.workspaceId, other.userId),
        agoMs: now() - other.at,
        action: `join/${ticket}`,
        leadsTo: await linkSources(order.workspaceId),
      });
    },
  };
}
