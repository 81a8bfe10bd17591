import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { AGENT_UNKNOWN, CobrowseError } from '../cobrowse/errors.ts';
import { DatabaseError } from '../database/database.ts';
import type { Reply, Request, Route } from '../http/server.ts';
import type { TicketKind, TicketReading } from '../http/tickets.ts';
import { LinkRequest, buttonOf } from '../messages/link-request.ts';
import type { App } from '../parts.ts';
import { RightUnknownError } from '../permissions/permissions.ts';
import type { Agents } from './agents.ts';
import type { Allowed, Authorizer, IssueLink } from './link-requests.ts';
import type { SendButton, TicketUses, UnconfirmedPresses } from './unconfirmed-presses.ts';
import * as pages from './pages.ts';
import type { Claim, ClaimedPress, Presses } from './presses.ts';

/** How long the question whether to join, or to open another, may be answered. */
const JOIN_TICKET_MS = 2 * 60 * 1_000;

/** For the button of a page that asks first: the press is proven, and good for one link, whoever joins. */
export const JoinAnswer = z.object({
  id: z.string(),
  /** The request, under the name it has in pages from before an update. */
  order: LinkRequest,
  proofId: z.string(),
  /** The run of the app that asked, where only that knows whether the answer was given before. */
  run: z.string(),
});

type LinkFailure = CobrowseError | DatabaseError | RightUnknownError;

/** `answered`: the link went out in Slack's answer. */
export type WatchOutcome =
  | 'redirected'
  | 'asked-to-join'
  | 'asked-to-open-again'
  | 'double'
  | LinkFailure
  | 'answered'
  | 'looked-at'
  | 'expired'
  | 'bad-ticket'
  | 'waiting'
  | 'not-proven'
  | 'taken'
  | 'worn'
  | 'refused'
  | 'sent-to-slack'
  | 'not-sent';

/** The query with which the waiting page comes back. */
const AGAIN = 'again';

/** Names of what fetches links: crawlers, makers of previews, filters of mail. Not the phones called CUBOT. */
const SCANNERS =
  /(?<!cu)bot\b|crawler|spider|scanner|preview|(?:img|image|mail)-?proxy|facebookexternalhit|whatsapp|embedly|iframely|ms-?office|barracuda|proofpoint|mimecast|urlscan|virustotal/i;

/**
 * A request without a person who opened the address: HEAD, a prefetch, an image, frame or script on some page, or a scanner
 * such as Slack's link expander (docs.slack.dev/messaging/unfurling-links, "Slackbot"). `Sec-Fetch-User` says nothing: Safari
 * sends none, nor does the waiting page that comes back.
 */
function isOnlyLooking(method: string, headers: IncomingHttpHeaders): boolean {
  if (method !== 'GET' || SCANNERS.test(headers['user-agent'] ?? '')) return true;
  const purpose = [headers['sec-purpose'], headers['purpose'], headers['x-purpose'], headers['x-moz']];
  if (/prefetch|prerender|preview/i.test(purpose.join(' '))) return true;
  // Browsers say what an address is opened as, and how; older ones don't.
  const { 'sec-fetch-dest': destination = 'document', 'sec-fetch-mode': mode = 'navigate' } = headers;
  return destination !== 'document' || mode !== 'navigate';
}

export type ReportWatch = (outcome: WatchOutcome, request: LinkRequest | undefined) => void;

interface WatchRoutesParts {
  readonly tickets: Pick<TicketKind<LinkRequest>, 'read'>;
  readonly joinTickets: TicketKind<z.infer<typeof JoinAnswer>>;
  readonly presses: Pick<Presses, 'claim' | 'giveUp' | 'useOnce' | 'wasTaken' | 'wasReported'>;
  /** Otherwise the ticket is enough proof that its user opened the page. */
  readonly needsPress: boolean;
  /** How long a page waits: first without a word, then as long behind the waiting page. */
  readonly waitMs: number;
  readonly authorize: Pick<Authorizer, 'watch' | 'record'>;
  readonly issueLink: IssueLink;
  readonly uses: TicketUses;
  readonly sendButton: SendButton;
  readonly unconfirmedPresses: Pick<UnconfirmedPresses, 'suspect'>;
  /** This run of the app, where it alone knows what was answered. */
  readonly run: string;
  readonly nameOf: Agents['nameOf'];
  readonly report: ReportWatch;
}

/** @param reading what its address holds, where that's a button's ticket */
type Handle = (incoming: Request, reading: TicketReading<LinkRequest>) => Promise<Reply>;

/** What a page answers: the redirect, a question, or why not. */
function createAnswers({ workspaceOf, now }: Pick<App, 'workspaceOf' | 'now'>, own: WatchRoutesParts) {
  const { joinTickets, authorize, run, report } = own;

  function say(outcome: WatchOutcome, request: LinkRequest | undefined, reply: Reply): Reply {
    report(outcome, request);
    return reply;
  }

  /** Also names where the link may lead: browsers hold redirects of a form to that. */
  async function formFor(request: LinkRequest, pressId: string | undefined, from: 'press' | 'answer') {
    const content = { id: randomUUID(), order: request, proofId: pressId ?? randomUUID(), run };
    const ticket = joinTickets.issue(content, JOIN_TICKET_MS);
    const { hasPlainLinks } = await workspaceOf(request.workspaceId);
    return {
      action: from === 'press' ? `join/${ticket}` : ticket,
      leadsTo: hasPlainLinks ? "'self' https: http:" : "'self' https:",
    };
  }

  async function redirect(
    request: LinkRequest,
    proofId: string | undefined,
    from: 'press' | 'answer',
  ): Promise<Reply> {
    try {
      const location = (await own.issueLink(request, proofId)).locationHeader();
      const headers = { location, 'cache-control': 'no-store' };
      return say('redirected', request, { status: from === 'press' ? 302 : 303, headers });
    } catch (error) {
      if (error instanceof DatabaseError) return say(error, request, pages.storeFailurePage());
      if (error instanceof RightUnknownError)
        return say(error, request, pages.refusedPage(pages.lacking(error.missingScope)));
      if (!(error instanceof CobrowseError)) throw error;
      report(error, request);
      if (error.code !== AGENT_UNKNOWN || 'proxy' in request) return pages.failurePage(error);
      // The press is proven, so the page itself may try again.
      return pages.failurePage(error, await formFor(request, proofId, from));
    }
  }

  /** The second tab of a double click always asks: the link of the first may still be on its way. */
  async function redirectOrAsk(allowed: Allowed, { pressId, isSecond }: ClaimedPress): Promise<Reply> {
    const { request, underWay } = allowed;
    if (underWay === undefined && !isSecond) return redirect(request, pressId, 'press');
    const form = await formFor(request, pressId, 'press');
    if (underWay !== undefined && underWay.userId !== request.userId) {
      const name = await own.nameOf(request.workspaceId, underWay.userId);
      return say('asked-to-join', request, pages.joinPage(form, name, now() - underWay.at));
    }
    if (underWay === undefined || isSecond) return say('double', request, pages.doublePage(form));
    return say('asked-to-open-again', request, pages.againPage(form, now() - underWay.at));
  }

  /** The press is its owner's, but this page may be of somebody who has the address: it leads somewhere in Slack. */
  async function leadToSlack(request: LinkRequest): Promise<Reply> {
    if (!(await own.sendButton(request, true))) return pages.notSentPage;
    return say('worn', request, pages.blockedPage);
  }

  async function answer(request: LinkRequest, ticket: string, claim: Exclude<Claim, 'none'>): Promise<Reply> {
    if (claim === 'crowded') return leadToSlack(request);
    if ('refused' in claim) return say('refused', request, pages.refusedPage(claim.refused));
    // Who pressed may have lost their permission since.
    const decision = await authorize.watch(request, ticket);
    if ('refused' in decision) return say('refused', request, pages.refusedPage(decision.refused));
    if (!decision.allowed.isBlocked) return redirectOrAsk(decision.allowed, claim);
    // The first press of a double click leads there.
    return claim.isSecond ? say('worn', request, pages.blockedPage) : leadToSlack(request);
  }

  return { say, redirect, answer };
}

/** Redirects to a fresh link, in the Location header and nowhere else, or asks first. */
function createOpen(
  { presses, authorize, uses, ...own }: WatchRoutesParts,
  { say, answer }: ReturnType<typeof createAnswers>,
): Handle {
  return async ({ method, headers, parameter: ticket, query, onGone }, reading) => {
    if (isOnlyLooking(method, headers)) return say('looked-at', undefined, pages.lookingPage);
    if (reading.state === 'expired') return say('expired', undefined, pages.expiredPage);
    if (reading.state !== 'good') return say('bad-ticket', undefined, pages.badTicketPage);
    const { content: request, expiresAt } = reading;
    if (!own.needsPress) return answer(request, ticket, { pressId: undefined, isSecond: false });

    // Claim: the press is there, or comes while the page waits.
    const button = buttonOf(request);
    const claim = await presses.claim(button, own.waitMs, onGone);
    if (claim !== 'none') return answer(request, ticket, claim);

    // Wait again, behind the waiting page, unless there's nothing to wait for: the address was opened too often, or another
    // page had the press (a scanner in a real browser, or the same page loaded twice).
    const failed = await uses.countFailed({ workspaceId: request.workspaceId, ticket, expiresAt });
    if (failed === 'now-blocked') await authorize.record(request, 'address-worn');
    const isBlocked = failed !== 'counted';
    const isTaken = !isBlocked && (await presses.wasTaken(button));
    const waitOn = () => say('waiting', request, pages.waitingPage(`?${AGAIN}`));
    if (query !== AGAIN && !isBlocked && !isTaken) return waitOn();

    // Give up: no message answers a press that came just before that.
    const late = await presses.giveUp(button, isBlocked, onGone);
    if (late !== 'none') return answer(request, ticket, late);
    if (failed === 'blocked') return say('worn', request, pages.blockedPage);
    if (isTaken) return say('taken', request, pages.takenPage);
    return query === AGAIN ? say('not-proven', request, pages.noPressPage) : waitOn();
  };
}

/** The answer to that question. The ticket is good for one. */
function createJoin(
  { joinTickets, presses, authorize, run }: WatchRoutesParts,
  { redirect }: ReturnType<typeof createAnswers>,
): Handle {
  return async ({ parameter: ticket }) => {
    const reading = joinTickets.read(ticket);
    if (reading.state === 'bad') return pages.badTicketPage;
    if (reading.state === 'expired' || reading.content.run !== run) return pages.joinExpiredPage;
    const { id, order: request, proofId } = reading.content;
    // Before Slack is asked, so that a repeated answer asks only once.
    if (!(await presses.useOnce(request.workspaceId, `join:${id}`, reading.expiresAt)))
      return pages.joinExpiredPage;
    const decision = await authorize.watch(request);
    return 'refused' in decision
      ? pages.refusedPage(decision.refused)
      : redirect(decision.allowed.request, proofId, 'answer');
  };
}

/** One message and question to Slack per ticket: whoever has the address mustn't flood its owner or use up Slack's limits. */
const ONCE_IN_MS = 60 * 1_000;

const Sending = z.enum(['sent', 'nowhere', ...pages.PRESS_REFUSALS]);
type Sending = z.infer<typeof Sending>;

function pageOf(sending: Sending, request: LinkRequest): Reply {
  if (sending === 'sent') return pages.sentPage(request);
  return sending === 'nowhere' ? pages.notSentPage : pages.refusedPage(sending);
}

/** Where no press is reported: a message to the ticket's user alone, whose button brings the link. */
function createSend(own: WatchRoutesParts): Handle {
  const { uses, report } = own;

  async function send(request: LinkRequest): Promise<Sending> {
    const decision = await own.authorize.watch(request);
    if ('refused' in decision) return decision.refused;
    if (!(await own.sendButton(request, false))) return 'nowhere';
    // A press that was only slow is not lost.
    if (!(await own.presses.wasReported(buttonOf(request)))) await own.unconfirmedPresses.suspect(request);
    return 'sent';
  }

  return async ({ parameter: ticket }, reading) => {
    if (reading.state !== 'good')
      return reading.state === 'expired' ? pages.expiredPage : pages.badTicketPage;
    const { content: request, expiresAt } = reading;
    const used = { workspaceId: request.workspaceId, ticket, expiresAt };
    if (await uses.isBlocked(used)) {
      report('worn', request);
      return pages.blockedPage;
    }
    if (!(await uses.claimSending(used, ONCE_IN_MS))) {
      const known = Sending.safeParse(await uses.sendingOf(used)).data;
      return known === undefined ? pages.sendingPage(request) : pageOf(known, request);
    }
    const sending = await send(request);
    // The message is sent even if this fails.
    await uses.recordSending(used, sending).catch(() => undefined);
    return pageOf(sending, request);
  };
}

/** The addresses of buttons, and of the question that may follow. */
export function createWatchRoutes(
  app: Pick<App, 'workspaceOf' | 'isInstalled' | 'now'>,
  own: WatchRoutesParts,
): readonly Route[] {
  const answers = createAnswers(app, own);

  const routeOf = (method: Route['method'], path: string, handle: Handle): Route => ({
    method,
    path,
    async handle(incoming) {
      const reading = own.tickets.read(incoming.parameter);
      try {
        if (reading.state === 'good' && !(await app.isInstalled(reading.content))) return pages.removedPage;
        return await handle(incoming, reading);
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error;
        own.report(error, undefined);
        return pages.storeFailurePage();
      }
    },
  });

  return [
    routeOf('GET', '/watch/:ticket', createOpen(own, answers)),
    routeOf('POST', '/watch/join/:ticket', createJoin(own, answers)),
    routeOf('POST', '/watch/:ticket', createSend(own)),
  ];
}
