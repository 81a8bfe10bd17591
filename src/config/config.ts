import { z } from 'zod';
import type { CobrowseSettings } from '../cobrowse/client.ts';
import { bareAddress, isLoopback } from '../cobrowse/watch-link.ts';
import { parseWireNames } from '../cobrowse/wire-names.ts';
import { DatabaseUrlError } from '../database/errors.ts';
import type { Proxy } from '../http/dispatcher.ts';
import { sqliteFile } from '../database/open.ts';
import type { Rules } from '../permissions/permissions.ts';
import type { SlackConfig } from '../workspaces/workspaces.ts';
import { complaintsAboutDeployment, readDeployment, warningsAbout } from './deployment-settings.ts';
import { proxyAddress, readProxy, warningsAboutProxy, withProxyNames } from './proxy-settings.ts';
import {
  complaintsAboutSlack,
  isForMany,
  readSlack,
  warningsAboutSlack,
  workspacesSetting,
} from './slack-settings.ts';
import {
  daysSetting,
  hostsSetting,
  openedHostsSetting,
  ruleSetting,
  watchProofSetting,
} from './trust-settings.ts';
import { findUnknown } from './unknown-settings.ts';

/** All settings of the app; made by {@link readConfig} from the environment. */
export interface Config {
  readonly slack: SlackConfig;
  readonly cobrowse: CobrowseSettings;
  /** With many workspaces: the address of the service that theirs is likely to be. */
  readonly suggestedAddress: string | undefined;
  /** With many workspaces: the hosts, or hosts and ports, of theirs that may be private or plain http. */
  readonly serviceHosts: readonly string[];
  /** The hosts, or hosts and ports, that outgoing webhooks may reach although they're private or plain http. */
  readonly webhookHosts: readonly string[];
  /** A company's proxy, through which the app reaches others. */
  readonly proxy: Proxy | undefined;
  /** Our address without a slash at the end; undefined: Socket Mode only, without webhooks. */
  readonly publicUrl: string | undefined;
  readonly host: string;
  readonly port: number;
  /** How long the app serves on once it's asked to stop, so that whoever sends it requests learns of that. */
  readonly drainSeconds: number;
  readonly storeUrl: string;
  /** Whether the database may be changed so that the version before can't work with it. */
  readonly mayBeOneWay: boolean;
  /** Newest first. */
  readonly secretKeys: readonly [string, ...string[]];
  readonly summaryChannel: string | undefined;
  /** What a watch link needs besides the ticket: Slack's signed press, or nothing. */
  readonly watchProof: 'press' | 'ticket';
  /** Where watch links may lead; empty: anywhere over https. */
  readonly watchHosts: readonly string[];
  readonly rules: Rules;
  /** How long the audit log is kept. */
  readonly auditDays: number;
  /** How long session ends are kept, in days. */
  readonly sessionDays: number;
  readonly logLevel: LogLevel;
  /** Warnings for the log at startup; no secret in any. */
  readonly warnings: readonly string[];
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const MISSING = 'is missing';
const required = z.string({ error: MISSING });

/** An address without query or user; a slash at the end is removed. */
const address = (isSafe: (url: URL) => boolean, rule: string) =>
  required.transform((text, context) => {
    const bare = bareAddress(text);
    // Not its href, which keeps a lone question mark.
    if (bare !== undefined && isSafe(bare.url)) return bare.url.origin + bare.path;
    context.addIssue(rule);
    return z.NEVER;
  });
const safeAddress = address(
  ({ protocol, hostname }) => protocol === 'https:' || (protocol === 'http:' && isLoopback(hostname)),
  'must be an https address, without a query (http only on loopback)',
);
/** A private network may have no certificates: http is allowed there, with a warning. */
const ownAddress = address(
  ({ protocol }) => protocol === 'https:' || protocol === 'http:',
  'must be an https or http address, without a query',
);

const serviceKey = required.regex(/^[\x21-\x7e]+$/, 'must be one word of plain characters');

const secretKeys = required.transform((text, context): readonly [string, ...string[]] => {
  const [first, ...older] = text.split(',').map((key) => key.trim());
  if (first !== undefined && [first, ...older].every((key) => Buffer.byteLength(key) >= 32))
    return [first, ...older];
  context.addIssue('must be one or more keys of at least 32 bytes each, newest first, separated by commas');
  return z.NEVER;
});

const wireNames = z
  .string()
  .optional()
  .transform((text, context) => {
    const reading = parseWireNames(text);
    if (reading.ok) return reading.names;
    context.addIssue(reading.complaint);
    return z.NEVER;
  });

const token = (prefix: string) =>
  required.regex(new RegExp(`^${prefix}-\\S+$`), `must be a token that begins with ${prefix}-`);

function storeAddress(url: string, context: z.core.$RefinementCtx): string {
  try {
    sqliteFile(url);
  } catch (error) {
    if (!(error instanceof DatabaseUrlError)) throw error;
    context.addIssue(error.complaint);
  }
  return url;
}

const trueOrFalse = z
  .enum(['true', 'false'], 'must be true or false')
  .default('false')
  .transform((word) => word === 'true');

const MOST_SECONDS = 60;

const Environment = z.object({
  SLACK_SIGNING_SECRET: z.string().optional(),
  SLACK_BOT_TOKEN: token('xoxb').optional(),
  SLACK_APP_TOKEN: token('xapp').optional(),
  SLACK_CLIENT_ID: z.string().optional(),
  SLACK_CLIENT_SECRET: z.string().optional(),
  ALLOWED_WORKSPACES: workspacesSetting,
  SLACK_API_URL: safeAddress.default('https://slack.com/api').transform((url) => `${url}/`),
  SLACK_AUTHORIZE_URL: safeAddress.default('https://slack.com/oauth/v2/authorize'),
  COBROWSE_BASE_URL: safeAddress.optional(),
  COBROWSE_API_KEY: serviceKey.optional(),
  COBROWSE_ONPREM_BASE_ENDPOINT: ownAddress.optional(),
  COBROWSE_ONPREM_REST_KEY: serviceKey.optional(),
  COBROWSE_ONPREM_CONNECTED: trueOrFalse,
  COBROWSE_HOSTS: openedHostsSetting,
  WEBHOOK_HOSTS: openedHostsSetting,
  COBROWSE_WIRE_NAMES: wireNames,
  PUBLIC_URL: safeAddress.optional(),
  HOST: z.string().default('127.0.0.1'),
  PORT: z
    .string()
    .regex(/^\d{1,5}$/, 'must be a port number')
    .default('3000')
    .transform(Number)
    .refine((port) => port <= 65_535, 'must be a port number'),
  DRAIN_SECONDS: z
    .string()
    .default('5')
    .refine((text) => /^\d{1,2}$/.test(text) && Number(text) <= MOST_SECONDS, {
      error: `must be a number of seconds from 0 to ${MOST_SECONDS}`,
    })
    .transform(Number),
  STORE_URL: z.string().default('sqlite:data/cobrowse.db').transform(storeAddress),
  ALLOW_ONE_WAY_UPGRADE: trueOrFalse,
  SECRET_KEYS: secretKeys,
  SUMMARY_CHANNEL: z
    .string()
    .regex(/^[CG][A-Z0-9]+$/, 'must be a channel id such as C0123456789')
    .optional(),
  WATCH_PROOF: watchProofSetting,
  WATCH_HOSTS: hostsSetting,
  MAY_WATCH: ruleSetting('members'),
  MAY_STOP: ruleSetting('members'),
  MAY_DELETE: ruleSetting('admins'),
  MAY_SEE_USAGE: ruleSetting('members'),
  AUDIT_DAYS: daysSetting(365),
  // Summaries that couldn't be delivered are kept for 30 days, and can be tried again.
  SESSION_DAYS: daysSetting(90, 30),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
  HTTPS_PROXY: proxyAddress,
  HTTP_PROXY: proxyAddress,
  NO_PROXY: z.string().default(''),
  PROXY_FOR_WORKSPACES: z.enum(['on', 'off'], 'must be on or off').default('off'),
});

type Variables = Readonly<Record<string, string | undefined>>;

/** Those that are set, trimmed. */
function setIn(environment: Variables): Readonly<Record<string, string>> {
  const set: Record<string, string> = {};
  for (const [name, value] of Object.entries(environment)) {
    if (value !== undefined && value.trim() !== '') set[name] = value.trim();
  }
  return withProxyNames(set);
}

/** Where Slack's Web API is, and the way there. @throws ZodError */
export function slackAccessIn(environment: Variables) {
  const read = Environment.pick({
    SLACK_API_URL: true,
    HTTPS_PROXY: true,
    HTTP_PROXY: true,
    NO_PROXY: true,
    PROXY_FOR_WORKSPACES: true,
  }).parse(setIn(environment));
  return { apiUrl: read.SLACK_API_URL, proxy: readProxy(read, false) };
}

/** The names of all settings. */
export const SETTING_NAMES: readonly string[] = Object.keys(Environment.shape);

/** Starting the app for the first time, nobody has set anything yet. */
function headline(complaints: readonly string[]): string {
  const isAllMissing = complaints.every((complaint) => complaint.includes(` ${MISSING}`));
  if (!isAllMissing || complaints.length < 2) return "Can't start. Fix these settings:";
  return `Can't start: ${complaints.length} settings are missing. Copy .env.example to .env and fill it in.`;
}

/** Some settings are missing or wrong: a line for each, without any secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly complaints: readonly string[];
  constructor(complaints: readonly string[]) {
    super([headline(complaints), ...complaints.map((complaint) => `  - ${complaint}`)].join('\n'));
    this.complaints = complaints;
  }
}

/**
 * Reads the settings. Empty means unset.
 *
 * @throws ConfigError with all complaints together
 */
export function readConfig(environment: Variables): Config {
  const set = setIn(environment);
  const parsed = Environment.safeParse(set);
  const unknown = findUnknown(set, SETTING_NAMES);
  const complaints = [
    ...(parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`)),
    ...complaintsAboutSlack(set),
    ...complaintsAboutDeployment(set),
    ...unknown.complaints,
  ];
  const cobrowse = parsed.success ? readDeployment(parsed.data, isForMany(set)) : undefined;
  const slack = parsed.success ? readSlack(parsed.data) : undefined;
  if (!parsed.success || cobrowse === undefined || slack === undefined || complaints.length > 0)
    throw new ConfigError([...complaints, ...unknown.warnings]);
  const read = parsed.data;
  return {
    slack,
    cobrowse,
    suggestedAddress: slack.mode === 'many' ? read.COBROWSE_BASE_URL : undefined,
    serviceHosts: read.COBROWSE_HOSTS,
    webhookHosts: read.WEBHOOK_HOSTS,
    proxy: readProxy(read, slack.mode === 'many'),
    publicUrl: read.PUBLIC_URL,
    host: read.HOST,
    port: read.PORT,
    drainSeconds: read.DRAIN_SECONDS,
    storeUrl: read.STORE_URL,
    mayBeOneWay: read.ALLOW_ONE_WAY_UPGRADE,
    secretKeys: read.SECRET_KEYS,
    summaryChannel: read.SUMMARY_CHANNEL,
    watchProof: read.WATCH_PROOF,
    watchHosts: read.WATCH_HOSTS,
    rules: {
      watch: read.MAY_WATCH,
      stop: read.MAY_STOP,
      delete: read.MAY_DELETE,
      usage: read.MAY_SEE_USAGE,
    },
    auditDays: read.AUDIT_DAYS,
    sessionDays: read.SESSION_DAYS,
    logLevel: read.LOG_LEVEL,
    warnings: [
      ...warningsAboutSlack(set),
      ...warningsAbout(cobrowse),
      ...warningsAboutProxy(set, slack.mode === 'many'),
      ...unknown.warnings,
    ],
  };
}
