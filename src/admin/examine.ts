import { randomUUID } from 'node:crypto';
import type { CobrowseClient } from '../cobrowse/client.ts';
import type { Finding } from './findings.ts';
import { PROBE_TICKET_MS } from '../sessions/probe.ts';
import type { Probe } from '../sessions/probe.ts';
import type { TicketKind } from '../tickets.ts';
import { channelsCheck } from './check-channels.ts';
import type { ChannelCheckParts, ChannelState } from './check-channels.ts';
import { clockCheck } from './check-clock.ts';
import { deliveriesCheck } from './check-deliveries.ts';
import type { Undelivered } from './check-deliveries.ts';
import { publicAddressCheck } from './check-public-address.ts';
import { serviceCheck } from './check-service.ts';
import { appTokenCheck, slackCheck } from './check-slack.ts';
import type { AppTokenState, TokenState } from './check-slack.ts';
import { storeChecks } from './check-store.ts';
import type { StoreCheckParts } from './check-store.ts';

/** Checks one thing. Returns a failure as a finding where it can, instead of rejecting. */
export interface Check {
  readonly about: string;
  run(): Promise<readonly Finding[]>;
}

/** Longer than the time limits of the checks, and short enough for a person who waits. */
const PATIENCE_MS = 15_000;

function unforeseen(about: string, error: unknown): Finding {
  // Only the class: a message could repeat an address or a key.
  const name = error instanceof Error ? error.name : 'Error';
  return {
    about,
    state: 'failure',
    says: `This check failed (${name}).`,
    next: 'Check the app’s log, then try again.',
  };
}

/** Runs all checks at the same time. Never rejects, and ends even if a check doesn't. */
export async function examine(
  checks: readonly Check[],
  patienceMs: number = PATIENCE_MS,
): Promise<readonly Finding[]> {
  const late = ({ about }: Check): Finding => ({
    about,
    state: 'failure',
    says: 'No answer in time.',
    next: 'Try again. If this keeps happening, check the network between the app and the service.',
  });
  const found = await Promise.all(
    checks.map(async (check) => {
      let timer: NodeJS.Timeout | undefined;
      const timeOut = new Promise<readonly Finding[]>((resolve) => {
        timer = setTimeout(() => resolve([late(check)]), patienceMs);
      });
      const run = check.run().catch((error: unknown) => [unforeseen(check.about, error)]);
      return Promise.race([run, timeOut]).finally(() => clearTimeout(timer));
    }),
  );
  return found.flat();
}

/** What to check, and how to get at each part of it. */
export interface Examined extends Pick<ChannelCheckParts, 'summaryChannel' | 'subscriptions' | 'mayKnow'> {
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
export async function examineInstallation(installation: Examined): Promise<readonly Finding[]> {
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
