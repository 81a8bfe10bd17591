import { z } from 'zod';
import { AGENT_UNKNOWN, CobrowseError } from '../cobrowse/errors.ts';
import { DatabaseError } from '../database/errors.ts';
import type { Reply, Route } from '../http/server.ts';
import { LinkRequest } from '../messages/link-request.ts';
import { RightUnknownError } from '../permissions/acts.ts';
import type { TicketKind } from '../tickets.ts';
import type { Allowed, Authorizer } from './authorize.ts';
import type { IssueLink } from './issue-link.ts';
import {
  againPage,
  badTicketPage,
  doublePage,
  failurePage,
  joinExpiredPage,
  joinPage,
  refusedPage,
  storeFailurePage,
} from './pages.ts';
import { lacking } from './press-refusals.ts';
import type { ClaimedPress, Presses } from './presses.ts';

/** How long the question whether to join, or to open another, may be answered. */
const JOIN_TICKET_MS = 2 * 60 * 1_000;

/** What the button of such a page holds: the press is proven, and good for one link, whoever joins. */
export const JoinAnswer = z.object({
  id: z.string(),
  /** The request; pages from before an update call it so. */
  order: LinkRequest,
  /** What the link is made for: the press, where there was one. */
  proofId: z.string(),
  /** The run of the app that asked, where only that knows whether the answer was given before. */
  run: z.string(),
});
export type JoinAnswer = z.infer<typeof JoinAnswer>;

/** Why no link could be made: the service, the record of it, or Slack, which does not say who pressed. */
type LinkFailure = CobrowseError | DatabaseError | RightUnknownError;

/** What became of a press that was proven. */
export type RedirectOutcome = 'redirected' | 'asked-to-join' | 'asked-to-open-again' | 'double' | LinkFailure;

const isFailure = (error: unknown): error is LinkFailure =>
  error instanceof CobrowseError || error instanceof DatabaseError || error instanceof RightUnknownError;

/** The answer to a press that was proven and allowed. */
export type AnswerPress = (allowed: Allowed, press: ClaimedPress) => Promise<Reply>;

/** Gives links to browsers: in the Location header and nowhere else. */
export function createRedirect({
  issueLink,
  joinTickets,
  presses,
  authorize,
  run,
  nameOf,
  linkSources,
  now,
  newId,
  report,
}: {
  readonly issueLink: IssueLink;
  readonly joinTickets: TicketKind<JoinAnswer>;
  readonly presses: Pick<Presses, 'useOnce'>;
  readonly authorize: Pick<Authorizer, 'watch'>;
  /** This run of the app, where it alone knows what was answered. */
  readonly run: string;
  /** How the agent is called. Never rejects. */
  readonly nameOf: (workspaceId: string, userId: string) => Promise<string>;
  /** Where the browser may be led from the question: sources for the policy of its page. */
  readonly linkSources: (workspaceId: string) => Promise<string>;
  readonly now: () => number;
  readonly newId: () => string;
  readonly report: (outcome: RedirectOutcome, request: LinkRequest) => void;
}) {
  /** Where a button leads that brings the link. */
  async function formFor(request: LinkRequest, proofId: string, from: 'press' | 'answer' = 'press') {
    const ticket = joinTickets.issue({ id: newId(), order: request, proofId, run }, JOIN_TICKET_MS);
    return {
      action: from === 'press' ? `join/${ticket}` : ticket,
      leadsTo: await linkSources(request.workspaceId),
    };
  }

  async function link(
    allowed: Allowed,
    proofId: string | undefined,
    from: 'press' | 'answer',
  ): Promise<Reply> {
    const { request } = allowed;
    try {
      const made = await issueLink(allowed, proofId);
      report('redirected', request);
      const status = from === 'press' ? 302 : 303;
      return { status, headers: { location: made.locationHeader(), 'cache-control': 'no-store' } };
    } catch (error) {
      if (!isFailure(error)) throw error;
      report(error, request);
      if (error instanceof DatabaseError) return storeFailurePage(error);
      if (error instanceof RightUnknownError) return refusedPage(lacking(error.missingScope));
      if (error.code !== AGENT_UNKNOWN || 'proxy' in request) return failurePage(error);
      // The press is proven, so the page itself may try again.
      return failurePage(error, await formFor(request, proofId ?? newId(), from));
    }
  }

  /**
   * Asks first where they, or somebody else, have a link to the same screen; the second tab of a double click always asks,
   * since the link of the first may still be on its way.
   */
  const answerPress: AnswerPress = async (allowed, { pressId, isSecond }) => {
    const { request, underWay } = allowed;
    if (underWay === undefined && !isSecond) return link(allowed, pressId, 'press');
    const form = await formFor(request, pressId ?? newId());
    if (underWay !== undefined && underWay.userId !== request.userId) {
      report('asked-to-join', request);
      const name = await nameOf(request.workspaceId, underWay.userId);
      return joinPage({ ...form, agoMs: now() - underWay.at, name });
    }
    if (underWay === undefined || isSecond) {
      report('double', request);
      return doublePage(form);
    }
    report('asked-to-open-again', request);
    return againPage({ ...form, agoMs: now() - underWay.at });
  };

  /** `POST /watch/join/:ticket`: the link for who answers so. The ticket is good for one answer, for two minutes. */
  const joinRoute: Route = {
    method: 'POST',
    path: '/watch/join/:ticket',
    async handle({ parameter: ticket }) {
      const reading = joinTickets.read(ticket);
      if (reading.state !== 'good') return reading.state === 'expired' ? joinExpiredPage : badTicketPage;
      const { id, order: request, proofId, run: asked } = reading.content;
      if (asked !== run) return joinExpiredPage;
      // Before Slack is asked: who may is asked once for each, however often it is sent.
      if (!(await presses.useOnce(request.workspaceId, `join:${id}`, reading.expiresAt)))
        return joinExpiredPage;
      const decision = await authorize.watch(request);
      return 'refused' in decision
        ? refusedPage(decision.refused)
        : link(decision.allowed, proofId, 'answer');
    },
  };

  return { answerPress, joinRoute };
}
