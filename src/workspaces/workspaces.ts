import { createHash } from 'node:crypto';
import { WebClient } from '@slack/web-api';
import type { Dispatcher } from 'undici';
import type { Audit } from '../audit/audit.ts';
import {
  createCobrowse,
  type CobrowseClient,
  type CobrowseSettings,
  type ServiceOptions,
} from '../cobrowse/client.ts';
import { createPublicAgents } from '../cobrowse/public-agent.ts';
import type { KeyHolder } from '../cobrowse/errors.ts';
import type { WireNames } from '../cobrowse/wire-names.ts';
import type { Database } from '../database/database.ts';
import { createLastRead } from '../database/last-read.ts';
import type { Proxy } from '../http/dispatcher.ts';
import type { Log } from '../logging/log.ts';
import type { Metrics } from '../logging/metrics.ts';
import type { EndSource } from '../messages/link-request.ts';
import type { Rules } from '../permissions/acts.ts';
import { repeat } from '../lifecycle/repeating.ts';
import { createDataKeys } from './data-keys.ts';
import { fromSettings, type WorkspaceSource } from './from-settings.ts';
import { createInstallRoutes, type OAuthApp } from './install.ts';
import { fromInstalls } from './from-installs.ts';
import { createInstalls } from './installs.ts';
import { WorkspaceClient } from './posted-by.ts';
import { createPurge } from './purge.ts';
import { createServiceAccounts, reachedBy, type ServiceAccount } from './service-accounts.ts';
import { createSettingsRepository, rulesIn, type SettingsNow } from './settings.ts';
import { createTryAccount } from './try-account.ts';
import { createSlackAgent, webClientOptions } from './web-client.ts';

const PURGE_EVERY_MS = 60_000;

/** How Slack reaches the app. */
export type SlackConfig = { readonly apiUrl: string } & (
  | { readonly mode: 'http'; readonly botToken: string; readonly signingSecret: string }
  | { readonly mode: 'socket'; readonly botToken: string; readonly appToken: string }
  /** Workspaces that install the app, over HTTP. */
  | { readonly mode: 'many'; readonly signingSecret: string; readonly oauth: OAuthApp }
);

/** The app in its workspace. Ids are Slack's. */
export interface Installation {
  readonly workspaceId: string;
  /** The app's bot, as messages name who posted; undefined if Slack doesn't say. */
  readonly botId: string | undefined;
  /** The app's bot user. */
  readonly botUserId: string | undefined;
  /** The workspace's address in Slack; undefined if Slack doesn't say. */
  readonly url?: string;
}

/** Whether a bot, by its id, is this app in a workspace. If Slack can't be asked, it isn't. */
export type IsOwnBot = (workspaceId: string, botId: string) => Promise<boolean>;

/** One Slack workspace, with everything that belongs to it. Everything that acts is given it, or its id, first. */
export interface Workspace {
  /** Slack's id for it. */
  readonly id: string;
  /** Random, and another one after all of the workspace was removed; undefined for one in the settings. */
  readonly installId?: string;
  /** Slack's Web API, with the workspace's token. */
  readonly slack: WebClient;
  /** Connections to Slack, for what the Web API's client doesn't ask. */
  readonly slackAgent: Dispatcher;
  /** The co-browsing service, with the workspace's account. */
  readonly cobrowse: CobrowseClient;
  /** Identifies that account without its key: what is known about one account isn't true of another. */
  readonly accountId: string;
  /** The same for one that the workspace connected itself; undefined for the operator's, and for none. */
  readonly ownAccountId: string | undefined;
  /** How the app learns here that a session ended. */
  readonly endSource: EndSource;
  /** The addresses of the service: the cloud's first, if there is one. */
  readonly serviceUrls: readonly string[];
  /** The hosts that watch links and Watch buttons lead to, as URLs spell them, as far as they are known. */
  readonly linkHosts: readonly string[];
  /** Whether watch links may be plain http, if the service was configured so. */
  readonly hasPlainLinks: boolean;
  /** The app in this workspace. Rejects where Slack can't be asked. */
  installedAs(): Promise<Installation>;
  /**
   * Who can do what, and the access that links give, read each time; as read at most an hour ago, if the database can't be
   * read now. Rejects with a DatabaseError if there is nothing of the kind.
   */
  settings(): Promise<SettingsNow>;
  /** Applies where the workspace's admins have set nothing. */
  readonly defaults: WorkspaceDefaults;
}

export interface WorkspaceDefaults {
  readonly rules: Rules;
  /** The channel for summaries that have no channel themselves, unless admins set one. */
  readonly summaryChannel: string | undefined;
}

/** The app isn't installed in a workspace, or no longer is. */
class WorkspaceUnknownError extends Error {
  override readonly name = 'WorkspaceUnknownError';
  constructor(workspaceId: string) {
    super(`The app isn't installed in the workspace ${workspaceId}.`);
  }
}

function accountIdOf({ cloud }: CobrowseSettings): string {
  if (cloud === undefined) return 'none';
  return createHash('sha256').update(cloud.apiKey).digest('base64url').slice(0, 22);
}

/**
 * There is no webhook on-premise, or without a public address. Agents' sessions can be looked up wherever the service
 * offers that.
 */
function endSourceOf({ offers }: CobrowseClient, publicUrl: string | undefined): EndSource {
  if (offers.sessionEndWebhook && publicUrl !== undefined) return 'webhook';
  return offers.lookupAgent ? 'lookup' : 'never';
}

const hostsOf = (...addresses: readonly (string | undefined)[]) =>
  addresses.flatMap((address) => URL.parse(address ?? '')?.host ?? []);

/** What a workspace is made from. */
interface Reached {
  readonly id: string;
  readonly installId?: string;
  readonly slack: WebClient;
  readonly installedAs: () => Promise<Installation>;
  readonly service: Service;
  readonly defaults: WorkspaceDefaults;
}

/** What a finder makes workspaces with. */
export interface Makers {
  /** @param installed `refused` is called when Slack refuses the token, whatever it was asked */
  readonly clientOf: (
    botToken: string | undefined,
    apiUrl: string,
    installed?: { readonly installId: string; readonly refused: () => void },
  ) => WebClient;
  /** @param keyHolder with many workspaces */
  readonly serviceOf: (settings: CobrowseSettings, keyHolder?: KeyHolder) => Service;
  /** For an account that a workspace connected itself. */
  readonly ownServiceOf: (workspaceId: string, account: ServiceAccount, wireNames: WireNames) => Service;
  readonly workspaceOf: (reached: Reached) => Workspace;
}

/** Finds a workspace; undefined if the app isn't installed there. */
export interface WorkspaceFinder {
  readonly find: (workspaceId: string) => Promise<Workspace | undefined>;
  /** Whether something that was made for a workspace is still its own: not where everything of it was removed since. */
  readonly isOwn: (of: { readonly workspaceId: string; readonly installId?: string }) => Promise<boolean>;
  /** Slack's Web API with its token, also where the app was taken for removed. */
  readonly clientToAsk: (workspaceId: string) => Promise<WebClient | undefined>;
  /** Called at the start. Rejects if Slack refuses a token in the settings, or can't be asked about it. */
  readonly check: () => Promise<void>;
  readonly close: () => void;
}

/** How a co-browsing service is reached, with one account. */
export type Service = ReturnType<ReturnType<typeof createServices>>;

/**
 * Connects to services, each by its settings.
 *
 * @param watchHosts the only hosts that watch links may lead to; any if empty
 */
function createServices({
  publicUrl,
  watchHosts,
  answered,
  now,
  proxy,
}: {
  readonly proxy: Proxy | undefined;
  readonly answered: ServiceOptions['answered'];
  readonly publicUrl: string | undefined;
  readonly watchHosts: readonly string[];
  readonly now: () => number;
}) {
  /** @param own of a workspace's own account, over shared connections: its links lead to its own hosts, too, and nowhere else */
  return (
    settings: CobrowseSettings,
    keyHolder?: KeyHolder,
    own?: { readonly id: string; readonly dispatcher: Dispatcher },
  ) => {
    const serviceUrls = [settings.cloud?.baseUrl, settings.onPremise?.baseEndpoint].filter(
      (address) => address !== undefined,
    );
    const hosts =
      own === undefined
        ? watchHosts
        : [...watchHosts, ...serviceUrls.flatMap((address) => URL.parse(address)?.hostname ?? [])];
    const cobrowse = createCobrowse(settings, {
      keyHolder,
      watchHosts: hosts,
      now: () => new Date(now()),
      answered,
      dispatcher: own?.dispatcher,
      proxy,
    });
    return {
      cobrowse,
      accountId: own?.id ?? accountIdOf(settings),
      ownAccountId: own?.id,
      endSource: endSourceOf(cobrowse, publicUrl),
      serviceUrls,
      linkHosts: [...watchHosts, ...hostsOf(...serviceUrls, publicUrl)],
      hasPlainLinks: serviceUrls.some((address) => URL.parse(address)?.protocol === 'http:'),
      close: () => cobrowse.close(),
    };
  };
}

/**
 * The only place that knows which workspaces there are and how to reach them: those in the settings, or those that
 * installed the app. What is asked about a workspace rejects with a {@link WorkspaceUnknownError} where the app isn't
 * installed, unless it can be undefined.
 */
export function createWorkspaces({
  slack,
  sources,
  secretKeys,
  serviceHosts,
  suggestedAddress,
  log,
  metrics,
  elapsed,
  ...parts
}: Pick<WorkspaceSource, 'cobrowse' | 'rules'> & {
  readonly slack: SlackConfig;
  /** Those in the settings. */
  readonly sources: readonly WorkspaceSource[];
  readonly secretKeys: readonly [string, ...string[]];
  readonly publicUrl: string | undefined;
  readonly watchHosts: readonly string[];
  /** Hosts of workspaces' own services that may be private or plain http. */
  readonly serviceHosts: readonly string[];
  /** Where their accounts are likely to be. */
  readonly suggestedAddress: string | undefined;
  readonly proxy: Proxy | undefined;
  readonly database: Database;
  /** For the changes of settings. */
  readonly prepare: Audit['prepare'];
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'slack' | 'service'>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds from any moment on: nobody sets this clock. */
  readonly elapsed: () => number;
}) {
  const settings = createSettingsRepository(parts);
  const ownSettingsOf = createLastRead({ read: settings.of, elapsed });
  const services: Service[] = [];
  const newService = createServices({ ...parts, answered: metrics.service });
  // Shared by the accounts that a workspace connects, so that nothing of one is left open when it changes.
  const agents = createPublicAgents(() => serviceHosts, parts);
  const slackAgent = createSlackAgent(parts.proxy);
  const installs = createInstalls({ ...parts, dataKeys: createDataKeys(secretKeys) });
  const accounts = createServiceAccounts({ ...parts, installs });
  const makers: Makers = {
    clientOf(botToken, apiUrl, installed) {
      const hearers = { refused: installed?.refused, answered: metrics.slack };
      const options = webClientOptions({ apiUrl, slackAgent, log, ...hearers });
      return installed === undefined
        ? new WebClient(botToken, options)
        : new WorkspaceClient(botToken, options, installed.installId);
    },
    serviceOf(given, keyHolder) {
      const service = newService(given, keyHolder);
      services.push(service);
      return service;
    },
    ownServiceOf: (workspaceId, account, wireNames) =>
      newService(reachedBy(account, wireNames), 'workspace', {
        id: account.id,
        dispatcher: agents.of(workspaceId),
      }),
    workspaceOf: ({ id, service, defaults, ...reached }) => ({
      id,
      slackAgent,
      ...reached,
      ...service,
      settings: async () => {
        const own = await ownSettingsOf(id, '');
        const { summaryChannel = defaults.summaryChannel } = own;
        return { ...own, rules: rulesIn(own, defaults.rules), summaryChannel };
      },
      defaults,
    }),
  };
  const { find, isOwn, clientToAsk, check, close } =
    slack.mode === 'many'
      ? fromInstalls(
          { ...parts, ...slack, ...slack.oauth, installs, accounts, summaryChannel: undefined, log, elapsed },
          makers,
        )
      : fromSettings(sources, makers);

  async function get(workspaceId: string): Promise<Workspace> {
    const found = await find(workspaceId);
    if (found === undefined) throw new WorkspaceUnknownError(workspaceId);
    return found;
  }

  const installedAs = async (workspaceId: string) => (await get(workspaceId)).installedAs();
  const isOwnBot: IsOwnBot = async (workspaceId, botId) => {
    const installed = await installedAs(workspaceId).catch(() => undefined);
    return installed?.botId === botId;
  };

  return {
    /** Connections to Slack. */
    slackAgent,
    /** Undefined if the app isn't installed. */
    find,
    get,
    /** What admins change. */
    settings,
    /** The accounts that workspaces connect themselves; undefined if there's only the one in the settings. */
    ownAccounts:
      slack.mode === 'many'
        ? {
            ...accounts,
            tryOut: createTryAccount(parts.cobrowse.wireNames, (workspaceId) => agents.of(workspaceId)),
            suggestedAddress,
            serviceHosts,
          }
        : undefined,
    /** What a workspace's secrets are sealed with, and the same made where there's none yet. */
    keyOf: installs.keyOf,
    keyMadeFor: slack.mode === 'many' ? installs.keyOf : installs.keyMadeFor,
    installedAs,
    isOwnBot,
    clientFor: async (workspaceId: string) => (await find(workspaceId))?.slack,
    isOwn,
    /** Whether the app is still where a button was made. */
    isInstalled: async (of: Parameters<typeof isOwn>[0]) =>
      (await isOwn(of)) && (await find(of.workspaceId)) !== undefined,
    clientToAsk,
    /** Lets every process know that a workspace is gone, or back. */
    changed: installs.changed,
    summaryChannelOf: async (workspaceId: string) =>
      (await (await find(workspaceId))?.settings())?.summaryChannel,
    cobrowseOf: async (workspaceId: string) => (await get(workspaceId)).cobrowse,
    settingsOf: async (workspaceId: string) => (await get(workspaceId)).settings(),
    reportsEnds: async (workspaceId: string) => (await get(workspaceId)).endSource !== 'never',
    check,
    /** Removes what is left of workspaces that are to go, once started. @param momentary what this process keeps in memory */
    purge: (momentary: Pick<Database, 'write'>, report: (error: unknown) => void) =>
      repeat(
        createPurge({
          databases: [parts.database.inBackground(), momentary],
          purged(workspaceId) {
            log.info({ workspaceId }, 'everything of a workspace was removed');
            installs.changed(workspaceId);
          },
          report,
        }),
        PURGE_EVERY_MS,
      ),
    /** Where a workspace installs the app; undefined if the settings have the only one. */
    installUrl: slack.mode === 'many' ? `${slack.oauth.publicUrl}/slack/install` : undefined,
    /** How workspaces install the app; none if it serves the one in the settings. */
    installRoutes: (
      given: Pick<
        Parameters<typeof createInstallRoutes>[0],
        'scopes' | 'ticketKind' | 'claims' | 'installed'
      >,
    ) =>
      slack.mode === 'many'
        ? createInstallRoutes({ ...parts, ...given, ...slack, slackAgent, installs, log })
        : [],
    /** Closes the connections to Slack and the services. */
    async close(): Promise<void> {
      close();
      await Promise.all([...services, agents, slackAgent].map((one) => one.close()));
    },
  };
}

export type Workspaces = ReturnType<typeof createWorkspaces>;
