import { CobrowseError } from '../cobrowse/errors.ts';
import type { Reply, Route } from '../http/routes.ts';
import type { PressGrant } from '../grants/grant.ts';
import type { TicketKind } from '../tickets/tickets.ts';
import type { Mint } from './mint.ts';
import { isOnlyLooking } from './only-looking.ts';
import { badTicketPage, expiredPage, failurePage, lookingPage } from './pages.ts';

/** What became of one opening of a Watch address. */
export type WatchOutcome =
  | 'redirected'
  | 'looked-at'
  | 'expired'
  | 'bad-ticket'
  | 'not-proven'
  | CobrowseError;

/**
 * Whether this opening is a press by the one the ticket names. The seam for a proof that binds the link to Slack's
 * own press: it answers with the page to show where the proof is missing, or undefined where it holds.
 */
export type PressProof = (ticket: string, grant: PressGrant) => Promise<Reply | undefined>;

/** The ticket is proof enough. */
export const ticketIsProof: PressProof = async () => undefined;

interface WatchRouteParts {
  readonly tickets: TicketKind<PressGrant>;
  readonly mint: Mint;
  readonly proof: PressProof;
  /** Told of every outcome, for log and metrics. */
  readonly report: (outcome: WatchOutcome, grant: PressGrant | undefined) => void;
}

/**
 * `GET /watch/:ticket`: a fresh watch link for every press, as a redirect. The link is in the Location header and
 * nowhere else.
 */
export function createWatchRoute({ tickets, mint, proof, report }: WatchRouteParts): Route {
  async function redirect(grant: PressGrant): Promise<Reply> {
    try {
      const link = await mint(grant);
      report('redirected', grant);
      return { status: 302, headers: { location: link.locationHeader(), 'cache-control': 'no-store' } };
    } catch (error) {
      if (!(error instanceof CobrowseError)) throw error;
      report(error, grant);
      return failurePage(error);
    }
  }

  return {
    method: 'GET',
    path: '/watch/:ticket',
    async handle({ method, headers, parameter: ticket }) {
      if (isOnlyLooking(method, headers)) {
        report('looked-at', undefined);
        return lookingPage;
      }
      const reading = tickets.read(ticket);
      if (reading.state !== 'good') {
        report(reading.state === 'expired' ? 'expired' : 'bad-ticket', undefined);
        return reading.state === 'expired' ? expiredPage : badTicketPage;
      }
      const missing = await proof(ticket, reading.content);
      if (missing === undefined) return redirect(reading.content);
      report('not-proven', reading.content);
      return missing;
    },
  };
}
