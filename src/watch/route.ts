import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { z } from 'zod';
import { CobrowseError } from '../cobrowse/errors.ts';
import { DatabaseError } from '../database/database.ts';
import type { Reply, Request, Route } from '../http/server.ts';
import type { TicketKind, TicketReading } from '../http/tickets.ts';
import { LinkRequest, buttonOf } from '../messages/link-request.ts';
import type { App } from '../parts.ts';
import { RightUnknownError } from '../permissions/permissions.ts';
import type { Workspace } from '../workspaces/workspaces.ts';
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
});
type JoinAnswer = z.infer<typeof JoinAnswer>;

type LinkFailure = CobrowseError | DatabaseError | RightUnknownError;

/** `answered`: the link went out in Slack's answer. */
export type WatchOutcome =
  | 'redirected'
  | 'asked-to-join'
  | 'asked-to-open-again'
  | LinkFailure
  | 'answered'
  | 'looked-at'
  | 'expired'
  | 'bad-ticket'
  | 'not-proven'
  | 'taken'
  | 'worn'
  | 'refused'
  | 'sent-to-slack'
  | 'not-sent';

/** Names of what fetches links: crawlers, makers of previews, filters of mail. Not the phones called CUBOT. */
const SCANNERS =
  /(?<!cu)bot\b|crawler|spider|scanner|preview|(?:img|image|mail)-?proxy|facebookexternalhit|whatsapp|embedly|iframely|ms-?office|barracuda|proofpoint|mimecast|urlscan|virustotal/i;

/**
 * A request without a person who opened the address: HEAD, a prefetch, an image, frame or script on some page, or a scanner
 * such as Slack's link expander (docs.slack.dev/messaging/unfurling-links, "Slackbot"). `Sec-Fetch-User` says nothing: Safari
 * sends none.
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
  readonly joinTickets: TicketKind<JoinAnswer>;
  readonly presses: Pick<Presses, 'claim' | 'useOnce' | 'wasTaken' | 'wasReported'>;
  /** Otherwise the ticket is enough proof that its user opened the page. */
  readonly needsPress: boolean;
  /** How long a page waits for its press. */
  readonly waitMs: number;
  readonly authorize: Pick<Authorizer, 'watch' | 'record'>;
  readonly issueLink: IssueLink;
  readonly uses: TicketUses;
  readonly sendButton: SendButton;
  readonly unconfirmedPresses: Pick<UnconfirmedPresses, 'suspect'>;
  readonly nameOf: Agents['nameOf'];
  readonly report: ReportWatch;
}

/** A workspace, as far as its pages need it. */
export type Serving = Parameters<Authorizer['watch']>[0] &
  Parameters<IssueLink>[0] &
  Parameters<SendButton>[0] &
  Pick<Workspace, 'hasPlainLinks'>;

/** What an address holds, and where that was made. */
type Opened<Content> =
  | Exclude<TicketReading<Content>, { readonly state: 'good' }>
  | (Extract<TicketReading<Content>, { readonly state: 'good' }> & { readonly workspace: Serving });
type Handle<Content> = (incoming: Request, opened: Opened<Content>) => Promise<Reply>;

/** What a page answers: the redirect, a question, or why not. */
function createAnswers({ now }: Pick<App, 'now'>, own: WatchRoutesParts) {
  const { joinTickets, authorize, report } = own;

  function say(outcome: WatchOutcome, request: LinkRequest | undefined, reply: Reply): Reply {
    report(outcome, request);
    return reply;
  }

  /** Also names where the link may lead: browsers hold redirects of a form to that. */
  function formFor({ hasPlainLinks }: Serving, request: LinkRequest, pressId: string | undefined) {
    const content = { id: randomUUID(), order: request, proofId: pressId ?? randomUUID() };
    return {
      action: `join/${joinTickets.issue(content, JOIN_TICKET_MS)}`,
      leadsTo: hasPlainLinks ? "'self' https: http:" : "'self' https:",
    };
  }

  async function redirect(
    workspace: Serving,
    request: LinkRequest,
    proofId: string | undefined,
    status: 302 | 303,
  ) {
    try {
      const location = (await own.issueLink(workspace, request, proofId)).locationHeader();
      const headers = { location, 'cache-control': 'no-store' };
      return say('redirected', request, { status, headers });
    } catch (error) {
      if (error instanceof DatabaseError) return say(error, request, pages.storeFailurePage());
      if (error instanceof RightUnknownError) return say(error, request, pages.refusedPage('unchecked'));
      if (error instanceof CobrowseError) return say(error, request, pages.failurePage(error));
      throw error;
    }
  }

  /** The second tab of a double click always asks: the link of the first may still be on its way. */
  async function redirectOrAsk(workspace: Serving, allowed: Allowed, { pressId, isSecond }: ClaimedPress) {
    const { request, underWay } = allowed;
    if (underWay === undefined && !isSecond) return redirect(workspace, request, pressId, 302);
    const form = formFor(workspace, request, pressId);
    if (underWay !== undefined && underWay.userId !== request.userId) {
      const name = await own.nameOf(workspace, underWay.userId);
      return say('asked-to-join', request, pages.joinPage(form, name, now() - underWay.at));
    }
    return say('asked-to-open-again', request, pages.againPage(form));
  }

  /** The press is its owner's, but this page may be of somebody who has the address: it leads somewhere in Slack. */
  async function leadToSlack(workspace: Serving, request: LinkRequest): Promise<Reply> {
    // What it comes to is reported there.
    if (!(await own.sendButton(workspace, request))) return pages.notSentPage;
    return say('worn', request, pages.blockedPage);
  }

  async function answer(
    workspace: Serving,
    request: LinkRequest,
    ticket: string,
    claim: Exclude<Claim, 'none'>,
  ): Promise<Reply> {
    if (claim === 'crowded') return leadToSlack(workspace, request);
    if ('refused' in claim) return say('refused', request, pages.refusedPage(claim.refused));
    // Who pressed may have lost their permission since.
    const decision = await authorize.watch(workspace, request, ticket);
    if ('refused' in decision) return say('refused', request, pages.refusedPage(decision.refused));
    if (!decision.allowed.isBlocked) return redirectOrAsk(workspace, decision.allowed, claim);
    // The first press of a double click leads there.
    return claim.isSecond ? say('worn', request, pages.blockedPage) : leadToSlack(workspace, request);
  }

  return { say, redirect, answer };
}

/** Redirects to a fresh link, in the Location header and nowhere else, or asks first. */
function createOpen(
  { presses, authorize, uses, ...own }: WatchRoutesParts,
  { say, answer }: ReturnType<typeof createAnswers>,
): Handle<LinkRequest> {
  return async ({ method, headers, parameter: ticket, onGone }, reading) => {
    if (isOnlyLooking(method, headers)) return say('looked-at', undefined, pages.lookingPage);
    if (reading.state === 'expired') return say('expired', undefined, pages.expiredPage);
    if (reading.state !== 'good') return say('bad-ticket', undefined, pages.badTicketPage);
    const { workspace, content: request, expiresAt } = reading;
    if (!own.needsPress) return answer(workspace, request, ticket, { pressId: undefined, isSecond: false });

    // The press is there, or comes while the page waits.
    const button = buttonOf(request);
    const claim = await presses.claim(button, own.waitMs, onGone);
    if (claim !== 'none') return answer(workspace, request, ticket, claim);

    const failed = await uses.countFailed({ workspaceId: request.workspaceId, ticket, expiresAt });
    if (failed === 'now-blocked') await authorize.record(request, 'address-worn');
    if (failed === 'blocked') return say('worn', request, pages.blockedPage);
    // Another page had it: a scanner in a real browser, or the same page loaded twice.
    if (await presses.wasTaken(button)) return say('taken', request, pages.takenPage);
    return say('not-proven', request, pages.noPressPage);
  };
}

function createJoin(
  { presses, authorize }: WatchRoutesParts,
  { redirect }: ReturnType<typeof createAnswers>,
): Handle<JoinAnswer> {
  return async (_incoming, reading) => {
    if (reading.state === 'bad') return pages.badTicketPage;
    if (reading.state === 'expired') return pages.joinExpiredPage;
    const { workspace, content, expiresAt } = reading;
    const { id, order: request, proofId } = content;
    // Before Slack is asked, so that a repeated answer asks only once.
    if (!(await presses.useOnce(request.workspaceId, `join:${id}`, expiresAt))) return pages.joinExpiredPage;
    const decision = await authorize.watch(workspace, request);
    return 'refused' in decision
      ? pages.refusedPage(decision.refused)
      : redirect(workspace, decision.allowed.request, proofId, 303);
  };
}

/** One message and question to Slack per ticket: whoever has the address mustn't flood its owner or use up Slack's limits. */
const ONCE_IN_MS = 60 * 1_000;

/** Where no press is reported: a message to the ticket's user alone, whose button brings the link. */
function createSend(own: WatchRoutesParts): Handle<LinkRequest> {
  const { uses, report } = own;
  return async ({ parameter: ticket }, reading) => {
    if (reading.state !== 'good')
      return reading.state === 'expired' ? pages.expiredPage : pages.badTicketPage;
    const { workspace, content: request, expiresAt } = reading;
    const used = { workspaceId: request.workspaceId, ticket, expiresAt };
    if (await uses.isBlocked(used)) {
      report('worn', request);
      return pages.blockedPage;
    }
    if (!(await uses.claimSending(used, ONCE_IN_MS))) return pages.sentPage(request, true);
    const decision = await own.authorize.watch(workspace, request);
    if ('refused' in decision) return pages.refusedPage(decision.refused);
    if (!(await own.sendButton(workspace, request))) return pages.notSentPage;
    // A press that was only slow is not lost.
    if (!(await own.presses.wasReported(buttonOf(request)))) await own.unconfirmedPresses.suspect(request);
    return pages.sentPage(request);
  };
}

export function createWatchRoutes(
  app: Pick<App, 'now'> & { readonly ownWorkspace: (of: LinkRequest) => Promise<Serving | undefined> },
  own: WatchRoutesParts,
): readonly Route[] {
  const answers = createAnswers(app, own);
  const { tickets, joinTickets } = own;

  const routeOf = <Content>(
    [method, path]: readonly [Route['method'], string],
    { read }: Pick<TicketKind<Content>, 'read'>,
    requestIn: (content: Content) => LinkRequest,
    handle: Handle<Content>,
  ): Route => ({
    method,
    path,
    async handle(incoming) {
      const reading = read(incoming.parameter);
      try {
        if (reading.state !== 'good') return await handle(incoming, reading);
        const workspace = await app.ownWorkspace(requestIn(reading.content));
        return workspace ? await handle(incoming, { ...reading, workspace }) : pages.removedPage;
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error;
        own.report(error, undefined);
        return pages.storeFailurePage();
      }
    },
  });

  return [
    routeOf(['GET', '/watch/:ticket'], tickets, (request) => request, createOpen(own, answers)),
    routeOf(['POST', '/watch/join/:ticket'], joinTickets, ({ order }) => order, createJoin(own, answers)),
    routeOf(['POST', '/watch/:ticket'], tickets, (request) => request, createSend(own)),
  ];
}
