import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { bareAddress, isLoopback } from '../cobrowse/watch-link.ts';
import { parseWireNames } from '../cobrowse/wire-names.ts';
import { DatabaseUrlError } from '../database/database.ts';
import { sqliteFile } from '../database/open.ts';
import type { Rule } from '../permissions/permissions.ts';

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const MISSING = 'is missing';
const required = z.string({ error: MISSING });

/** Without query, user, or slash at the end. */
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
/** A private network may have no certificates, so http is allowed, with a warning. */
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

const number = (usually: number, [fewest, most]: readonly [number, number], error: string) =>
  z
    .string()
    .refine((text) => /^\d{1,5}$/.test(text) && Number(text) >= fewest && Number(text) <= most, { error })
    .transform(Number)
    .default(usually);

const days = (usually: number, fewest = 1) =>
  number(usually, [fewest, 3_650], `must be a number of days from ${fewest} to 3650`);

const words = (text: string) => text.split(/[\s,]+/).filter((word) => word !== '');
const quoted = (word: string) => `"${word.slice(0, 40)}"`;

/** Unset it's empty, which may allow any: so it isn't where it's set. @param complaint about a word that isn't right */
const list = (isRight: RegExp, complaint: (wrong: string) => string, spelled = (word: string) => word) =>
  z
    .string()
    .transform((typed, context): readonly string[] => {
      const all = words(typed).map(spelled);
      const wrong = all.find((word) => !isRight.test(word));
      if (wrong === undefined && all.length > 0) return all;
      context.addIssue(wrong === undefined ? 'must name at least one, or be unset' : complaint(wrong));
      return z.NEVER;
    })
    .default([]);

/** Source: docs.slack.dev/reference/objects/team-object. Empty: any. */
const workspaces = list(
  /^[TE][A-Z0-9]{2,30}$/,
  (wrong) =>
    `must be ids of workspaces such as T0123456789, or of organizations such as E0123456789: ${quoted(wrong)} isn’t one`,
);

/** User, user group or channel. Source: docs.slack.dev/reference/objects. */
const SLACK_ID = /^[UWSCG][A-Z0-9]{2,30}$/;

/** "members", "admins", and ids. "admins" alone names nobody else: admins always can. */
const rule = (usually: 'members' | 'admins') =>
  z
    .string()
    .default(usually)
    .transform((text, context): Rule => {
      const found = words(text);
      const ids = found.filter((word) => word !== 'members' && word !== 'admins');
      const wrong = ids.find((id) => !SLACK_ID.test(id));
      if (wrong === undefined) return { members: found.includes('members'), ids };
      context.addIssue(
        `must be members, admins, or ids of users, user groups and channels: ${quoted(wrong)} isn’t one`,
      );
      return z.NEVER;
    });

const HOST = String.raw`(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*|\[[0-9a-f:.]+\])`;
const PORT = /:\d{1,5}$/;

/** A host in any script, perhaps with a port, as URLs spell it; anything else stays. */
function asUrlsSpell(word: string): string {
  const typed = word.toLowerCase();
  const port = PORT.exec(typed)?.[0] ?? '';
  const host = typed.slice(0, typed.length - port.length);
  return /[/\\?#@]/.test(host) ? typed : (domainToASCII(host) || host) + port;
}

/** Without any, every host over https. */
const watchHosts = list(
  new RegExp(`^${HOST}$`),
  (wrong) => `must be host names, without scheme or port: ${quoted(wrong)} isn’t one`,
  asUrlsSpell,
);

/** They may be private or plain http. */
const openedHosts = list(
  new RegExp(String.raw`^${HOST}(?::\d{1,5})?$`),
  // What stands before an @ may be a password.
  (wrong) =>
    `must be host names, each perhaps with a port: ${wrong.includes('@') ? 'one' : quoted(wrong)} isn’t one`,
  asUrlsSpell,
);

/** What is wrong is never quoted, since it may hold a password. */
const proxyAddress = z
  .string()
  .refine(
    (text) => {
      const url = URL.parse(text);
      if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') return false;
      try {
        // undici makes a header of them.
        return decodeURIComponent(url.username + url.password) !== undefined;
      } catch {
        return false;
      }
    },
    { error: 'must be an address with its scheme, such as http://proxy.example.com:3128' },
  )
  .default('');

export const Environment = z.object({
  SLACK_SIGNING_SECRET: z.string().optional(),
  SLACK_BOT_TOKEN: required
    .refine((text) => !text.startsWith('xoxe.'), {
      error:
        'ends after twelve hours, and the app can’t write the next one into the settings: create the app without token rotation, or serve it as for many workspaces (docs/many-workspaces.md)',
      abort: true,
    })
    .pipe(token('xoxb'))
    .optional(),
  SLACK_APP_TOKEN: token('xapp').optional(),
  SLACK_CLIENT_ID: z.string().optional(),
  SLACK_CLIENT_SECRET: z.string().optional(),
  ALLOWED_WORKSPACES: workspaces,
  SLACK_API_URL: safeAddress.default('https://slack.com/api').transform((url) => `${url}/`),
  SLACK_AUTHORIZE_URL: safeAddress.default('https://slack.com/oauth/v2/authorize'),
  SLACKBOT: trueOrFalse,
  COBROWSE_BASE_URL: safeAddress.optional(),
  COBROWSE_API_KEY: serviceKey.optional(),
  COBROWSE_ONPREM_BASE_ENDPOINT: ownAddress.optional(),
  COBROWSE_ONPREM_REST_KEY: serviceKey.optional(),
  COBROWSE_ONPREM_CONNECTED: trueOrFalse,
  COBROWSE_HOSTS: openedHosts,
  WEBHOOK_HOSTS: openedHosts,
  COBROWSE_WIRE_NAMES: wireNames,
  PUBLIC_URL: safeAddress.optional(),
  HOST: z.string().default('127.0.0.1'),
  PORT: number(3_000, [0, 65_535], 'must be a port number'),
  DRAIN_SECONDS: number(5, [0, 60], 'must be a number of seconds from 0 to 60'),
  STORE_URL: z.string().default('sqlite:data/cobrowse.db').transform(storeAddress),
  ALLOW_ONE_WAY_UPGRADE: trueOrFalse,
  SECRET_KEYS: secretKeys,
  SUMMARY_CHANNEL: z
    .string()
    .regex(/^[CG][A-Z0-9]+$/, 'must be a channel id such as C0123456789')
    .optional(),
  WATCH_PROOF: z.enum(['press', 'ticket'], 'must be press or ticket').default('press'),
  WATCH_HOSTS: watchHosts,
  MAY_WATCH: rule('members'),
  MAY_STOP: rule('members'),
  MAY_DELETE: rule('admins'),
  MAY_SEE_USAGE: rule('members'),
  AUDIT_DAYS: days(365),
  // Summaries that couldn't be delivered can be tried again for 30 days.
  SESSION_DAYS: days(90, 30),
  LOG_LEVEL: z.enum(LOG_LEVELS, `must be one of ${LOG_LEVELS.join(', ')}`).default('info'),
  HTTPS_PROXY: proxyAddress,
  HTTP_PROXY: proxyAddress,
  NO_PROXY: z.string().default(''),
  PROXY_FOR_WORKSPACES: z.enum(['on', 'off'], 'must be on or off').default('off'),
});

export type Variables = Readonly<Record<string, string | undefined>>;

/** Other programs read these, too, in either case. Where both are set, the lower one counts, as everywhere. */
const IN_EITHER_CASE: ReadonlySet<string> = new Set(['https_proxy', 'http_proxy', 'no_proxy', 'all_proxy']);

/** Trimmed. Empty means unset. */
export function setIn(environment: Variables): Readonly<Record<string, string>> {
  const set = Object.entries(environment)
    .map(([name, value = '']) => [name, value.trim()] as const)
    .filter(([, value]) => value !== '');
  const lower = set.filter(([name]) => IN_EITHER_CASE.has(name));
  const others = set.filter(([name]) => !IN_EITHER_CASE.has(name));
  return Object.fromEntries([
    ...others,
    ...lower.map(([name, value]) => [name.toUpperCase(), value] as const),
  ]);
}
