import { setTimeout as wait } from 'node:timers/promises';
import type { Audit } from '../audit/audit.ts';
import type { Recording } from '../audit/recording.ts';
import type { Bursts } from '../lifecycle/bursts.ts';
import type { Surface } from '../commands/catalog.ts';
import type { Database } from '../database/database.ts';
import type { Momentary } from '../database/open.ts';
import type { LinkRequest, IssuedLink } from '../messages/link-request.ts';
import type { CheckRule } from '../permissions/permissions.ts';
import type { WatchLinks } from '../sessions/watch-links.ts';
import type { TicketKind, createTickets } from '../http/tickets.ts';
import type { OnIt } from '../visitors/on-it.ts';
import type { Workspace } from '../workspaces/workspaces.ts';
import type { Agents } from './agents.ts';
import { createAuthorizer } from './authorize.ts';
import type { Buttons } from './buttons.ts';
import { ofButtons } from './button-route.ts';
import { createSendButton, createSendRoute, type ShowPrivately } from './continue-in-slack.ts';
import { createDefineLinkPress } from './handle-press.ts';
import { createIssueLink, type PutOnRecord } from './issue-link.ts';
import { createTicketUses, removeOldLostPresses, removeOldTicketUses } from './missed-presses.ts';
import { createPartnersOf } from './partners.ts';
import { createPresses, removeOldLatestPresses, removeOldPresses } from './presses.ts';
import { createProxyCommand } from './proxy.ts';
import { JoinAnswer, createWatchRoutes, type WatchOutcome } from './route.ts';
import { createStart } from './start.ts';
import { createWatchCommand } from './watch.ts';

/** How long a list waits to learn whether a customer has accepted. */
const PARTNERS_MS = 1_500;

/**
 * How long a page that came before its press waits: first without a word, then behind the waiting page. Together the three
 * seconds that Slack gives an app.
 */
const PAGE_WAIT_MS = 1_500;

/** From the Watch button to the link: the address of a button with the press that proves it, or the press itself. */
export function createWatching({
  workspaceOf,
  isInstalled,
  buttons: { tickets, lostPresses, visitorTools, pressTarget },
  recording,
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
  asPage,
  now,
  elapsed,
  showPrivately,
  report,
  reportUnknown,
  reportPartners,
}: {
  readonly workspaceOf: (workspaceId: string) => Promise<Workspace>;
  readonly isInstalled: (of: LinkRequest) => Promise<boolean>;
  readonly buttons: Buttons;
  readonly recording: Recording;
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
  readonly pageWaitMs?: number;
  readonly asPage: Bursts['asPage'];
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
  const presses = createPresses({ database: momentary.database, isShared: momentary.isShared, now, elapsed });
  const uses = createTicketUses(database, now);
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
    workspaceOf,
    agentOf: agents.agentOf,
    sessionEndTickets,
    publicUrl,
    audit,
    putOnRecord,
  });
  const sendButton = createSendButton({ showPrivately, workspaceOf, report });
  const defineLinkPress = createDefineLinkPress({
    authorize,
    presses,
    issueLink,
    hasAddress: publicUrl !== undefined,
    pageDecides: !needsPress,
    isOverHttp,
    since: momentary.since,
    // As long as a page waits, both times together.
    pageTime: () => wait(2 * pageWaitMs),
    sendButton,
    lostPresses,
    given: (request) => report('answered', request),
    now,
  });
  const partnersOf = createPartnersOf({
    links,
    async visitorOf(workspaceId, visitorId) {
      const { cobrowse } = await workspaceOf(workspaceId);
      return cobrowse.visitor(visitorId, { once: true, timeoutMs: PARTNERS_MS });
    },
    onIt,
    agents,
    now,
    report: reportPartners,
  });
  const showing = { visitorTools, partnersOf, recording };

  return {
    /** What it takes to show visitors to somebody. */
    showing,
    /** @param ofSessions the buttons of cards and summaries */
    watchCommand: (ofSessions: Surface) =>
      createWatchCommand(showing, defineLinkPress, createStart(showing), ofSessions),
    proxyCommand: createProxyCommand(defineLinkPress, pressTarget),
    routes: [
      ...createWatchRoutes({
        joinTickets: ticketKind('join', JoinAnswer),
        presses,
        needsPress,
        waitMs: pageWaitMs,
        authorize,
        issueLink,
        uses,
        sendButton,
        run: momentary.run,
        nameOf: agents.nameOf,
        workspaceOf,
        now,
        report,
      }),
      createSendRoute({ authorize, uses, sendButton, presses, lostPresses, report }),
    ].map(ofButtons({ tickets, isInstalled, asPage, report })),
    /** Statements that each remove a few rows that are over. */
    removals: [
      removeOldLostPresses,
      (until: number, limit: number) => removeOldTicketUses(database, until, limit),
    ],
    /** The same for what is momentary. */
    momentaryRemovals: [
      (until: number, limit: number) => removeOldPresses(momentary.database, until, limit),
      (_until: number, limit: number) => removeOldLatestPresses(momentary.database, limit),
    ],
    /** Ends the waiting of pages: the rest of a stop waits for them. */
    stop: () => presses.stop(),
  };
}
