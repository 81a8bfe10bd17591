import type { WebClient } from '@slack/web-api';
import type { Dispatcher } from 'undici';
import type { CobrowseClient } from '../cobrowse/client.ts';
import type { Caller, Viewer } from '../commands/rights.ts';
import { defineCommand } from '../commands/command.ts';
import { nothing } from '../commands/typed.ts';
import { refusal } from '../messages/message.ts';
import { code } from '../messages/text.ts';
import { isServedAlone, sqliteFile } from '../database/open.ts';
import { PROBE_TICKET_MS, type Probe } from '../sessions/webhook.ts';
import { readSubscriptions } from '../subscriptions/repository.ts';
import type { App } from '../parts.ts';
import type { TicketKind } from '../http/tickets.ts';
import { VERSION } from '../version.ts';
import type { ChannelState } from '../permissions/permissions.ts';
import {
  clockCheck,
  publicAddressCheck,
  signingSecretCheck,
  slackbotCheck,
  storeChecks,
  workspacesCheck,
  type KnownWorkspaces,
  type SigningSecretParts,
  type StoreCheckParts,
} from './check-operator.ts';
import { serviceCheck } from './check-service.ts';
import { appTokenCheck, slackCheck, type AppTokenState, type TokenState } from './check-slack.ts';
import {
  channelsCheck,
  deliveriesCheck,
  readUndelivered,
  type ChannelCheckParts,
  type Undelivered,
} from './check-summaries.ts';
import { examine, findingsReport, type Check, type Finding } from './findings.ts';

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

function checksOfOperator(examined: Examined): readonly Check[] {
  const { slack, signingSecret, workspaces, publicUrl, probeTickets, serviceUrl, store } = examined;
  const issueProbe = (word: string) => probeTickets.issue({ word }, PROBE_TICKET_MS);
  return [
    slack.appToken && appTokenCheck(slack.appToken),
    signingSecret && signingSecretCheck(signingSecret),
    workspaces && workspacesCheck(workspaces),
    clockCheck({ ...examined, whose: 'Slack’s', url: `${slack.apiUrl}api.test` }),
    serviceUrl === undefined
      ? undefined
      : clockCheck({ ...examined, whose: 'the co-browsing service’s', url: serviceUrl }),
    publicAddressCheck({ ...examined, issueProbe }),
    // Not in Socket Mode.
    publicUrl === undefined || slack.appToken ? undefined : slackbotCheck(publicUrl, examined.dispatcher),
    ...storeChecks(store),
  ].filter((one) => one !== undefined);
}

/** Never rejects. @param whose a workspace that installed the app is shown its own findings, and the operator theirs */
export async function examineInstallation(
  installation: Examined,
  whose: 'all' | 'workspace' | 'operator' = 'all',
): Promise<readonly Finding[]> {
  const { slack, cobrowse, undelivered } = installation;
  const checks = [
    ...(whose === 'operator'
      ? []
      : [slackCheck(slack), channelsCheck({ ...installation, stateOf: slack.stateOf })]),
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

export interface Setup extends Pick<Examined, 'warnings' | 'publicUrl' | 'probeTickets' | 'dispatcher'> {
  readonly storeUrl: string;
  readonly slackOf: (client: WebClient) => Examined['slack'];
}

/** It names channels and addresses that not everyone can see. */
const adminsOnly = () =>
  refusal(
    ['Only workspace admins and owners can run this.'],
    ['Ask one of them. On the app’s server, ', code('npm run doctor'), ' does the same.'],
  );

/** @param canSee whether a person can see a channel: no other is named. Never rejects */
export function createDoctorCommand(
  { database, now }: Pick<App, 'database' | 'now'>,
  setup: Setup,
  canSee: (viewer: Viewer, channelId: string) => Promise<boolean>,
) {
  const { storeUrl, slackOf } = setup;
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
    right: { admins: 'doctor', refused: adminsOnly },
    level: 'admin',
    argument: nothing('The doctor always checks everything.'),
    run: async (_nothing, caller) => findingsReport(await examineFor(caller)),
  });
}
