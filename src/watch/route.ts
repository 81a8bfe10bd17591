import type { IncomingHttpHeaders } from 'node:http';
import type { Reply, Route } from '../http/server.ts';
import { buttonOf } from '../messages/link-request.ts';
import type { LinkRequest } from '../messages/link-request.ts';
import type { TicketKind } from '../tickets.ts';
import type { Authorizer } from './authorize.ts';
import type { SendButton } from './continue-in-slack.ts';
import {
  badTicketPage,
  blockedPage,
  expiredPage,
  lookingPage,
  noPressPage,
  notSentPage,
  refusedPage,
  waitingPage,
} from './pages.ts';
import type { PressRefusal } from './press-refusals.ts';
import type { Claim, Presses } from './presses.ts';
import type { AnswerPress, RedirectOutcome } from './redirect.ts';
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

/** The query with which the waiting page comes back. */
const AGAIN = 'again';

const SLACK_SCANNERS = /slackbot|slack-imgproxy/i;

function isPrefetch(headers: IncomingHttpHeaders): boolean {
  const purpose = [headers['sec-purpose'], headers['purpose'], headers['x-purpose'], headers['x-moz']];
  return /prefetch|prerender|preview/i.test(purpose.join(' '));
}

/**
 * Whether a request only looks at an address, without a person who opened it: HEAD, a prefetching browser, an
 * image or frame on some page, or Slack's link expander (docs.slack.dev/messaging/unfurling-links, "Slackbot").
 */
function isOnlyLooking(method: string, headers: IncomingHttpHeaders): boolean {
  if (method !== 'GET' || isPrefetch(headers)) return true;
  if (SLACK_SCANNERS.test(headers['user-agent'] ?? '')) return true;
  // Browsers say what an address is opened as; older ones and tools do not say.
  const destination = headers['sec-fetch-dest'];
  return destination !== undefined && destination !== 'document';
}

/**
 * `GET /watch/:ticket`: a fresh watch link for every press, as a redirect. `continue-in-slack.ts` answers where no press
 * came, `redirect.ts` where somebody else was given a link before, or the press is the second of a double click.
 */
export function createWatchRoute({
  tickets,
  presses,
  needsPress,
  waitMs,
  authorize,
  answerPress,
  uses,
  sendButton,
  recordBlocked,
  report,
}: {
  readonly tickets: TicketKind<LinkRequest>;
  readonly presses: Pick<Presses, 'claim' | 'giveUp'>;
  /** Whether the press proves that the one whom the ticket names opened the page; otherwise the ticket is enough. */
  readonly needsPress: boolean;
  /** How long a page waits for its press: first without a word, then as long behind the waiting page. */
  readonly waitMs: number;
  readonly authorize: Pick<Authorizer, 'watch'>;
  readonly answerPress: AnswerPress;
  readonly uses: Pick<TicketUses, 'countFailed'>;
  readonly sendButton: SendButton;
  /** Writes down that an address opens nothing any more: somebody may have copied it. */
  readonly recordBlocked: (request: LinkRequest) => Promise<void>;
  /** Called with every outcome, for log and metrics. */
  readonly report: (outcome: WatchOutcome, request: LinkRequest | undefined) => void;
}): Route {
  function refuse(request: LinkRequest, why: PressRefusal): Reply {
    report('refused', request);
    return refusedPage(why);
  }

  function showBlocked(request: LinkRequest): Reply {
    report('worn', request);
    return blockedPage;
  }

  /** The press is its owner's, but this page may be of somebody who has the address: it leads somewhere in Slack. */
  async function leadToSlack(request: LinkRequest): Promise<Reply> {
    return (await sendButton(request, true)) === 'nowhere' ? notSentPage : showBlocked(request);
  }

  async function answer(request: LinkRequest, ticket: string, claim: Exclude<Claim, 'none'>): Promise<Reply> {
    if (claim === 'crowded') return leadToSlack(request);
    if ('refused' in claim) return refuse(request, claim.refused);
    // Who pressed may have lost their permission since.
    const decision = await authorize.watch(request, ticket);
    if ('refused' in decision) return refuse(request, decision.refused);
    if (!decision.allowed.isBlocked) return answerPress(decision.allowed, claim);
    // The first press of a double click leads there.
    return claim.isSecond ? showBlocked(request) : leadToSlack(request);
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
      const { content: request, expiresAt } = reading;
      if (!needsPress) return answer(request, ticket, { pressId: undefined, isSecond: false });
      const button = buttonOf(request);
      const claim = await presses.claim(button, { patienceMs: waitMs, onGone });
      if (claim !== 'none') return answer(request, ticket, claim);
      const isLast = query === AGAIN;
      const failed = await uses.countFailed({ workspaceId: request.workspaceId, ticket, expiresAt });
      if (failed === 'now-blocked') await recordBlocked(request);
      if (failed !== 'counted' || isLast) {
        await presses.giveUp(button, failed !== 'counted');
        // A press that came since the last look didn't see that its pages gave up, so no message answers it.
        const late = await presses.claim(button, { patienceMs: 0, onGone });
        if (late !== 'none') return answer(request, ticket, late);
      }
      if (failed === 'blocked') return showBlocked(request);
      report(isLast ? 'not-proven' : 'waiting', request);
      return isLast ? noPressPage : waitingPage(`?${AGAIN}`);
    },
  };
}
