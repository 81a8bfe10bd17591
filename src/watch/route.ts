import type { LinkRequest } from '../messages/link-request.ts';
import { pressKeyOf } from '../messages/link-press.ts';
import type { PressRefusal } from './press-refusals.ts';
import type { Reply, Route } from '../http/routes.ts';
import type { TicketKind } from '../tickets.ts';
import type { Authorizer } from './authorize.ts';
import type { Redirect, RedirectOutcome } from './redirect.ts';
import { isOnlyLooking } from './only-looking.ts';
import {
  badTicketPage,
  expiredPage,
  lookingPage,
  noPressPage,
  notSentPage,
  refusedPage,
  waitingPage,
  wornPage,
} from './pages.ts';
import type { Meeting, Presses, PressResult, Wanted } from './presses.ts';
import type { Opening, PressProof } from './proof.ts';
import type { SendOffer } from './send-offer.ts';
import type { TicketUses, UsedTicket } from './ticket-uses.ts';

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
  readonly tickets: TicketKind<LinkRequest>;
  readonly give: Pick<Redirect, 'afterPress' | 'afterSecondPress'>;
  readonly presses: Pick<Presses, 'recordResult' | 'linkRecorded' | 'resultOf' | 'giveUp'>;
  readonly proof: PressProof;
  readonly authorize: Pick<Authorizer, 'watch'>;
  readonly uses: Pick<TicketUses, 'countFailed' | 'isWornOut'>;
  readonly sendOffer: SendOffer;
  /** Writes down that an address opens nothing any more: somebody may have copied it. */
  readonly recordWorn: (order: LinkRequest) => Promise<void>;
  /** Called with every outcome, for log and metrics. */
  readonly report: (outcome: WatchOutcome, order: LinkRequest | undefined) => void;
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
  const { tickets, give, presses, proof, authorize, uses, sendOffer, recordWorn, report } = parts;

  /** Lets the second page of a double click know. The link waits for nothing, nor is it lost where this fails. */
  function recordResult(order: LinkRequest, wanted: Wanted, pressId: string, result: PressResult): void {
    if (result === 'opened' && !('proxy' in order)) presses.linkRecorded(wanted);
    else void presses.recordResult(wanted, pressId, result).catch(() => undefined);
  }

  function refuse(order: LinkRequest, why: PressRefusal): Reply {
    report('refused', order);
    return refusedPage(why);
  }

  function showWorn(order: LinkRequest): Reply {
    report('worn', order);
    return wornPage;
  }

  /** The press is its owner's, but this page may be of somebody who has the address: it leads somewhere in Slack. */
  async function leadToSlack(order: LinkRequest): Promise<Reply> {
    const reached = await sendOffer(order, true);
    return reached === 'nowhere' ? notSentPage : showWorn(order);
  }

  /** Who pressed may have lost their permission since. */
  async function answerToPress(
    order: LinkRequest,
    ticket: string,
    pressId: string | undefined,
  ): Promise<Reply> {
    const { refused, facts } = await authorize.watch(order, ticket);
    if (refused !== undefined) return refuse(order, refused);
    return facts.isWorn ? leadToSlack(order) : give.afterPress(order, facts, pressId);
  }

  async function answerTo(
    order: LinkRequest,
    used: UsedTicket,
    meeting: Exclude<Meeting, 'none'>,
    onGone: Opening['onGone'],
  ): Promise<Reply> {
    const wanted: Wanted = { workspaceId: order.workspaceId, key: pressKeyOf(order) };
    if (meeting === 'crowded') return leadToSlack(order);
    if ('refused' in meeting) return refuse(order, meeting.refused);
    if ('doubleOf' in meeting) {
      if (await uses.isWornOut(used)) return showWorn(order);
      return give.afterSecondPress(order, meeting, await presses.resultOf(wanted, meeting, onGone));
    }
    const { paidWith } = meeting;
    const reply = await answerToPress(order, used.ticket, paidWith);
    if (paidWith !== undefined) recordResult(order, wanted, paidWith, resultOf(reply));
    return reply;
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
      const { content: order, expiresAt } = reading;
      const { workspaceId } = order;
      const used: UsedTicket = { workspaceId, ticket, expiresAt };
      const again = query === AGAIN;
      const meeting = await proof(order, { onGone });
      if (meeting !== 'none') return answerTo(order, used, meeting, onGone);
      const failed = await uses.countFailed(used);
      if (failed === 'wears-out') await recordWorn(order);
      if (failed !== 'counted' || again) {
        await presses.giveUp({ workspaceId, key: pressKeyOf(order) }, failed !== 'counted');
        // A press that came since the last look didn't see that its pages gave up, so no message answers it.
        const late = await proof(order, { onGone, isLastLook: true });
        if (late !== 'none') return answerTo(order, used, late, onGone);
      }
      if (failed === 'worn') return showWorn(order);
      report(again ? 'not-proven' : 'waiting', order);
      return again ? noPressPage : waitingPage(`?${AGAIN}`);
    },
  };
}
