import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Audit } from '../audit/audit.ts';
import type { CobrowseClient } from '../cobrowse/client.ts';
import type { Database } from '../database/database.ts';
import { DatabaseError } from '../database/errors.ts';
import type { Momentary } from '../database/open.ts';
import type { Route } from '../http/server.ts';
import { LinkRequest } from '../messages/link-request.ts';
import type { IssuedLink } from '../messages/link-request.ts';
import type { Message } from '../messages/message.ts';
import { bold } from '../messages/text.ts';
import { whoLine } from '../messages/visitor-pieces.ts';
import type { Rules } from '../permissions/acts.ts';
import type { CheckRule } from '../permissions/permissions.ts';
import type { WatchLinks } from '../sessions/watch-links.ts';
import type { TicketKind, createTickets } from '../tickets.ts';
import type { OnIt } from '../visitors/on-it.ts';
import type { Agents } from './agents.ts';
import { createAuthorizer } from './authorize.ts';
import { createButtons } from './buttons.ts';
import type { ButtonsParts } from './buttons.ts';
import { createSendButton, createSendRoute } from './continue-in-slack.ts';
import type { ShowPrivately } from './continue-in-slack.ts';
import { createPressHandler } from './handle-press.ts';
import { createIssueLink } from './issue-link.ts';
import type { PutOnRecord } from './issue-link.ts';
import { linkHereInstead, linkHereOffer } from './link-here.ts';
import { createLostPresses } from './lost-presses.ts';
import { storeFailurePage } from './pages.ts';
import { createPartnersOf } from './partners.ts';
import { createPresses, reasonAgainstTime } from './presses.ts';
import { proxyLine } from './proxy.ts';
import { JoinAnswer, createRedirect } from './redirect.ts';
import { createWatchRoute } from './route.ts';
import type { WatchOutcome } from './route.ts';
import { createTicketUses } from './ticket-uses.ts';

/** How long after the press the service may still report the session's end. */
const SESSION_END_TICKET_MS = 7 * 24 * 60 * 60 * 1_000;
/** How long a list waits to learn whether a customer has accepted. */
const PARTNERS_MS = 1_500;

type WorkspaceOf = (workspaceId: string) => Promise<{
  readonly cobrowse: CobrowseClient;
  readonly hasPlainLinks: boolean;
  readonly accountId: string;
  readonly defaults: { readonly rules: Rules };
}>;

/**
 * How long a page that came before its press waits: first without a word, then behind the waiting page. Together the three
 * seconds that Slack gives an app.
 */
const PAGE_WAIT_MS = 1_500;

/** From the Watch button to the link: the address of a button with the press that proves it, or the press itself. */
export function createWatching({
  workspaceOf,
  agents,
  links,
  onIt,
  checkRule,
  audit,
  putOnRecord,
  database,
  momentary,
  ticketKind,
  sessionEndTickets,
  publicUrl,
  watchProof,
  isOverHttp,
  pageWaitMs = PAGE_WAIT_MS,
  now,
  elapsed,
  showPrivately,
  report,
  reportUnknown,
  reportPartners,
}: {
  readonly workspaceOf: WorkspaceOf & ButtonsParts['workspaceOf'];
  readonly agents: Agents;
  readonly links: Pick<WatchLinks, 'inUse'>;
  readonly onIt: Pick<OnIt, 'holders'>;
  readonly checkRule: CheckRule;
  readonly audit: Audit;
  readonly putOnRecord: PutOnRecord;
  readonly database: Database;
  readonly momentary: Momentary;
  readonly ticketKind: ReturnType<typeof createTickets>;
  readonly sessionEndTickets: TicketKind<IssuedLink>;
  readonly publicUrl: string | undefined;
  /** What a watch link needs beside the ticket: Slack's own word of the press, or nothing. */
  readonly watchProof: 'press' | 'ticket';
  /** Whether somebody stands between Slack and the app who could hold a press back. */
  readonly isOverHttp: boolean;
  /** How long a page waits for its press each time, milliseconds. */
  readonly pageWaitMs?: number | undefined;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds from any moment on: nobody sets this clock. */
  readonly elapsed: () => number;
  readonly showPrivately: ShowPrivately;
  /** Called with every outcome, for log and metrics. */
  readonly report: (outcome: WatchOutcome, request: LinkRequest | undefined) => void;
  /** Called where Slack can't be asked who may watch. */
  readonly reportUnknown: (error: unknown) => void;
  /** Called where it can't be read who is in a session. */
  readonly reportPartners: (error: unknown) => void;
}) {
  const tickets = ticketKind('watch', LinkRequest);
  const joinTickets = ticketKind('join', JoinAnswer);
  const presses = createPresses({ database: momentary.database, isShared: momentary.isShared, now, elapsed });
  const uses = createTicketUses(database, now);
  const lostPresses = createLostPresses(database, now);
  const needsPress = watchProof === 'press';
  const authorize = createAuthorizer({
    database,
    workspaceOf,
    checkRule,
    audit,
    now,
    elapsed,
    report: reportUnknown,
  });
  const issueLink = createIssueLink({
    cobrowseOf: async (workspaceId) => (await workspaceOf(workspaceId)).cobrowse,
    agentOf: agents.agentOf,
    sessionEndUrl: (link) =>
      publicUrl === undefined
        ? undefined
        : `${publicUrl}/webhooks/session-end/${sessionEndTickets.issue(link, SESSION_END_TICKET_MS)}`,
    newLinkId: randomUUID,
    audit,
    putOnRecord,
  });
  const { answerPress, joinRoute } = createRedirect({
    issueLink,
    joinTickets,
    presses,
    authorize,
    run: momentary.run,
    nameOf: agents.nameOf,
    // For the policy of a page whose form redirects there: browsers hold redirects of a form to it.
    linkSources: async (workspaceId) =>
      (await workspaceOf(workspaceId)).hasPlainLinks ? "'self' https: http:" : "'self' https:",
    now,
    newId: randomUUID,
    report,
  });

  /** The message with "Get my link", for people whose Slack didn't report the press. */
  async function getMyLink(request: LinkRequest, value: string, isPressed: boolean): Promise<Message> {
    const words = isPressed ? linkHereInstead : linkHereOffer;
    if ('proxy' in request) return words(proxyLine(request.proxy), 'proxy', value);
    const { cobrowse } = await workspaceOf(request.workspaceId);
    const visitor = await cobrowse.visitor(request.visitorId).catch(() => undefined);
    const about = visitor === undefined ? ['visitor ', bold(request.visitorId)] : whoLine(visitor);
    return words(about, 'watch', value);
  }

  /** Somebody may have copied the address. */
  async function recordBlocked(request: LinkRequest): Promise<void> {
    const { workspaceId, userId, channelId } = request;
    const what = 'visitorId' in request ? { visitorId: request.visitorId } : {};
    const where = channelId === undefined ? {} : { channelId };
    const refusal = { action: 'refusal', outcome: 'address-worn', detail: { act: 'watch' } } as const;
    await audit.record({ workspaceId, userId, ...where, ...what, ...refusal });
  }

  /** Wherever it is that the database fails, the page says so. */
  const orStoreFailure = (route: Route): Route => ({
    ...route,
    async handle(incoming) {
      try {
        return await route.handle(incoming);
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error;
        report(error, undefined);
        return storeFailurePage(error);
      }
    },
  });

  const sendButton = createSendButton(showPrivately, getMyLink, report);
  return {
    partnersOf: createPartnersOf({
      links,
      async visitorOf(workspaceId, visitorId) {
        const { cobrowse } = await workspaceOf(workspaceId);
        return cobrowse.visitor(visitorId, { once: true, timeoutMs: PARTNERS_MS });
      },
      onIt,
      agents,
      now,
      report: reportPartners,
    }),
    ...createButtons({ workspaceOf, tickets, lostPresses, publicUrl, now }),
    routes: [
      createWatchRoute({
        tickets,
        presses,
        needsPress,
        waitMs: pageWaitMs,
        authorize,
        answerPress,
        uses,
        sendButton,
        recordBlocked,
        report,
      }),
      createSendRoute({ tickets, authorize, uses, sendButton, presses, lostPresses, report }),
      joinRoute,
    ].map(orStoreFailure),
    pressHandler: createPressHandler({
      authorize,
      presses,
      issueLink,
      pageDecides: !needsPress,
      reasonAgainstTime: (press) =>
        isOverHttp ? reasonAgainstTime(press, now(), momentary.since) : undefined,
      // As long as a page waits, both times together.
      pageTime: () => wait(2 * pageWaitMs),
      sendButton,
      lostPresses,
      given: (request) => report('answered', request),
      now,
    }),
    /** Ends the waiting of pages: the rest of a stop waits for them. */
    stop: () => presses.stop(),
  };
}
