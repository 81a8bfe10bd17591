import { randomUUID } from 'node:crypto';
import type { WebClient } from '@slack/web-api';
import type { Dispatcher } from 'undici';
import type { CobrowseClient } from '../cobrowse/client.ts';
import type { Caller, Viewer } from '../commands/caller.ts';
import { defineCommand } from '../commands/command.ts';
import { nothing } from '../commands/typed.ts';
import type { Database } from '../database/database.ts';
import { isServedAlone, sqliteFile } from '../database/open.ts';
import { PROBE_TICKET_MS, type Probe } from '../sessions/webhook.ts';
import { readSubscriptions } from '../subscriptions/repository.ts';
import type { TicketKind } from '../http/tickets.ts';
import { VERSION } from '../version.ts';
import { clockCheck } from './check-clock.ts';
import { publicAddressCheck } from './check-public-address.ts';
import { signingSecretCheck, type SigningSecretParts } from './check-signing-secret.ts';
import { serviceCheck } from './check-service.ts';
import { appTokenCheck, slackCheck, type AppTokenState, type TokenState } from './check-slack.ts';
import { storeChecks, type StoreCheckParts } from './check-store.ts';
import {
  channelsCheck,
  deliveriesCheck,
  readUndelivered,
  type ChannelCheckParts,
  type Undelivered,
} from './check-summaries.ts';
import type { ChannelState } from '../permissions/permissions.ts';
import { workspacesCheck, type KnownWorkspaces } from './check-workspaces.ts';
import { adminsOnlyCommand, findingsReport, type Finding } from './findings.ts';

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
  /** How everybody else is reached. */
  readonly dispatcher: Dispatcher;
  readonly slack: {
    readonly apiUrl: string;
    readonly neededScopes: readonly string[];
    readonly token: () => Promise<TokenState>;
    /** Where workspaces install the app; undefined if the settings have the only one. */
    readonly installUrl: string | undefined;
    /** Undefined if Slack comes over HTTP. */
    readonly appToken: (() => Promise<AppTokenState>) | undefined;
    readonly stateOf: (channelId: string) => Promise<ChannelState>;
  };
  /** Undefined in Socket Mode, and where it must fit, since somebody asks in Slack. */
  readonly signingSecret?: SigningSecretParts;
  readonly cobrowse: CobrowseClient;
  /** Undefined if there is no service whose clock we can ask. */
  readonly serviceUrl: string | undefined;
  /** Undefined if the database can't be opened. */
  readonly undelivered: (() => Promise<Undelivered>) | undefined;
  /** Of those that installed the app, for whoever runs it; undefined if there are none, or the database can't be opened. */
  readonly workspaces?: () => Promise<KnownWorkspaces>;
  readonly store: StoreCheckParts;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const checksOfSlack = ({ slack, ...examined }: Examined): readonly Check[] => [
  slackCheck(slack),
  channelsCheck({ ...examined, stateOf: slack.stateOf }),
];

/** What the operator has set up, for all workspaces. */
function checksOfOperator({
  slack,
  signingSecret,
  workspaces,
  publicUrl,
  probeTickets,
  dispatcher,
  serviceUrl,
  store,
  now,
}: Examined): readonly Check[] {
  return [
    ...(slack.appToken === undefined ? [] : [appTokenCheck(slack.appToken)]),
    ...(signingSecret === undefined ? [] : [signingSecretCheck(signingSecret)]),
    ...(workspaces === undefined ? [] : [workspacesCheck(workspaces)]),
    clockCheck({ whose: 'Slack’s', url: `${slack.apiUrl}api.test`, dispatcher, now }),
    ...(serviceUrl === undefined
      ? []
      : [clockCheck({ whose: 'the co-browsing service’s', url: serviceUrl, dispatcher, now })]),
    publicAddressCheck({
      publicUrl,
      issueProbe: (word) => probeTickets.issue({ word }, PROBE_TICKET_MS),
      newWord: randomUUID,
      dispatcher,
    }),
    ...storeChecks(store),
  ];
}

/**
 * Checks an installation, from inside the app or beside it. Never rejects.
 *
 * @param whose a workspace that installed the app is shown its own findings, and the operator theirs
 */
export async function examineInstallation(
  installation: Examined,
  whose: 'all' | 'workspace' | 'operator' = 'all',
): Promise<readonly Finding[]> {
  const { cobrowse, undelivered } = installation;
  const checks = [
    ...(whose === 'operator' ? [] : checksOfSlack(installation)),
    ...(undelivered === undefined ? [] : [deliveriesCheck(undelivered)]),
    // Without one of the operator's, each workspace connects its own.
    ...(whose === 'operator' && !cobrowse.isConnected ? [] : serviceCheck(cobrowse)),
    ...(whose === 'workspace' ? [] : checksOfOperator(installation)),
  ];
  const warnings = whose === 'workspace' ? [] : installation.warnings;
  return [
    { about: 'Version', state: 'ok', says: `${VERSION}, on Node ${process.versions.node}` },
    ...warnings.map((says): Finding => ({
      about: 'Settings',
      state: 'warning',
      says: `${says}.`,
      next: 'docs/security.md says what is safe.',
    })),
    ...(await examine(checks)),
  ];
}

/** What the doctor examines, beside the caller's workspace. */
export interface Setup extends Pick<Examined, 'warnings' | 'publicUrl' | 'probeTickets' | 'dispatcher'> {
  readonly storeUrl: string;
  readonly database: Database;
  readonly slackOf: (client: WebClient) => Examined['slack'];
}

export function createDoctorCommand({
  storeUrl,
  database,
  slackOf,
  canSee,
  now,
  ...setup
}: Setup & {
  /** Whether a person can see a channel: no other is named. Never rejects. */
  readonly canSee: (viewer: Viewer, channelId: string) => Promise<boolean>;
  readonly now: () => number;
}) {
  const examineFor = async (caller: Caller) => {
    const { userId, workspace } = caller;
    const { id, slack: client, cobrowse, serviceUrls } = workspace;
    const slack = slackOf(client);
    const installation: Examined = {
      ...setup,
      slack,
      cobrowse,
      serviceUrl: serviceUrls[0],
      summaryChannel: (await workspace.settings().catch(() => workspace.defaults)).summaryChannel,
      subscriptions: () => readSubscriptions(database, id),
      mayKnow: async (channelId, setUpBy) => setUpBy.includes(userId) || canSee(caller, channelId),
      async undelivered() {
        // What a damaged table doesn't show isn't delivered for that.
        await database.check();
        return readUndelivered(database, now, id);
      },
      store: {
        check: () => database.check(),
        file: sqliteFile(storeUrl),
        hears: isServedAlone(storeUrl) ? undefined : () => database.hears(),
        isNew: false,
      },
      now,
    };
    return examineInstallation(installation, slack.installUrl === undefined ? 'all' : 'workspace');
  };

  return defineCommand({
    name: 'doctor',
    usage: 'doctor',
    summary: 'Check the setup and suggest fixes (admins only)',
    right: { admins: 'doctor', refused: adminsOnlyCommand },
    level: 'admin',
    argument: nothing('The doctor always checks everything.'),
    run: async (_nothing, caller) => findingsReport(await examineFor(caller)),
  });
}
