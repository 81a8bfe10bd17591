import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { z } from 'zod';
import { startApp, type RunningApp } from '../src/app.ts';
import type { AppOptions } from '../src/services.ts';
import { readConfig, type Config } from '../src/config/config.ts';
import { createLog, type Log } from '../src/logging/log.ts';
import type { LookUpWaits } from '../src/sessions/session-poller.ts';
import { WEBHOOK_EVENTS } from '../src/webhooks/bodies.ts';
import { createWebhookSecret } from '../src/webhooks/sign.ts';
import { startReceiver, type WebhookReceiver } from './receiver/receiver.ts';
import { startShop, type Shop } from './shop/shop.ts';
import { startService, type ServiceOptions, type StandInService } from './service/service.ts';
import { umbrellaVisitors } from './service/umbrella-visitors.ts';
import { startOAuth, type StandInOAuth } from './slack/oauth.ts';
import { acme, type Seed } from './slack/seed.ts';
import { startSlack, type SlackOptions, type StandInSlack } from './slack/slack.ts';
import { umbrella } from './slack/umbrella.ts';

/** The real app between two stand-ins, all on loopback, with its own secrets. */
export interface Sandbox {
  readonly slack: StandInSlack;
  /** In a sandbox with two workspaces. */
  readonly many:
    | {
        /** The second workspace. */
        readonly umbrella: StandInSlack;
        /** Where both install the app. */
        readonly oauth: StandInOAuth;
        /** An account with other customers, which the app doesn't know: `service` is for both workspaces. */
        readonly account: StandInService;
      }
    | undefined;
  readonly service: StandInService;
  /** Where the service's visitors shop. */
  readonly shop: Shop;
  /** A program that gets the app's webhooks. */
  readonly receiver: WebhookReceiver;
  readonly app: RunningApp;
  /** The app's address. */
  readonly publicUrl: string;
  readonly config: Config;
  /** Milliseconds since 1970: the clock of all three. */
  readonly now: () => number;
  close(): Promise<void>;
}

/** Which services there are; the connected installation comes without the cloud. */
export type SandboxDeployment = 'cloud' | 'on-premise' | 'on-premise-connected';

export interface SandboxOptions {
  /** Default: the cloud alone. */
  readonly deployment?: SandboxDeployment;
  /** Where the Slack-like page listens; 0 for any free port. */
  readonly port?: number;
  /** 2: Acme and Umbrella, in which the app isn't there until it's installed. Default: Acme, which has it. */
  readonly workspaces?: 1 | 2;
  /** Whether each of the two is in an organization of its own, which installs the app. */
  readonly organizations?: boolean;
  /** Where the second workspace's page listens; 0 for any free port. */
  readonly umbrellaPort?: number;
  /** Where the page with the webhooks listens; 0 for any free port. */
  readonly receiverPort?: number;
  /** Whether the app sends Acme's webhooks there from the start. */
  readonly sendsWebhooks?: boolean;
  /** Socket Mode without a public address, instead of HTTP. */
  readonly socketMode?: boolean;
  /** What a watch link needs besides the ticket; default: the press. */
  readonly watchProof?: Config['watchProof'];
  /** For summaries that have no channel themselves. */
  readonly summaryChannel?: string;
  /** Whether visitors browse, come and go by themselves. */
  readonly lively?: boolean;
  readonly log?: Log;
  readonly storeUrl?: string;
  /** Pause between two posts in one channel, milliseconds. */
  readonly paceMs?: number;
  /** How long a page waits for its press each time, milliseconds. */
  readonly pageWaitMs?: number;
  /** Instead of the usual waits before asking the service about a session's end. */
  readonly reconcile?: Partial<LookUpWaits>;
  /** How often to look for digests that are due, milliseconds. */
  readonly schedulerMs?: number;
  /** Milliseconds since 1970: the clock of the app and of both stand-ins. */
  readonly now?: () => number;
  readonly slack?: Partial<SlackOptions>;
  readonly service?: Partial<ServiceOptions>;
}

const MANIFEST = new URL('../manifest.json', import.meta.url);
/** Ada, in the stand-in Slack. */
const ADMIN = 'U0ADA000005';
const PAGE_FOLDER = new URL('page/', import.meta.url);

const secret = (prefix = '') => `${prefix}${randomBytes(24).toString('hex')}`;

/** A port that is free right now; the app must know its address before it listens. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return typeof address === 'object' && address !== null ? address.port : 0;
}

interface StandIns {
  readonly slack: StandInSlack;
  /** What Slack's page completes after `/cobrowse`: known once the app runs. */
  readonly completions: { usage: string; summary: string }[];
  readonly service: StandInService;
  readonly shop: Shop;
  readonly receiver: WebhookReceiver;
  /** The settings by which the app reaches Slack. */
  readonly slackSettings: Readonly<Record<string, string>>;
  /** With two workspaces. */
  readonly many: Sandbox['many'];
  /** To be called with the app's address once it's known. */
  readonly appIsAt: (url: string) => void;
  /** The key of the on-premise installation, if there is one. */
  readonly restKey: string | undefined;
}

async function startStandIns(options: SandboxOptions): Promise<StandIns> {
  const { deployment = 'cloud', now = Date.now } = options;
  const completions: StandIns['completions'] = [];
  const slacks = await startSlacks(options, {
    now,
    signingSecret: secret(),
    manifest: JSON.parse(await readFile(MANIFEST, 'utf8')),
    completions,
    pageFolder: PAGE_FOLDER,
    vendorFiles: { '/page/vendor/lit-html/': new URL('.', import.meta.resolve('lit-html')) },
    ...options.slack,
  });
  const restKey = deployment === 'cloud' ? undefined : secret();
  const shop = await startShop();
  const service = await startService({
    now: () => new Date(now()),
    apiKey: secret(),
    shopUrl: shop.url,
    lively: options.lively ?? false,
    proxyEnabled: true,
    ...(restKey === undefined
      ? {}
      : { onPremise: { restKey, connected: deployment === 'on-premise-connected' } }),
    ...options.service,
  });
  shop.join(service);
  const receiver = await startReceiver({ port: options.receiverPort ?? 0, now });
  return { ...slacks, completions, service, shop, receiver, restKey };
}

type Slacks = Pick<StandIns, 'slack' | 'many' | 'slackSettings' | 'appIsAt'>;

async function startSlacks(options: SandboxOptions, shared: SlackOptions): Promise<Slacks> {
  if (options.workspaces === 2) return startWorkspaces(options, shared);
  const { port = 0, socketMode = false } = options;
  const { signingSecret, botToken = secret('xoxb-'), appToken = secret('xapp-') } = shared;
  const slack = await startSlack({ port, ...shared, botToken, appToken });
  return {
    slack,
    many: undefined,
    slackSettings: {
      SLACK_BOT_TOKEN: botToken,
      SLACK_API_URL: slack.apiUrl,
      ...(socketMode ? { SLACK_APP_TOKEN: appToken } : { SLACK_SIGNING_SECRET: signingSecret }),
    },
    appIsAt: (url) => slack.setRequestUrl(`${url}/slack/events`),
  };
}

/** What the manifest for many workspaces and their organizations has besides. */
const Manifest = z.looseObject({
  settings: z.looseObject({
    event_subscriptions: z.looseObject({ bot_events: z.array(z.string()) }).transform((events) => ({
      ...events,
      bot_events: [
        ...events.bot_events,
        'app_uninstalled',
        'tokens_revoked',
        'team_access_granted',
        'team_access_revoked',
      ],
    })),
  }),
});

/** In an organization of its own. */
const organized = (seed: Seed): Seed => {
  const { id, name } = seed.workspace;
  const organization = { id: id.replace('T', 'E'), name: `${name} Group` };
  return { ...seed, workspace: { ...seed.workspace, organization } };
};

async function startWorkspaces(
  { port = 0, umbrellaPort = 0, organizations = false, now }: SandboxOptions,
  shared: SlackOptions,
): Promise<Slacks> {
  const client = { clientId: '1111.2222', clientSecret: secret() };
  let appUrl = '';
  let pages: readonly { readonly name: string; readonly url: string }[] = [];
  const installed = {
    ...shared,
    manifest: Manifest.parse(shared.manifest),
    oauth: { ...client, installUrl: () => `${appUrl}/slack/install`, workspaces: () => pages },
  };
  const slack = await startSlack({ port, ...installed, ...(organizations && { seed: organized(acme) }) });
  const seed = organizations ? organized(umbrella) : umbrella;
  const other = await startSlack({ ...installed, port: umbrellaPort, seed, tour: false });
  const both = [slack, other] as const;
  pages = both.map(({ workspace: { name }, url }) => ({ name, url }));
  const oauth = await startOAuth({
    client,
    redirectUrl: () => `${appUrl}/slack/oauth_redirect`,
    workspaces: both,
    pageFolder: PAGE_FOLDER,
    ...(now && { now }),
  });
  const account = await startService({
    apiKey: secret(),
    seed: umbrellaVisitors,
    ...(now && { now: () => new Date(now()) }),
  });
  return {
    slack,
    many: { umbrella: other, oauth, account },
    slackSettings: {
      SLACK_CLIENT_ID: client.clientId,
      SLACK_CLIENT_SECRET: client.clientSecret,
      SLACK_SIGNING_SECRET: shared.signingSecret,
      SLACK_API_URL: oauth.apiUrl,
      SLACK_AUTHORIZE_URL: oauth.authorizeUrl,
      ALLOWED_WORKSPACES: both
        .flatMap(({ workspace: { id, organization } }) => [id, ...(organization ? [organization.id] : [])])
        .join(','),
    },
    appIsAt(url) {
      appUrl = url;
      for (const one of both) one.setRequestUrl(`${url}/slack/events`);
    },
  };
}

function deploymentSettings({ service, many, restKey }: StandIns, deployment: SandboxDeployment) {
  // Workspaces connect them; they're on this machine, over plain http.
  const own = many && [service, many.account].map(({ url }) => new URL(url).host);
  const cloud = {
    COBROWSE_BASE_URL: service.url,
    COBROWSE_API_KEY: service.apiKey,
    COBROWSE_HOSTS: own?.join(','),
  };
  const onPremise = {
    COBROWSE_ONPREM_BASE_ENDPOINT: service.onPremise.baseEndpoint,
    COBROWSE_ONPREM_REST_KEY: restKey,
  };
  if (deployment === 'on-premise-connected') return { ...onPremise, COBROWSE_ONPREM_CONNECTED: 'true' };
  return deployment === 'cloud' ? cloud : { ...cloud, ...onPremise };
}

/** The settings, read like those of a real installation. */
function sandboxConfig(
  standIns: StandIns,
  port: number,
  {
    socketMode = false,
    storeUrl = 'memory:',
    deployment = 'cloud',
    watchProof,
    summaryChannel,
  }: SandboxOptions,
): Config {
  return readConfig({
    ...standIns.slackSettings,
    ...(socketMode ? {} : { PUBLIC_URL: `http://127.0.0.1:${port}` }),
    ...deploymentSettings(standIns, deployment),
    WEBHOOK_HOSTS: new URL(standIns.receiver.url).host,
    WATCH_PROOF: watchProof,
    SUMMARY_CHANNEL: summaryChannel,
    PORT: String(port),
    STORE_URL: storeUrl,
    SECRET_KEYS: secret(),
  });
}

/** How often another port is tried. */
const MOST_PORTS = 5;

const isTaken = (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

/** Starts the app at a free port. Another program may take that one before the app listens. */
async function startAtFreePort(configAt: (port: number) => Config, options: AppOptions) {
  for (let tried = 1; ; tried += 1) {
    const config = configAt(await freePort());
    try {
      return { config, app: await startApp(config, options) };
    } catch (error) {
      if (!isTaken(error) || tried === MOST_PORTS) throw error;
    }
  }
}

/** Added by the admin, to everything, with the customers' names. */
function presetWebhook({ slack, receiver }: StandIns) {
  const webhookSecret = createWebhookSecret();
  receiver.trust(webhookSecret.reveal());
  return {
    by: { workspaceId: slack.workspace.id, userId: ADMIN },
    url: new URL(receiver.address),
    secret: webhookSecret,
    events: WEBHOOK_EVENTS,
    filters: { agents: [], groups: [], tags: [] },
    hasNames: true,
  };
}

/** Starts everything; if one part doesn't start, closes the others again. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const standIns = await startStandIns(options);
  const { slack, many, service, shop, receiver } = standIns;
  const all = [slack, service, shop, receiver, ...(many === undefined ? [] : Object.values(many))];
  const closeStandIns = async () => void (await Promise.all(all.map((one) => one.close())));
  try {
    const log = options.log ?? createLog({ level: 'silent', secrets: [] });
    const { now = Date.now, paceMs, pageWaitMs, reconcile, schedulerMs } = options;
    const { app, config } = await startAtFreePort((port) => sandboxConfig(standIns, port, options), {
      log,
      now,
      paceMs,
      pageWaitMs,
      reconcile,
      schedulerMs,
      ...(options.sendsWebhooks === true ? { webhook: presetWebhook(standIns) } : {}),
    });
    const publicUrl = `http://127.0.0.1:${app.port}`;
    standIns.appIsAt(publicUrl);
    standIns.completions.push(...app.catalog.commands.map(({ usage, summary }) => ({ usage, summary })));
    return {
      slack,
      many,
      service,
      shop,
      receiver,
      app,
      publicUrl,
      config,
      now,
      async close() {
        await app.stop();
        await closeStandIns();
      },
    };
  } catch (error) {
    await closeStandIns();
    throw error;
  }
}
