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
  readonly defaults: Pick<WorkspacesParts, 'rules' | 'summaryChannel'>;
}

/** The first ten are settings: config.ts says what each is. */
interface WorkspacesParts {
  readonly slack: SlackConfig;
  readonly cobrowse: CobrowseSettings;
  readonly rules: Rules;
  readonly summaryChannel: string | undefined;
  readonly secretKeys: readonly [string, ...string[]];
  readonly publicUrl: string | undefined;
  readonly watchHosts: readonly string[];
  readonly serviceHosts: readonly string[];
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

const urlsIn = (addresses: readonly (string | undefined)[]) =>
  addresses.flatMap((address) => URL.parse(address ?? '') ?? []);

type Builder = ReturnType<typeof createBuilder>;

function createBuilder(
  { slack: { apiUrl }, publicUrl, watchHosts, now, proxy, log, metrics }: WorkspacesParts,
  settingsOf: (workspaceId: string) => Promise<WorkspaceSettings>,
) {
  const slackAgent = createSlackAgent(proxy);

  /** @param own of a workspace's own account, over shared connections: its links lead to its own hosts, too, and nowhere else */
  function connect(
    settings: CobrowseSettings,
    keyHolder?: KeyHolder,
    own?: { readonly id: string; readonly dispatcher: Dispatcher },
  ) {
    const { cloud, onPremise } = settings;
    const serviceUrls = [cloud?.baseUrl, onPremise?.baseEndpoint].filter((url) => url !== undefined);
    const urls = urlsIn(serviceUrls);
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
      linkHosts: [...watchHosts, ...urlsIn([...serviceUrls, publicUrl]).map(({ host }) => host)],
      hasPlainLinks: urls.some(({ protocol }) => protocol === 'http:'),
    };
  }

  return {
    slackAgent,
    connect,
    clientOptions: webClientOptions({ apiUrl, slackAgent, log, answered: metrics.slack }),
    build: (
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

/** Of one workspace's settings, with which all of an organization's would share its data. */
export class OrganizationTokenError extends Error {
  override readonly name = 'OrganizationTokenError';
  override readonly message =
    'SLACK_BOT_TOKEN is of a whole organization. Install the app in one workspace and copy that token, or serve the organization’s workspaces as docs/many-workspaces.md says, with SLACK_CLIENT_ID.';
}

/** Asks Slack once: a payload may name its sender's workspace. Rejects if that fails; then asks again. Source: auth.test. */
export function createInstalledAs(client: WebClient): () => Promise<Installation> {
  let known: Promise<Installation> | undefined;

  async function ask(): Promise<Installation> {
    const tested = AuthTested.parse(await client.auth.test());
    const { team_id: workspaceId, bot_id: botId, user_id: botUserId, url } = tested;
    if (tested.is_enterprise_install === true) throw new OrganizationTokenError();
    if (workspaceId === undefined) throw new Error('Slack does not say which workspace the token is of.');
    return { workspaceId, botId, botUserId, url };
  }

  return () =>
    (known ??= ask().catch((error: unknown) => {
      known = undefined;
      throw error;
    }));
}

/** A change in another process is noticed within this time even if its hint was lost. */
const READ_AGAIN_MS = 5_000;
/** Who was active lately; the others are read again when they act. */
const MOST_KNOWN = 1_000;

interface Known {
  readonly workspace: Workspace;
  readonly install: Install;
  readonly version: string;
  readAt: number;
}

/** Workspaces as they were read last, made again once something of theirs has changed. */
function createKnown(
  { elapsed }: Pick<WorkspacesParts, 'elapsed'>,
  installs: Installs,
  accounts: ServiceAccounts,
  built: (install: Install, own: OwnAccount) => Workspace,
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
    const workspace = last?.version === version ? last.workspace : built(install, own);
    const now: Known = { workspace, install, version, readAt };
    // What was read before a change is asked for again.
    if (changes === before) known.set(workspaceId, now);
    return now;
  }

  const stopListening = installs.onChange((workspaceId) => {
    changes += 1;
    // In place: what is set while the cache is walked comes up again, for ever where two take turns.
    for (const last of known.values())
      if ([last.workspace.id, last.install.organizationId].includes(workspaceId)) last.readAt = -Infinity;
    // Now, so that nothing of one that was removed for good stays in memory.
    read(workspaceId).catch(() => undefined);
  });
  return { read, stopListening };
}

/** Finds workspaces that installed the app. @param agents so that nothing of an account is left open when it changes */
function fromInstalls(
  parts: WorkspacesParts,
  oauth: OAuthApp,
  { connect, clientOptions, build }: Builder,
  installs: Installs,
  accounts: ServiceAccounts,
  agents: ReturnType<typeof createPublicAgents>,
) {
  const { cobrowse: operators, rules, log } = parts;
  const rotation = createRotation({ ...parts, oauth, installs, clientOptions });
  const { wireNames } = operators;
  const shared = connect(operators, 'operator');
  const none = connect({ wireNames, cloud: undefined, onPremise: undefined });
  function serviceFor(id: string, { account }: OwnAccount) {
    if (account === undefined) return oauth.allowed.includes(id) ? shared : none;
    return connect(reachedBy(account, wireNames), 'workspace', { id: account.id, dispatcher: agents.of(id) });
  }

  function built(install: Install, own: OwnAccount) {
    const { workspaceId: id, installId, organizationId, botId, botUserId, botToken, url } = install;
    const owner = { workspaceId: id, installId, nextToken: () => rotation.tokenAfter(install) };
    // Without a token Slack answers `not_authed`, and everything waits as it does where one is refused.
    const slack = new WorkspaceClient(botToken?.reveal(), clientOptions, owner);
    const installedAs = async () => ({ workspaceId: id, botId, botUserId, url });
    const defaults = { rules, summaryChannel: undefined };
    return build({ id, installId, organizationId, slack, installedAs, defaults }, serviceFor(id, own));
  }

  const { read, stopListening } = createKnown(parts, installs, accounts, built);
  return {
    /** Undefined where the app isn't installed. */
    find: async (workspaceId: string): Promise<Workspace | undefined> => {
      const { install, workspace } = (await read(workspaceId)) ?? {};
      // An organization is no workspace.
      return install?.state === 'installed' && !install.isOrganization ? workspace : undefined;
    },
    /** Whether something that was made for a workspace is still its own: not where everything of it was removed since. */
    isOwn: async (of: { readonly workspaceId: string; readonly installId?: string }): Promise<boolean> => {
      const found = await read(of.workspaceId);
      return found !== undefined && [undefined, found.workspace.installId].includes(of.installId);
    },
    /** Also where the app was taken for removed. Undefined where nothing is known of its token, since it can't be opened. */
    async clientToAsk(workspaceId: string): Promise<WebClient | undefined> {
      const { install, workspace } = (await read(workspaceId)) ?? {};
      return install?.hasToken && install.botToken === undefined ? undefined : workspace?.slack;
    },
    /** Whether the app has to be installed again, since Slack gave no new token. */
    mustReinstall: async (workspaceId: string) => (await read(workspaceId))?.install.state === 'reinstall',
    refreshing: rotation.job,
    /** Called at the start. Rejects if Slack refuses a token in the settings, or can't be asked about it. */
    async check(): Promise<void> {
      for (const missing of await installs.missingKeys())
        log.error(missing, 'SECRET_KEYS lacks a key that workspaces need: they wait until it’s there again');
    },
    close(): Promise<unknown> {
      stopListening();
      return shared.cobrowse.close();
    },
  };
}
type Finder = Omit<ReturnType<typeof fromInstalls>, 'refreshing'> & { readonly refreshing?: Rotation['job'] };

/** The workspace in the settings, whose id Slack says by its token. */
function fromSettings(
  { cobrowse, rules, summaryChannel }: WorkspacesParts,
  botToken: string,
  { connect, clientOptions, build }: Builder,
): Finder {
  const slack = new WebClient(botToken, clientOptions);
  const service = connect(cobrowse);
  const installedAs = createInstalledAs(slack);
  const buildAs = (id: string) =>
    build({ id, slack, installedAs, defaults: { rules, summaryChannel } }, service);
  let known: Workspace | undefined;
  async function find(workspaceId: string): Promise<Workspace | undefined> {
    try {
      known ??= buildAs((await installedAs()).workspaceId);
      return known.id === workspaceId ? known : undefined;
    } catch (error) {
      if (error instanceof OrganizationTokenError) throw error;
      // Slack can't say right now which one it is, and it can be no other.
      return buildAs(workspaceId);
    }
  }
  return {
    find,
    isOwn: async () => true,
    clientToAsk: async (workspaceId) => (await find(workspaceId))?.slack,
    check: async () => void (await installedAs()),
    mustReinstall: async () => false,
    close: () => service.cobrowse.close(),
  };
}

/** Where the app isn't installed, what can't be undefined rejects. */
export function createWorkspaces(parts: WorkspacesParts) {
  const { slack, secretKeys, serviceHosts, suggestedAddress, database, log, elapsed } = parts;
  const oauth = slack.mode === 'many' ? slack.oauth : undefined;
  const settings = createSettingsRepository(parts);
  const ownSettingsOf = createLastRead({ read: settings.of, elapsed });
  const agents = createPublicAgents(() => serviceHosts, parts);
  const installs = createInstalls({ ...parts, dataKeys: createDataKeys(secretKeys) });
  const accounts = createServiceAccounts({ ...parts, installs });
  const builder = createBuilder(parts, (workspaceId) => ownSettingsOf(workspaceId, ''));
  const { slackAgent, clientOptions } = builder;
  const finder: Finder =
    slack.mode === 'many'
      ? fromInstalls(parts, slack.oauth, builder, installs, accounts, agents)
      : fromSettings(parts, slack.botToken, builder);
  const { find, isOwn } = finder;

  async function get(workspaceId: string): Promise<Workspace> {
    const found = await find(workspaceId);
    if (found === undefined) throw new Error(`The app isn't installed in the workspace ${workspaceId}.`);
    return found;
  }

  return {
    ...finder,
    slackAgent,
    get,
    settings,
    /** The accounts that workspaces connect themselves; undefined if there's only the one in the settings. */
    ownAccounts: oauth && {
      ...accounts,
      tryOut: (workspaceId: string, account: NewAccount) =>
        tryAccount(account, parts.cobrowse.wireNames, agents.of(workspaceId)),
      suggestedAddress,
    },
    /** What a workspace's secrets are sealed with; `keyMadeFor` makes one where there's none. */
    keyOf: installs.keyOf,
    keyMadeFor: oauth ? installs.keyOf : installs.keyMadeFor,
    installedAs: async (workspaceId: string) => (await get(workspaceId)).installedAs(),
    /** Where a button was made; undefined if the app isn't there any more. */
    ownWorkspace: async (of: Parameters<typeof isOwn>[0]) =>
      (await isOwn(of)) ? find(of.workspaceId) : undefined,
    changed: installs.changed,
    access: installs.access,
    summaryChannelOf: async (workspaceId: string) =>
      (await (await find(workspaceId))?.settings())?.summaryChannel,
    cobrowseOf: async (workspaceId: string) => (await get(workspaceId)).cobrowse,
    settingsOf: async (workspaceId: string) => (await get(workspaceId)).settings(),
    reportsEnds: async (workspaceId: string) => (await get(workspaceId)).endSource !== 'never',
    /** Removes what is left of workspaces that are to go, once started. */
    createPurging(report: (error: unknown) => void) {
      const round = createPurge({
        database: database.inBackground(),
        purged(workspaceId) {
          log.info({ workspaceId }, 'everything of a workspace was removed');
          installs.changed(workspaceId);
        },
        report,
      });
      return repeat(round, 60_000);
    },
    /** Where a workspace installs the app; undefined if the settings have the only one. */
    installUrl: oauth && `${oauth.publicUrl}/slack/install`,
    installRoutes: (given: Pick<Installing, 'scopes' | 'ticketKind' | 'claims' | 'installed'>) =>
      oauth ? createInstallRoutes({ ...parts, ...given, oauth, clientOptions, installs }) : [],
    close: async () => void (await Promise.all([finder.close(), agents.close(), slackAgent.close()])),
  };
}

export type Workspaces = ReturnType<typeof createWorkspaces>;
