import { createHash } from 'node:crypto';
import { WebClient } from '@slack/web-api';
import { LRUCache } from 'lru-cache';
import type { Dispatcher } from 'undici';
import type { Audit } from '../audit/audit.ts';
import { createCobrowse, type CobrowseClient, type CobrowseSettings } from '../cobrowse/client.ts';
import { createPublicAgents } from '../cobrowse/public-agent.ts';
import type { KeyHolder } from '../cobrowse/errors.ts';
import type { Database } from '../database/database.ts';
import { createLastRead } from '../database/last-read.ts';
import type { Proxy } from '../http/dispatcher.ts';
import type { Route } from '../http/server.ts';
import type { Log } from '../logging/log.ts';
import type { Metrics } from '../logging/metrics.ts';
import type { EndSource } from '../messages/link-request.ts';
import type { Rules } from '../permissions/permissions.ts';
import { repeat } from '../lifecycle/repeating.ts';
import { createDataKeys } from './data-keys.ts';
import { createInstallRoutes, type Installing, type OAuthApp } from './install.ts';
import { createInstalls, type Install, type Installs } from './installs.ts';
import { createPurge } from './holds.ts';
import { createRotation, type Rotation } from './rotation.ts';
import {
  createServiceAccounts,
  reachedBy,
  tryAccount,
  type NewAccount,
  type OwnAccount,
  type ServiceAccounts,
} from './service-accounts.ts';
import { createSettingsRepository, rulesIn, type SettingsNow, type WorkspaceSettings } from './settings.ts';
import { AuthTested, WorkspaceClient, createSlackAgent, webClientOptions } from './web-client.ts';

const PURGE_EVERY_MS = 60_000;

export type SlackConfig = { readonly apiUrl: string } & (
  | { readonly mode: 'http'; readonly botToken: string; readonly signingSecret: string }
  | { readonly mode: 'socket'; readonly botToken: string; readonly appToken: string }
  /** Workspaces that install the app, over HTTP. */
  | { readonly mode: 'many'; readonly signingSecret: string; readonly oauth: OAuthApp }
);

export interface Installation {
  readonly workspaceId: string;
  /** As messages name who posted. What is undefined, Slack doesn't say. */
  readonly botId: string | undefined;
  readonly botUserId: string | undefined;
  /** The workspace's address in Slack. */
  readonly url?: string;
}

export interface Workspace {
  readonly id: string;
  /** Random, and another one after all of the workspace was removed; undefined for one in the settings. */
  readonly installId?: string;
  /** The organization whose token it uses; undefined for one with its own. */
  readonly organizationId?: string | undefined;
  readonly slack: WebClient;
  /** Connections to Slack, for what the Web API's client doesn't ask. */
  readonly slackAgent: Dispatcher;
  readonly cobrowse: CobrowseClient;
  /** Identifies that account without its key: what is known about one account isn't true of another. */
  readonly accountId: string;
  /** The same for one that the workspace connected itself; undefined for the operator's, and for none. */
  readonly ownAccountId: string | undefined;
  readonly endSource: EndSource;
  /** The cloud's first, if there is one. */
  readonly serviceUrls: readonly string[];
  /** The hosts that watch links and Watch buttons lead to, as URLs spell them, as far as they are known. */
  readonly linkHosts: readonly string[];
  /** Whether watch links may be plain http, if the service was configured so. */
  readonly hasPlainLinks: boolean;
  /** The app in this workspace. Rejects where Slack can't be asked. */
  installedAs(): Promise<Installation>;
  /** As read at most an hour ago, if the database can't be read now; with nothing of the kind, rejects with a DatabaseError. */
  settings(): Promise<SettingsNow>;
  /** Applies where the workspace's admins have set nothing. */
  readonly defaults: WorkspaceDefaults;
}

export interface WorkspaceDefaults {
  readonly rules: Rules;
  readonly summaryChannel: string | undefined;
}

export interface WorkspaceSource extends WorkspaceDefaults {
  readonly slack: { readonly botToken?: string; readonly apiUrl: string };
  readonly cobrowse: CobrowseSettings;
}

interface WorkspacesParts extends Pick<WorkspaceSource, 'cobrowse' | 'rules'> {
  readonly slack: SlackConfig;
  readonly sources: readonly WorkspaceSource[];
  readonly secretKeys: readonly [string, ...string[]];
  readonly publicUrl: string | undefined;
  /** The only hosts that watch links of the operator's account may lead to; any if empty. */
  readonly watchHosts: readonly string[];
  /** Hosts of workspaces' own services that may be private or plain http. */
  readonly serviceHosts: readonly string[];
  /** Where their accounts are likely to be. */
  readonly suggestedAddress: string | undefined;
  readonly proxy: Proxy | undefined;
  readonly database: Database;
  readonly prepare: Audit['prepare'];
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'slack' | 'service'>;
  readonly now: () => number;
  readonly elapsed: () => number;
}

function accountIdOf({ cloud }: CobrowseSettings): string {
  if (cloud === undefined) return 'none';
  return createHash('sha256').update(cloud.apiKey).digest('base64url').slice(0, 22);
}

/** There is no webhook on-premise, or without a public address. */
function endSourceOf({ offers }: CobrowseClient, publicUrl: string | undefined): EndSource {
  if (offers.sessionEndWebhook && publicUrl !== undefined) return 'webhook';
  return offers.lookupAgent ? 'lookup' : 'never';
}

const urlsOf = (...addresses: readonly (string | undefined)[]) =>
  addresses.flatMap((address) => URL.parse(address ?? '') ?? []);

type Making = ReturnType<typeof createMaking>;

function createMaking(
  { publicUrl, watchHosts, now, proxy, log, metrics }: WorkspacesParts,
  settingsOf: (workspaceId: string) => Promise<WorkspaceSettings>,
) {
  const slackAgent = createSlackAgent(proxy);

  /** @param own of a workspace's own account, over shared connections: its links lead to its own hosts, too, and nowhere else */
  function connect(
    settings: CobrowseSettings,
    keyHolder?: KeyHolder,
    own?: { readonly id: string; readonly dispatcher: Dispatcher },
  ) {
    const serviceUrls = [settings.cloud?.baseUrl, settings.onPremise?.baseEndpoint].filter(
      (address) => address !== undefined,
    );
    const urls = urlsOf(...serviceUrls);
    const cobrowse = createCobrowse(settings, {
      keyHolder,
      watchHosts: own === undefined ? watchHosts : [...watchHosts, ...urls.map(({ hostname }) => hostname)],
      now: () => new Date(now()),
      answered: metrics.service,
      dispatcher: own?.dispatcher,
      proxy,
    });
    return {
      cobrowse,
      accountId: own?.id ?? accountIdOf(settings),
      ownAccountId: own?.id,
      endSource: endSourceOf(cobrowse, publicUrl),
      serviceUrls,
      linkHosts: [...watchHosts, ...[...urls, ...urlsOf(publicUrl)].map(({ host }) => host)],
      hasPlainLinks: urls.some(({ protocol }) => protocol === 'http:'),
    };
  }

  return {
    slackAgent,
    connect,
    clientOptions: (apiUrl: string) => webClientOptions({ apiUrl, slackAgent, log, answered: metrics.slack }),
    assemble: (
      known: Pick<Workspace, 'id' | 'installId' | 'organizationId' | 'slack' | 'installedAs' | 'defaults'>,
      service: ReturnType<typeof connect>,
    ): Workspace => ({
      ...known,
      ...service,
      slackAgent,
      async settings() {
        const own = await settingsOf(known.id);
        const { rules, summaryChannel } = known.defaults;
        return { ...own, summaryChannel: own.summaryChannel ?? summaryChannel, rules: rulesIn(own, rules) };
      },
    }),
  };
}

/** Finds workspaces; undefined where the app isn't installed. */
interface Finder {
  readonly find: (workspaceId: string) => Promise<Workspace | undefined>;
  /** Whether something that was made for a workspace is still its own: not where everything of it was removed since. */
  readonly isOwn: (of: { readonly workspaceId: string; readonly installId?: string }) => Promise<boolean>;
  /** Also where the app was taken for removed. Undefined where nothing is known of its token, since it can't be opened. */
  readonly clientToAsk: (workspaceId: string) => Promise<WebClient | undefined>;
  /** Called at the start. Rejects if Slack refuses a token in the settings, or can't be asked about it. */
  readonly check: () => Promise<void>;
  /** Whether the app has to be installed again, since Slack gave no new token. */
  readonly mustReinstall: (workspaceId: string) => Promise<boolean>;
  /** Replaces tokens before they end; undefined if the settings have the only one. */
  readonly refreshing: Rotation['job'] | undefined;
  readonly close: () => Promise<unknown>;
}

/** Of one workspace's settings, with which all of an organization's would share its data. */
export class OrganizationTokenError extends Error {
  override readonly name = 'OrganizationTokenError';
  constructor() {
    super(
      'SLACK_BOT_TOKEN is of a whole organization. Install the app in one workspace and copy that token, or serve the organization’s workspaces as docs/many-workspaces.md says, with SLACK_CLIENT_ID.',
    );
  }
}

/** Asks Slack once: a payload may name its sender's workspace. Rejects if that fails; then asks again. Source: auth.test. */
export function createInstalledAs(client: WebClient): () => Promise<Installation> {
  let known: Promise<Installation> | undefined;

  async function ask(): Promise<Installation> {
    try {
      const tested = AuthTested.parse(await client.auth.test());
      const { team_id: workspaceId, bot_id: botId, user_id: botUserId, url } = tested;
      if (tested.is_enterprise_install === true) throw new OrganizationTokenError();
      if (workspaceId === undefined) throw new Error('Slack does not say which workspace the token is of.');
      return { workspaceId, botId, botUserId, url };
    } catch (error) {
      known = undefined;
      throw error;
    }
  }

  return () => (known ??= ask());
}

/** A fixed list of workspaces, usually the one in the settings. Slack says each one's id, by its token. */
function fromSettings({ sources }: WorkspacesParts, { connect, clientOptions, assemble }: Making): Finder {
  const all = sources.map(({ slack: { botToken, apiUrl }, cobrowse, rules, summaryChannel }) => {
    const slack = new WebClient(botToken, clientOptions(apiUrl));
    const service = connect(cobrowse);
    const installedAs = createInstalledAs(slack);
    const known = { slack, installedAs, defaults: { rules, summaryChannel } };
    return { service, installedAs, assembleAs: (id: string) => assemble({ id, ...known }, service) };
  });
  const known = new Map<string, Workspace>();
  async function find(workspaceId: string): Promise<Workspace | undefined> {
    const found = known.get(workspaceId);
    if (found !== undefined) return found;
    const [only, ...others] = all;
    try {
      for (const { installedAs, assembleAs } of all) {
        const { workspaceId: id } = await installedAs();
        if (!known.has(id)) known.set(id, assembleAs(id));
      }
    } catch (error) {
      if (only === undefined || others.length > 0 || error instanceof OrganizationTokenError) throw error;
      // Slack can't say right now which one it is, and it can be no other.
      return only.assembleAs(workspaceId);
    }
    return known.get(workspaceId);
  }
  return {
    find,
    isOwn: async () => true,
    clientToAsk: async (workspaceId) => (await find(workspaceId))?.slack,
    check: async () => void (await Promise.all(all.map((one) => one.installedAs()))),
    mustReinstall: async () => false,
    refreshing: undefined,
    close: () => Promise.all(all.map(({ service }) => service.cobrowse.close())),
  };
}

/** A change in another process is noticed within this time even if its hint was lost. */
const READ_AGAIN_MS = 5_000;
/** Who was active lately; the others are read again when they act. */
const MOST_KNOWN = 1_000;

interface Known {
  readonly workspace: Workspace;
  readonly install: Install;
  readonly version: string;
  readonly readAt: number;
}

/** Workspaces as they were read last, made again once something of theirs has changed. */
function createKnown(
  { elapsed }: Pick<WorkspacesParts, 'elapsed'>,
  installs: Installs,
  accounts: ServiceAccounts,
  made: (install: Install, own: OwnAccount) => Workspace,
) {
  const rowsOf = createLastRead({
    async read(workspaceId) {
      const install = await installs.of(workspaceId);
      return install && { install, own: await accounts.of(workspaceId, install.dataKey) };
    },
    elapsed,
  });
  const known = new LRUCache<string, Known>({ max: MOST_KNOWN });
  let changes = 0;

  /** Undefined where the app was never installed, or everything of it is being removed. */
  async function read(workspaceId: string): Promise<Known | undefined> {
    const last = known.get(workspaceId);
    const [readAt, before] = [elapsed(), changes];
    if (last !== undefined && readAt - last.readAt < READ_AGAIN_MS) return last;
    const rows = await rowsOf(workspaceId, '');
    if (rows === undefined) {
      known.delete(workspaceId);
      return undefined;
    }
    const { install, own } = rows;
    const version = `${install.version} ${own.version}`;
    const workspace = last?.version === version ? last.workspace : made(install, own);
    const now: Known = { workspace, install, version, readAt };
    // What was read before a change is asked for again.
    if (changes === before) known.set(workspaceId, now);
    return now;
  }

  const stopListening = installs.onChange((workspaceId) => {
    changes += 1;
    for (const [id, last] of known.entries())
      if (id === workspaceId || last.install.organizationId === workspaceId)
        known.set(id, { ...last, readAt: -Infinity });
    // Now, so that nothing of one that was removed for good stays in memory.
    read(workspaceId).catch(() => undefined);
  });
  return { read, stopListening };
}

function fromInstalls(
  parts: WorkspacesParts,
  { apiUrl, oauth }: Extract<SlackConfig, { readonly mode: 'many' }>,
  { slackAgent, connect, clientOptions, assemble }: Making,
  installs: Installs,
  accounts: ServiceAccounts,
  /** Shared by the accounts that a workspace connects, so that nothing of one is left open when it changes. */
  agentOf: (workspaceId: string) => Dispatcher,
): Finder {
  const { cobrowse: operators, rules, log, metrics } = parts;
  const rotation = createRotation({ ...parts, apiUrl, oauth, slackAgent, installs, answered: metrics.slack });
  const { wireNames } = operators;
  const shared = connect(operators, 'operator');
  const none = connect({ wireNames, cloud: undefined, onPremise: undefined });
  function serviceFor(id: string, { account }: OwnAccount) {
    if (account === undefined) return oauth.allowed.includes(id) ? shared : none;
    return connect(reachedBy(account, wireNames), 'workspace', { id: account.id, dispatcher: agentOf(id) });
  }

  function made(install: Install, own: OwnAccount) {
    const { workspaceId: id, installId, organizationId, botId, botUserId, botToken, url } = install;
    const installation = { workspaceId: id, botId, botUserId, url };
    // Without a token Slack answers `not_authed`, and everything waits as it does where one is refused.
    const slack = new WorkspaceClient(botToken?.reveal(), clientOptions(apiUrl), { id, installId }, () =>
      rotation.tokenAfter(install),
    );
    const defaults = { rules, summaryChannel: undefined };
    const known = { id, installId, organizationId, slack, installedAs: async () => installation, defaults };
    return assemble(known, serviceFor(id, own));
  }

  const { read, stopListening } = createKnown(parts, installs, accounts, made);
  return {
    async find(workspaceId) {
      const found = await read(workspaceId);
      // An organization is no workspace.
      return found?.install.state === 'installed' && !found.install.isOrganization
        ? found.workspace
        : undefined;
    },
    async isOwn({ workspaceId, installId }) {
      const found = await read(workspaceId);
      return found !== undefined && (installId === undefined || installId === found.workspace.installId);
    },
    async clientToAsk(workspaceId) {
      const { install, workspace } = (await read(workspaceId)) ?? {};
      return install?.hasToken && install.botToken === undefined ? undefined : workspace?.slack;
    },
    mustReinstall: async (workspaceId) => (await read(workspaceId))?.install.state === 'reinstall',
    refreshing: rotation.job,
    async check() {
      for (const missing of await installs.missingKeys())
        log.error(missing, 'SECRET_KEYS lacks a key that workspaces need: they wait until it’s there again');
    },
    close() {
      stopListening();
      return shared.cobrowse.close();
    },
  };
}

/** Removes what is left of workspaces that are to go, once started. @param ephemeralStore what this process keeps in memory */
const createPurging =
  ({ database, log }: WorkspacesParts, installs: Pick<Installs, 'changed'>) =>
  (ephemeralStore: Pick<Database, 'write'>, report: (error: unknown) => void) =>
    repeat(
      createPurge({
        databases: [database.inBackground(), ephemeralStore],
        purged(workspaceId) {
          log.info({ workspaceId }, 'everything of a workspace was removed');
          installs.changed(workspaceId);
        },
        report,
      }),
      PURGE_EVERY_MS,
    );

/** Where the app isn't installed, what can't be undefined rejects. */
export function createWorkspaces(parts: WorkspacesParts) {
  const { slack, secretKeys, serviceHosts, suggestedAddress, elapsed } = parts;
  const settings = createSettingsRepository(parts);
  const ownSettingsOf = createLastRead({ read: settings.of, elapsed });
  const agents = createPublicAgents(() => serviceHosts, parts);
  const installs = createInstalls({ ...parts, dataKeys: createDataKeys(secretKeys) });
  const accounts = createServiceAccounts({ ...parts, installs });
  const making = createMaking(parts, (workspaceId) => ownSettingsOf(workspaceId, ''));
  const { slackAgent } = making;
  const { find, isOwn, clientToAsk, check, mustReinstall, refreshing, close } =
    slack.mode === 'many'
      ? fromInstalls(parts, slack, making, installs, accounts, (workspaceId) => agents.of(workspaceId))
      : fromSettings(parts, making);

  async function get(workspaceId: string): Promise<Workspace> {
    const found = await find(workspaceId);
    if (found === undefined) throw new Error(`The app isn't installed in the workspace ${workspaceId}.`);
    return found;
  }

  const installedAs = async (workspaceId: string) => (await get(workspaceId)).installedAs();

  return {
    slackAgent,
    find,
    get,
    settings,
    /** The accounts that workspaces connect themselves; undefined if there's only the one in the settings. */
    ownAccounts:
      slack.mode === 'many'
        ? {
            ...accounts,
            tryOut: (workspaceId: string, account: NewAccount) =>
              tryAccount(account, parts.cobrowse.wireNames, agents.of(workspaceId)),
            suggestedAddress,
          }
        : undefined,
    /** What a workspace's secrets are sealed with; `keyMadeFor` makes one where there's none. */
    keyOf: installs.keyOf,
    keyMadeFor: slack.mode === 'many' ? installs.keyOf : installs.keyMadeFor,
    installedAs,
    isOwn,
    /** Whether the app is still where a button was made. */
    isInstalled: async (of: Parameters<typeof isOwn>[0]) =>
      (await isOwn(of)) && (await find(of.workspaceId)) !== undefined,
    clientToAsk,
    mustReinstall,
    refreshing,
    /** Lets every process know that a workspace is gone, or back. */
    changed: installs.changed,
    /** What an organization that installed the app says of its workspaces. */
    access: installs.access,
    summaryChannelOf: async (workspaceId: string) =>
      (await (await find(workspaceId))?.settings())?.summaryChannel,
    cobrowseOf: async (workspaceId: string) => (await get(workspaceId)).cobrowse,
    settingsOf: async (workspaceId: string) => (await get(workspaceId)).settings(),
    reportsEnds: async (workspaceId: string) => (await get(workspaceId)).endSource !== 'never',
    check,
    purge: createPurging(parts, installs),
    /** Where a workspace installs the app; undefined if the settings have the only one. */
    installUrl: slack.mode === 'many' ? `${slack.oauth.publicUrl}/slack/install` : undefined,
    installRoutes: (
      given: Pick<Installing, 'scopes' | 'ticketKind' | 'claims' | 'installed'>,
    ): readonly Route[] =>
      slack.mode === 'many'
        ? createInstallRoutes({ ...parts, ...given, ...slack, slackAgent, installs })
        : [],
    close: async (): Promise<void> => void (await Promise.all([close(), agents.close(), slackAgent.close()])),
  };
}

export type Workspaces = ReturnType<typeof createWorkspaces>;
