import type { LinkOrder } from '../links/order.ts';
import { pressKeyOf } from '../links/link-press.ts';
import type { Reply, Route } from '../http/routes.ts';
import type { TicketKind } from '../tickets/tickets.ts';
import type { Redirect, RedirectOutcome } from './redirect.ts';
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
import type { Meeting, Presses, PressResult, Wanted } from './presses.ts';
import type { Opening, PressProof } from './proof.ts';
import type { TicketUses } from './ticket-uses.ts';

/** What became of one opening of a Watch address; `answered`: of a press whose link went out in Slack's answer. */
export type WatchOutcome =
  | RedirectOutcome
  | 'answered'
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
  readonly tickets: TicketKind<LinkOrder>;
  readonly give: Pick<Redirect, 'afterPress' | 'afterSecondPress'>;
  readonly presses: Pick<Presses, 'recordResult' | 'linkRecorded' | 'resultOf' | 'giveUp'>;
  readonly proof: PressProof;
  readonly uses: Pick<TicketUses, 'countFailed'>;
  /** Writes down that an address opens nothing any more: somebody may have copied it. */
  readonly recordWorn: (order: LinkOrder) => Promise<void>;
  /** Called with every outcome, for log and metrics. */
  readonly report: (outcome: WatchOutcome, order: LinkOrder | undefined) => void;
}

/** The query with which the waiting page comes back. */
const AGAIN = 'again';

/** What an answer to a press says: a redirect to the link, the question whether to join, or a failure. */
function resultOf({ status }: Reply): PressResult {
  if (status === 302) return 'opened';
  return status === 200 ? 'asked' : 'failed';
}

/**
 * `GET /watch/:ticket`: a fresh watch link for every press, as a redirect. `createSendRoute` answers where no press came,
 * `createJoinRoute` where somebody else was given a link before, or the press is the second of a double click.
 */
export function createWatchRoute(parts: WatchRouteParts): Route {
  const { tickets, give, presses, proof, uses, recordWorn, report } = parts;

  /** Lets the second page of a double click know. The link waits for nothing, nor is it lost where this fails. */
  function recordResult(order: LinkOrder, wanted: Wanted, pressId: string, result: PressResult): void {
    if (result === 'opened' && !('proxy' in order)) presses.linkRecorded(wanted);
    else void presses.recordResult(wanted, pressId, result).catch(() => undefined);
  }

  async function answerTo(
    order: LinkOrder,
    meeting: Exclude<Meeting, 'none'>,
    onGone: Opening['onGone'],
  ): Promise<Reply> {
    const wanted: Wanted = { workspaceId: order.workspaceId, key: pressKeyOf(order) };
    if (meeting === 'worn') {
      report('worn', order);
      return wornPage;
    }
    if ('paidWith' in meeting) {
      const reply = await give.afterPress(order, meeting);
      if (meeting.paidWith !== undefined) recordResult(order, wanted, meeting.paidWith, resultOf(reply));
      return reply;
    }
    if ('doubleOf' in meeting)
      return give.afterSecondPress(order, meeting, await presses.resultOf(wanted, meeting, onGone));
    report('refused', order);
    return refusedPage(meeting.refused);
  }

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
      const order = reading.content;
      const { workspaceId } = order;
      const again = query === AGAIN;
      const meeting = await proof(order, { ticket, onGone });
      if (meeting !== 'none') return answerTo(order, meeting, onGone);
      const isWorn = await uses.countFailed({ workspaceId, ticket });
      if (isWorn) await recordWorn(order);
      if (isWorn || again) {
        await presses.giveUp({ workspaceId, key: pressKeyOf(order) }, isWorn);
        // A press that came since the last look didn't see that its pages gave up, so no message answers it.
        const late = await proof(order, { ticket, onGone, isLastLook: true });
        if (late !== 'none') return answerTo(order, late, onGone);
      }
      report(again ? 'not-proven' : 'waiting', order);
      return again ? noPressPage : waitingPage(`?${AGAIN}`);
    },
  };
}
