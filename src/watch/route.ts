import type { PressGrant } from '../grants/grant.ts';
import { pressKeyOf } from '../grants/link-press.ts';
import type { Route } from '../http/routes.ts';
import type { TicketKind } from '../tickets/tickets.ts';
import type { Give, GivingOutcome } from './give.ts';
import { isOnlyLooking } from './only-looking.ts';
import {
  badTicketPage,
  expiredPage,
  lookingPage,
  noPressPage,
  refusedPage,
  waitingPage,
  wornPage,
} from './pages.ts';
import type { PressProof } from './proof.ts';
import type { TicketUses } from './ticket-uses.ts';

/** What became of one opening of a Watch address. */
export type WatchOutcome =
  | GivingOutcome
  | 'looked-at'
  | 'expired'
  | 'bad-ticket'
  | 'waiting'
  | 'not-proven'
  | 'worn'
  | 'refused'
  | 'sent-to-slack'
  | 'not-sent';

interface WatchRouteParts {
  readonly tickets: TicketKind<PressGrant>;
  readonly give: Pick<Give, 'afterPress'>;
  readonly proof: PressProof;
  readonly uses: Pick<TicketUses, 'isWornOut' | 'countFailed' | 'giveUp'>;
  /** Writes down that an address opens nothing any more: somebody may have copied it. */
  readonly recordWorn: (grant: PressGrant) => Promise<void>;
  /** Told of every outcome, for log and metrics. */
  readonly report: (outcome: WatchOutcome, grant: PressGrant | undefined) => void;
}

/** The query with which the waiting page comes back. */
const AGAIN = 'again';

/**
 * `GET /watch/:ticket`: a fresh watch link for every press, as a redirect. `createSendRoute` answers where no press came,
 * `createJoinRoute` where somebody else was given a link before.
 */
export function createWatchRoute({ tickets, give, proof, uses, recordWorn, report }: WatchRouteParts): Route {
  return {
    method: 'GET',
    path: '/watch/:ticket',
    async handle({ method, headers, parameter: ticket, query, onGone }) {
      if (isOnlyLooking(method, headers)) {
        report('looked-at', undefined);
        return lookingPage;
      }
      const reading = tickets.read(ticket);
      if (reading.state !== 'good') {
        report(reading.state === 'expired' ? 'expired' : 'bad-ticket', undefined);
        return reading.state === 'expired' ? expiredPage : badTicketPage;
      }
      const grant = reading.content;
      const { workspaceId } = grant;
      const used = { workspaceId, ticket };
      if (await uses.isWornOut(used)) {
        report('worn', grant);
        return wornPage;
      }
      const again = query === AGAIN;
      const meeting = await proof(grant, { onGone });
      if (meeting === 'pressed') return give.afterPress(grant);
      if (meeting !== 'none') {
        report('refused', grant);
        return refusedPage(meeting.refused);
      }
      const isWorn = await uses.countFailed(used);
      if (isWorn) await recordWorn(grant);
      if (isWorn || again) await uses.giveUp({ workspaceId, key: pressKeyOf(grant) }, isWorn);
      report(again ? 'not-proven' : 'waiting', grant);
      return again ? noPressPage : waitingPage(`?${AGAIN}`);
    },
  };
}
