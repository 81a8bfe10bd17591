import { getCACertificates } from 'node:tls';
import type { z } from 'zod';
import type { CobrowseSettings } from '../cobrowse/client.ts';
import { isLoopback } from '../cobrowse/watch-link.ts';
import type { Proxy } from '../http/dispatcher.ts';
import { given } from '../messages/text.ts';
import type { Rules } from '../permissions/permissions.ts';
import type { SlackConfig } from '../workspaces/workspaces.ts';
import { Environment, MISSING, setIn, type Variables } from './environment.ts';

type Read = z.infer<typeof Environment>;
/** Without empty ones. */
type Given = Readonly<Record<string, string>>;

/** @throws ZodError */
export function slackAccessIn(environment: Variables) {
  const needed = Environment.pick({
    SLACK_API_URL: true,
    HTTPS_PROXY: true,
    HTTP_PROXY: true,
    NO_PROXY: true,
  });
  const read = needed.parse(setIn(environment));
  return { apiUrl: read.SLACK_API_URL, proxy: readProxy(read, true) };
}

export const SETTING_NAMES: readonly string[] = Object.keys(Environment.shape);

function headline(complaints: readonly string[]): string {
  const isAllMissing = complaints.every((complaint) => complaint.includes(` ${MISSING}`));
  if (!isAllMissing || complaints.length < 2) return "Can't start. Fix these settings:";
  return `Can't start: ${complaints.length} settings are missing. Copy .env.example to .env and fill it in.`;
}

/** A complaint for each setting that is missing or wrong, without any secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly complaints: readonly string[];
  constructor(complaints: readonly string[]) {
    super([headline(complaints), ...complaints.map((complaint) => `  - ${complaint}`)].join('\n'));
    this.complaints = complaints;
  }
}

const missingIn = (set: Given, names: readonly string[], more = '') =>
  names.filter((name) => set[name] === undefined).map((name) => `${name} is missing${more}`);

const OVER_HTTP = ['SLACK_SIGNING_SECRET', 'PUBLIC_URL'];

const isForMany = (set: Given): boolean =>
  set['SLACK_CLIENT_ID'] !== undefined || set['SLACK_CLIENT_SECRET'] !== undefined;

/** Settings for one workspace alone, and why not for many. */
const OF_ONE: Given = {
  SLACK_BOT_TOKEN: 'each workspace brings its own token',
  SLACK_APP_TOKEN: 'many workspaces are served over HTTP',
  SUMMARY_CHANNEL: 'a channel is in one workspace only; admins set theirs in the Home tab',
};

function complaintsAboutOne(set: Given): readonly string[] {
  const isOverHttp = set['SLACK_APP_TOKEN'] === undefined;
  return given([
    ...missingIn(set, ['SLACK_BOT_TOKEN']),
    ...missingIn(set, isOverHttp ? OVER_HTTP : [], ' (or set SLACK_APP_TOKEN for Socket Mode)'),
    set['ALLOWED_WORKSPACES'] !== undefined &&
      'ALLOWED_WORKSPACES only counts for many workspaces: set SLACK_CLIENT_ID too, or remove it',
  ]);
}

function complaintsAboutMany(set: Given): string[] {
  const keys = ['COBROWSE_API_KEY', 'COBROWSE_ONPREM_REST_KEY'].filter((name) => set[name] !== undefined);
  return [
    ...missingIn(set, ['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', ...OVER_HTTP]),
    ...Object.entries(OF_ONE)
      .filter(([name]) => set[name] !== undefined)
      .map(([name, why]) => `${name} can’t be set beside SLACK_CLIENT_ID: ${why}. Remove one of the two`),
    ...Object.entries(set)
      .filter(([name, value]) => name.startsWith('MAY_') && /[A-Z]/.test(value))
      .map(([name]) => `${name} can’t name ids beside SLACK_CLIENT_ID: they’re of one workspace only`),
    ...(set['ALLOWED_WORKSPACES'] === undefined ? keys : []).map(
      (name) =>
        `${name} is set, and anybody could install the app and see your customers: name the workspaces that may in ALLOWED_WORKSPACES`,
    ),
  ];
}

/** Undefined if something is missing. */
function readSlack(read: Read): SlackConfig | undefined {
  const { SLACK_API_URL: apiUrl, SLACK_SIGNING_SECRET: signingSecret, PUBLIC_URL: publicUrl } = read;
  const { SLACK_CLIENT_ID: clientId, SLACK_CLIENT_SECRET: clientSecret } = read;
  const { SLACK_BOT_TOKEN: botToken, SLACK_APP_TOKEN: appToken } = read;
  if (clientId !== undefined && clientSecret !== undefined) {
    if (signingSecret === undefined || publicUrl === undefined) return undefined;
    const { SLACK_AUTHORIZE_URL: authorizeUrl, ALLOWED_WORKSPACES: allowed } = read;
    const oauth = { clientId, clientSecret, authorizeUrl, allowed, publicUrl };
    return { mode: 'many', apiUrl, signingSecret, oauth };
  }
  if (botToken === undefined) return undefined;
  if (appToken !== undefined) return { mode: 'socket', apiUrl, botToken, appToken };
  return signingSecret === undefined ? undefined : { mode: 'http', apiUrl, botToken, signingSecret };
}

const CLOUD = ['COBROWSE_BASE_URL', 'COBROWSE_API_KEY'];
const ON_PREMISE = ['COBROWSE_ONPREM_BASE_ENDPOINT', 'COBROWSE_ONPREM_REST_KEY'];

function complaintsAboutService(set: Given): string[] {
  const connected = set['COBROWSE_ONPREM_CONNECTED'] === 'true';
  if (isForMany(set)) {
    // The operator may have no account; one that's set in part is a mistake.
    const needs = (name: string, needed: readonly string[]) =>
      missingIn(set, set[name] === undefined ? [] : needed, ` beside ${name}`);
    const [endpoint = '', key = ''] = ON_PREMISE;
    return [
      ...needs('COBROWSE_API_KEY', ['COBROWSE_BASE_URL']),
      ...needs(endpoint, [key]),
      ...needs(key, [endpoint, ...(connected ? [] : ['COBROWSE_API_KEY'])]),
    ];
  }
  const hasSome = (names: readonly string[]) => names.some((name) => set[name] !== undefined);
  const hasOnPremise = connected || hasSome(ON_PREMISE);
  const why = hasOnPremise && !connected ? ' (the cloud gives the license tokens that on-premise needs)' : '';
  return [
    ...missingIn(set, !connected || hasSome(CLOUD) ? CLOUD : [], why),
    ...missingIn(set, hasOnPremise ? ON_PREMISE : []),
  ];
}

/** Undefined if something is missing. @param many whether for many workspaces, which may bring all of it */
function readService(read: Read, many: boolean): CobrowseSettings | undefined {
  const { COBROWSE_WIRE_NAMES: wireNames, COBROWSE_BASE_URL: baseUrl, COBROWSE_API_KEY: apiKey } = read;
  const { COBROWSE_ONPREM_BASE_ENDPOINT: baseEndpoint, COBROWSE_ONPREM_REST_KEY: restKey } = read;
  const connected = read.COBROWSE_ONPREM_CONNECTED;
  const cloud = baseUrl !== undefined && apiKey !== undefined ? { baseUrl, apiKey } : undefined;
  if (baseEndpoint === undefined || restKey === undefined)
    return cloud !== undefined || many ? { wireNames, cloud, onPremise: undefined } : undefined;
  const onPremise = { baseEndpoint, restKey, connected };
  if (cloud !== undefined) return { wireNames, cloud, onPremise };
  return connected ? { wireNames, cloud, onPremise: { ...onPremise, connected } } : undefined;
}

type ProxySettings = Pick<Read, 'HTTPS_PROXY' | 'HTTP_PROXY' | 'NO_PROXY'>;

function readProxy(read: ProxySettings, isForWorkspaces: boolean): Proxy | undefined {
  const { HTTPS_PROXY: httpsProxy, HTTP_PROXY: httpProxy, NO_PROXY: noProxy } = read;
  if (httpsProxy === '' && httpProxy === '') return undefined;
  return { httpsProxy, httpProxy, noProxy, isForWorkspaces };
}

/** Both as typed and as sent. */
export function proxyPasswords(proxy: Proxy | undefined): readonly string[] {
  const urls = [proxy?.httpsProxy, proxy?.httpProxy].flatMap((address) => URL.parse(address ?? '') ?? []);
  return urls.flatMap(({ password }) => (password === '' ? [] : [password, decodeURIComponent(password)]));
}

/** A name or an address, perhaps with a port. */
const NO_PROXY_ENTRY =
  /^(?:\*|(?:\*?\.)?[\w-]+(?:\.[\w-]+)*\.?|\[[0-9a-f:.]+\])(?::\d{1,5})?$|^[0-9a-f:.]+$/i;

/** It works, but you should know, or otherwise than you may think. */
function warningsAbout(set: Given, { onPremise }: CobrowseSettings): readonly string[] {
  const has = (name: string) => set[name] !== undefined;
  const many = isForMany(set);
  const url = URL.parse(onPremise?.baseEndpoint ?? '');
  const hasProxy = has('HTTPS_PROXY') || has('HTTP_PROXY');
  const strange = (set['NO_PROXY'] ?? '')
    .split(/[\s,]+/)
    .filter((entry) => entry !== '' && !NO_PROXY_ENTRY.test(entry));
  return given([
    has('COBROWSE_HOSTS') && !many && 'COBROWSE_HOSTS only counts for many workspaces',
    has('WEBHOOK_HOSTS') &&
      many &&
      !has('ALLOWED_WORKSPACES') &&
      'WEBHOOK_HOSTS only counts for the workspaces in ALLOWED_WORKSPACES, which names none',
    url?.protocol === 'http:' &&
      !isLoopback(url.hostname) &&
      'COBROWSE_ONPREM_BASE_ENDPOINT is plain http: the key and what customers do can be read on the way to it',
    has('ALL_PROXY') && !hasProxy && 'ALL_PROXY isn’t read: set HTTPS_PROXY to go through a proxy',
    strange.length > 0 &&
      hasProxy &&
      `NO_PROXY takes names such as intern.example.com or .example.com, and no networks: ${strange.join(', ').slice(0, 200)} is ignored`,
    set['PROXY_FOR_WORKSPACES'] === 'on' &&
      !(many && hasProxy) &&
      'PROXY_FOR_WORKSPACES only counts for many workspaces, with HTTPS_PROXY',
    has('NODE_EXTRA_CA_CERTS') &&
      getCACertificates('extra').length === 0 &&
      'NODE_EXTRA_CA_CERTS has no effect: Node reads it before .env, so set it in the environment, to a file of certificates (PEM)',
  ]);
}

/** Misspelled, such a setting would silently be none, and everyone relies on it. */
const RESTRICTION =
  /^may[_-]|^may(?:watch|stop|delete|see)|^watch[_-]?(?:h|pr)|^(?:audit|sessions?)[_-]?days?$|^allowed[_-]?workspace/i;

function unknownIn(set: Given) {
  const unknown = Object.keys(set).filter((name) => !SETTING_NAMES.includes(name));
  const complaints = unknown
    .filter((name) => RESTRICTION.test(name))
    .map((name) => `${name} isn’t a setting: docs/configuration.md lists them all`);
  // With a Kubernetes service called cobrowse there are a dozen.
  const ignored = unknown.filter((name) => name.startsWith('COBROWSE_')).join(', ');
  const warnings = given([ignored !== '' && `ignored, because they aren’t settings: ${ignored}`]);
  return { complaints, warnings };
}

export type Config = Readonly<ReturnType<typeof configOf>>;

function configOf(
  read: Read,
  slack: SlackConfig,
  cobrowse: CobrowseSettings,
  /** For the log at startup; no secret in any. */
  warnings: readonly string[],
) {
  return {
    slack,
    cobrowse,
    warnings,
    /** With many workspaces: the service's address that theirs is likely to be. */
    suggestedAddress: slack.mode === 'many' ? read.COBROWSE_BASE_URL : undefined,
    /** With many workspaces: the hosts, or hosts and ports, of theirs that may be private or plain http. */
    serviceHosts: read.COBROWSE_HOSTS,
    /** The hosts, or hosts and ports, that outgoing webhooks may reach although they're private or plain http. */
    webhookHosts: read.WEBHOOK_HOSTS,
    /** In the only workspace, what is typed is the operator's own. */
    proxy: readProxy(read, slack.mode !== 'many' || read.PROXY_FOR_WORKSPACES === 'on'),
    /** Whether workspaces that install the app are asked for what Slackbot needs. */
    slackbot: read.SLACKBOT,
    /** Our address without a slash at the end; undefined: Socket Mode only, without webhooks. */
    publicUrl: read.PUBLIC_URL,
    host: read.HOST,
    port: read.PORT,
    /** How long the app serves on once it's asked to stop, so that whoever sends it requests learns of that. */
    drainSeconds: read.DRAIN_SECONDS,
    storeUrl: read.STORE_URL,
    /** Whether the database may be changed so that the version before can't work with it. */
    mayBeOneWay: read.ALLOW_ONE_WAY_UPGRADE,
    /** Newest first. */
    secretKeys: read.SECRET_KEYS,
    summaryChannel: read.SUMMARY_CHANNEL,
    /** What a watch link needs besides the ticket: Slack's signed press, or nothing. */
    watchProof: read.WATCH_PROOF,
    /** Where watch links may lead; empty: anywhere over https. */
    watchHosts: read.WATCH_HOSTS,
    rules: {
      watch: read.MAY_WATCH,
      stop: read.MAY_STOP,
      delete: read.MAY_DELETE,
      usage: read.MAY_SEE_USAGE,
    } satisfies Rules,
    auditDays: read.AUDIT_DAYS,
    sessionDays: read.SESSION_DAYS,
    logLevel: read.LOG_LEVEL,
  };
}

/** Empty means unset. @throws ConfigError with all complaints together */
export function readConfig(environment: Variables): Config {
  const set = setIn(environment);
  const { success, data: read, error } = Environment.safeParse(set);
  const unknown = unknownIn(set);
  const complaints = [
    ...(error?.issues ?? []).map(({ path, message }) => `${path.join('.')} ${message}`),
    ...(isForMany(set) ? complaintsAboutMany(set) : complaintsAboutOne(set)),
    ...complaintsAboutService(set),
    ...unknown.complaints,
  ];
  const cobrowse = success ? readService(read, isForMany(set)) : undefined;
  const slack = success ? readSlack(read) : undefined;
  if (!success || cobrowse === undefined || slack === undefined || complaints.length > 0)
    throw new ConfigError([...complaints, ...unknown.warnings]);
  return configOf(read, slack, cobrowse, [...warningsAbout(set, cobrowse), ...unknown.warnings]);
}
