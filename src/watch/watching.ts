import type { Surface } from '../commands/command.ts';
import type { TicketKind } from '../http/tickets.ts';
import type { IssuedLink } from '../messages/link-request.ts';
import type { App } from '../parts.ts';
import type { createSessions } from '../sessions/sessions.ts';
import type { WatchLinks } from '../sessions/watch-links.ts';
import type { OnIt } from '../visitors/on-it.ts';
import type { Agents } from './agents.ts';
import type { Buttons } from './buttons.ts';
import { createDefineLinkPress } from './handle-press.ts';
import { createAuthorizer, createIssueLink } from './link-requests.ts';
import { createPartnersOf } from './partners.ts';
import { createPresses, removeOldLatestPresses, removeOldPresses } from './presses.ts';
import { createProxyCommand } from './proxy.ts';
import { JoinAnswer, createWatchRoutes, type ReportWatch } from './route.ts';
import {
  createSendButton,
  createTicketUses,
  removeOldTicketUses,
  removeOldUnconfirmedPresses,
} from './unconfirmed-presses.ts';
import { createWatchCommand } from './watch.ts';

/** How long a page waits for its press: what Slack gives an app to acknowledge it. */
const PAGE_WAIT_MS = 3_000;

interface WatchingParts {
  readonly buttons: Buttons;
  readonly agents: Agents;
  readonly links: Pick<WatchLinks, 'inUse'>;
  readonly onIt: Pick<OnIt, 'holders'>;
  readonly recordIssuedLink: ReturnType<typeof createSessions>['recordIssuedLink'];
  readonly sessionEndTickets: TicketKind<IssuedLink>;
  /** What a watch link needs beside the ticket: Slack's own word of the press, or nothing. */
  readonly watchProof: 'press' | 'ticket';
  /** Whether somebody stands between Slack and the app who could hold a press back. */
  readonly isOverHttp: boolean;
  readonly pageWaitMs: number | undefined;
  readonly report: ReportWatch;
  readonly reportUnknown: (error: unknown) => void;
  readonly reportPartners: (error: unknown) => void;
}

export function createWatching(app: App, own: WatchingParts) {
  const { buttons, agents, report, pageWaitMs: waitMs = PAGE_WAIT_MS } = own;
  const { tickets, unconfirmedPresses, visitorTools, pressTarget } = buttons;
  const presses = createPresses(app);
  const made = {
    presses,
    uses: createTicketUses(app),
    authorize: createAuthorizer(app, own.reportUnknown),
    issueLink: createIssueLink(app, { ...own, agentOf: agents.agentOf }),
    sendButton: createSendButton(app, report),
    unconfirmedPresses,
    needsPress: own.watchProof === 'press',
    report,
  };
  const defineLinkPress = createDefineLinkPress(app, { ...made, isOverHttp: own.isOverHttp });
  const showing = { visitorTools, partnersOf: createPartnersOf(app, own), recording: app.recording };
  const joinTickets = app.ticketKind('join', JoinAnswer);

  return {
    showing,
    /** @param ofSessions the buttons of cards and summaries */
    watchCommand: (ofSessions: Surface) => createWatchCommand(showing, defineLinkPress, ofSessions),
    proxyCommand: createProxyCommand(defineLinkPress, pressTarget),
    routes: createWatchRoutes(app, { ...made, tickets, joinTickets, waitMs, nameOf: agents.nameOf }),
    removals: [
      removeOldUnconfirmedPresses,
      (until: number, limit: number) => removeOldTicketUses(app.database, until, limit),
      (until: number, limit: number) => removeOldPresses(app.database, until, limit),
      (_until: number, limit: number) => removeOldLatestPresses(app.database, limit),
    ],
    /** Ends the waiting of pages: the rest of a stop waits for them. */
    stop: () => presses.stop(),
  };
}
