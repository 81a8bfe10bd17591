import { randomUUID } from 'node:crypto';
import type { CobrowseClient } from '../cobrowse/client.ts';
import { PROBE_TICKET_MS } from '../deliveries/probe.ts';
import type { Probe } from '../deliveries/probe.ts';
import type { TicketKind } from '../tickets/tickets.ts';
import type { Finding } from '../views/findings.ts';
import { channelsCheck } from './channels.ts';
import type { ChannelCheckParts, ChannelState } from './channels.ts';
import { clockCheck } from './clock.ts';
import { deliveriesCheck } from './deliveries.ts';
import type { Undelivered } from './deliveries.ts';
import { examine } from './examine.ts';
import { publicAddressCheck } from './public-address.ts';
import { serviceCheck } from './service.ts';
import { appTokenCheck, slackCheck } from './slack.ts';
import type { AppTokenState, TokenState } from './slack.ts';
import { storeChecks } from './store.ts';
import type { StoreCheckParts } from './store.ts';

/** What to check, and how to get at each part of it. */
export interface Installation extends Pick<
  ChannelCheckParts,
  'summaryChannel' | 'subscriptions' | 'mayKnow'
> {
  /** From the settings, in words. */
  readonly warnings: readonly string[];
  readonly publicUrl: string | undefined;
  readonly probeTickets: TicketKind<Probe>;
  readonly slack: {
    readonly apiUrl: string;
    readonly neededScopes: readonly string[];
    readonly token: () => Promise<TokenState>;
    /** Undefined if Slack comes over HTTP. */
    readonly appToken: (() => Promise<AppTokenState>) | undefined;
    readonly stateOf: (channelId: string) => Promise<ChannelState>;
  };
  readonly cobrowse: CobrowseClient;
  /** Undefined if there is no service whose clock we can ask. */
  readonly serviceUrl: string | undefined;
  /** Undefined if the database can't be opened. */
  readonly undelivered: (() => Promise<Undelivered>) | undefined;
  readonly store: StoreCheckParts;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Checks a whole installation, from inside the app or beside it. Never rejects. */
export async function examineInstallation(installation: Installation): Promise<readonly Finding[]> {
  const { slack, publicUrl, probeTickets, cobrowse, serviceUrl, undelivered, now } = installation;
  const checks = [
    slackCheck(slack),
    ...(slack.appToken === undefined ? [] : [appTokenCheck(slack.appToken)]),
    channelsCheck({ ...installation, stateOf: slack.stateOf }),
    ...(undelivered === undefined ? [] : [deliveriesCheck(undelivered)]),
    ...serviceCheck(cobrowse),
    clockCheck({ whose: 'Slack’s', url: `${slack.apiUrl}api.test`, now }),
    ...(serviceUrl === undefined
      ? []
      : [clockCheck({ whose: 'the co-browsing service’s', url: serviceUrl, now })]),
    publicAddressCheck({
      publicUrl,
      issueProbe: (word) => probeTickets.issue({ word }, PROBE_TICKET_MS),
      newWord: randomUUID,
    }),
    ...storeChecks(installation.store),
  ];
  return [
    ...installation.warnings.map((says): Finding => ({
      about: 'Settings',
      state: 'warning',
      says: `${says}.`,
      next: 'docs/security.md says what is safe.',
    })),
    ...(await examine(checks)),
  ];
}
