import { randomUUID } from 'node:crypto';
import type { WebClient } from '@slack/web-api';
import type { CobrowseClient } from '../cobrowse/client.ts';
import type { Config } from '../config.ts';
import { channelsCheck } from '../doctor/channels.ts';
import { clockCheck } from '../doctor/clock.ts';
import { deliveriesCheck } from '../doctor/deliveries.ts';
import { examine } from '../doctor/examine.ts';
import { publicAddressCheck } from '../doctor/public-address.ts';
import { serviceCheck } from '../doctor/service.ts';
import { appTokenCheck, slackCheck } from '../doctor/slack.ts';
import { storeChecks } from '../doctor/store.ts';
import { PROBE_TICKET_MS, Probe } from '../deliveries/probe.ts';
import { appTokenState, channelState, tokenState } from '../slack/examined.ts';
import { NEEDED_SCOPES } from '../slack/scopes.ts';
import { isServedAlone } from '../database/open.ts';
import type { DatabaseError, DatabaseUrlError } from '../database/errors.ts';
import type { Storage } from '../storage/store.ts';
import { createTickets } from '../tickets/tickets.ts';
import type { TicketKind } from '../tickets/tickets.ts';
import type { Finding } from '../views/findings.ts';
import { createMayKnow, readSubscriptions, readUndelivered } from './doctor-reads.ts';
import type { Reader } from './doctor-reads.ts';

/** The tickets of probes: sealed by the doctor, perhaps in a process of its own, and read by the app. */
export function probeTickets(
  { secretKeys }: Pick<Config, 'secretKeys'>,
  now: () => number,
): TicketKind<Probe> {
  return createTickets(secretKeys, now)('session-end-probe', Probe);
}

/** What is at STORE_URL. */
export interface FoundStore<Opened = Pick<Storage, 'check' | 'store' | 'database'>> {
  /** Or why it cannot be opened. */
  readonly storage: Opened | DatabaseError | DatabaseUrlError;
  /** Undefined for one in memory, and for none. */
  readonly file: string | undefined;
  /** Whether the file was made only just now. */
  readonly isNew: boolean;
}

interface DoctorParts {
  readonly config: Config;
  readonly now: () => number;
  readonly store: FoundStore;
  readonly cobrowse: CobrowseClient;
  readonly slack: WebClient;
}

/**
 * Examines the whole installation, from the inside of the app or beside it. Never rejects. A reader is told of no channel
 * that is not theirs to know of; without one it is whoever runs the app, who has the store anyway.
 */
export function createDoctor(parts: DoctorParts): (reader?: Reader) => Promise<readonly Finding[]> {
  const { config, now, store, cobrowse, slack } = parts;
  const { storage, file, isNew } = store;
  const { publicUrl, summaryChannel } = config;
  const appToken = config.slack.mode === 'socket' ? config.slack.appToken : undefined;
  const tickets = probeTickets(config, now);
  const service = config.cobrowse.cloud?.baseUrl ?? config.cobrowse.onPremise?.baseEndpoint;
  const mayKnow = createMayKnow(slack, now);
  const checksFor = (reader: Reader | undefined) => [
    slackCheck({ token: () => tokenState(slack), neededScopes: NEEDED_SCOPES }),
    ...(appToken === undefined ? [] : [appTokenCheck(() => appTokenState(slack, appToken))]),
    channelsCheck({
      summaryChannel,
      subscriptions: async () => (storage instanceof Error ? undefined : readSubscriptions(storage)),
      stateOf: (channelId) => channelState(slack, channelId),
      mayKnow: async (channelId, setUpBy) => reader === undefined || mayKnow(reader, channelId, setUpBy),
    }),
    ...(storage instanceof Error ? [] : [deliveriesCheck(() => readUndelivered(storage, now))]),
    ...serviceCheck(cobrowse),
    clockCheck({ whose: "Slack's", url: `${config.slack.apiUrl}api.test`, now }),
    ...(service === undefined ? [] : [clockCheck({ whose: "the co-browsing service's", url: service, now })]),
    publicAddressCheck({
      publicUrl,
      issueProbe: (word) => tickets.issue({ word }, PROBE_TICKET_MS),
      newWord: randomUUID,
    }),
    ...storeChecks({
      check: async () => {
        if (storage instanceof Error) throw storage;
        await storage.check();
      },
      file,
      isOnServer: !isServedAlone(config.storeUrl),
      isNew,
    }),
  ];
  return async (reader) => [
    ...config.warnings.map((says): Finding => ({
      about: 'Settings',
      state: 'warning',
      says: `${says}.`,
      next: 'docs/security.md says what is safe.',
    })),
    ...(await examine(checksFor(reader))),
  ];
}
