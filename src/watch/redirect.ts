import { z } from 'zod';
import { AGENT_UNKNOWN, CobrowseError } from '../cobrowse/errors.ts';
import { RightUnknownError } from '../permissions/acts.ts';
import { LinkRequest } from '../messages/link-request.ts';
import { lacking } from './press-refusals.ts';
import type { Reply } from '../http/routes.ts';
import { DatabaseError } from '../database/errors.ts';
import type { TicketKind } from '../tickets.ts';
import type { IssueLink } from './issue-link.ts';
import type { OrderFacts } from './order-facts.ts';
import { againPage, doublePage, failurePage, joinPage, refusedPage, storeFailurePage } from './pages.ts';
import type { PressResult, SecondPress } from './presses.ts';

/** How long the question whether to join, or to open another, may be answered. */
const JOIN_TICKET_MS = 2 * 60 * 1_000;

/** What the button of such a page holds: the press is proven, and pays for one link, whoever joins. */
export const JoinAnswer = z.object({
  id: z.string(),
  order: LinkRequest,
  /** What the link is made for: the press, where there was one. */
  proofId: z.string(),
  /** The run of the app that asked, where only that knows whether the answer was given before. */
  run: z.string(),
});
export type JoinAnswer = z.infer<typeof JoinAnswer>;

/** What became of a press that was proven. */
export type RedirectOutcome = 'redirected' | 'asked-to-join' | 'asked-to-open-again' | 'double' | LinkFailure;

/** Why no link could be made: the service, the record of it, or Slack, which does not say who pressed. */
type LinkFailure = CobrowseError | DatabaseError | RightUnknownError;

const isFailure = (error: unknown): error is LinkFailure =>
  error instanceof CobrowseError || error instanceof DatabaseError || error instanceof RightUnknownError;

interface RedirectParts {
  readonly issueLink: IssueLink;
  readonly joinTickets: Pick<TicketKind<JoinAnswer>, 'issue'>;
  /** This run of the app, where it alone knows what was answered. */
  readonly run: string;
  /** How the agent is called. Never rejects. */
  readonly nameOf: (workspaceId: string, userId: string) => Promise<string>;
  /** Where the browser may be led from the question: sources for the policy of its page. */
  readonly linkSources: (workspaceId: string) => Promise<string>;
  readonly now: () => number;
  readonly newId: () => string;
  readonly report: (outcome: RedirectOutcome, order: LinkRequest) => void;
}

/** Gives links to browsers: in the Location header and nowhere else. What was read is what they were allowed by. */
export interface Redirect {
  /**
   * Asks first where they, or somebody else, have a link to the same screen.
   *
   * @param pressId undefined where a ticket is proof enough
   */
  afterPress(order: LinkRequest, read: OrderFacts, pressId: string | undefined): Promise<Reply>;
  /** Offers what the second press of a double click pays for. @param first what came of the first press */
  afterSecondPress(order: LinkRequest, second: SecondPress, first: PressResult | 'unknown'): Promise<Reply>;
  /** After the question. */
  afterAnswer(answer: JoinAnswer, read: OrderFacts): Promise<Reply>;
}

export function createRedirect(parts: RedirectParts): Redirect {
  const { issueLink, joinTickets, run, nameOf, linkSources, now, newId, report } = parts;

  /** Where a button leads whose press brings the link. */
  async function formFor(order: LinkRequest, proofId: string, from: 'press' | 'answer' = 'press') {
    const ticket = joinTickets.issue({ id: newId(), order, proofId, run }, JOIN_TICKET_MS);
    return {
      action: from === 'press' ? `join/${ticket}` : ticket,
      leadsTo: await linkSources(order.workspaceId),
    };
  }

  async function link(
    order: LinkRequest,
    facts: OrderFacts,
    { proofId, from }: { readonly proofId: string | undefined; readonly from: 'press' | 'answer' },
  ): Promise<Reply> {
    try {
      const made = await issueLink(order, facts, proofId);
      report('redirected', order);
      const status = from === 'press' ? 302 : 303;
      return { status, headers: { location: made.locationHeader(), 'cache-control': 'no-store' } };
    } catch (error) {
      if (!isFailure(error)) throw error;
      report(error, order);
      if (error instanceof DatabaseError) return storeFailurePage(error);
      if (error instanceof RightUnknownError) return refusedPage(lacking(error.missingScope));
      if (error.code !== AGENT_UNKNOWN || 'proxy' in order) return failurePage(error);
      // The press is proven, so the page itself may try again.
      return failurePage(error, await formFor(order, proofId ?? newId(), from));
    }
  }

  return {
    afterAnswer: ({ order, proofId }, read) => link(order, read, { proofId, from: 'answer' }),
    async afterSecondPress(order, { id }, first) {
      report('double', order);
      return doublePage(first, await formFor(order, id));
    },
    async afterPress(order, read, pressId) {
      const { underWay } = read;
      if (underWay === undefined || 'proxy' in order)
        return link(order, read, { proofId: pressId, from: 'press' });
      const agoMs = now() - underWay.at;
      const form = await formFor(order, pressId ?? newId());
      if (underWay.userId === order.userId) {
        report('asked-to-open-again', order);
        return againPage({ ...form, agoMs });
      }
      report('asked-to-join', order);
      return joinPage({ ...form, agoMs, name: await nameOf(order.workspaceId, underWay.userId) });
    },
  };
}
