import { z } from 'zod';
import type { SlackConfig } from '../workspaces/workspaces.ts';

/** The settings for Slack, each parsed by itself. */
interface SlackSettings {
  readonly SLACK_API_URL: string;
  readonly SLACK_AUTHORIZE_URL: string;
  readonly SLACK_SIGNING_SECRET?: string;
  readonly SLACK_BOT_TOKEN?: string;
  readonly SLACK_APP_TOKEN?: string;
  readonly SLACK_CLIENT_ID?: string;
  readonly SLACK_CLIENT_SECRET?: string;
  readonly ALLOWED_WORKSPACES: readonly string[];
  readonly PUBLIC_URL?: string;
}

/** A workspace's id. Source: docs.slack.dev/reference/objects/team-object. */
const WORKSPACE_ID = /^T[A-Z0-9]{2,30}$/;

/** Ids of workspaces, separated by commas or spaces; empty: any. */
export const workspacesSetting = z
  .string()
  .default('')
  .transform((text, context): readonly string[] => {
    const ids = text.split(/[\s,]+/).filter((word) => word !== '');
    const wrong = ids.find((id) => !WORKSPACE_ID.test(id));
    if (wrong === undefined) return ids;
    context.addIssue(`must be ids of workspaces such as T0123456789: "${wrong.slice(0, 40)}" isn’t one`);
    return z.NEVER;
  });

const OAUTH = ['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET'];

/** Whether these settings are for many workspaces. @param set the raw settings, without empty ones */
export const isForMany = (set: Readonly<Record<string, string>>): boolean =>
  OAUTH.some((name) => set[name] !== undefined);

/** What can be set for one workspace alone, and why not for many. */
const OF_ONE: Readonly<Record<string, string>> = {
  SLACK_BOT_TOKEN: 'each workspace brings its own token',
  SLACK_APP_TOKEN: 'many workspaces are served over HTTP',
  SUMMARY_CHANNEL: 'a channel is in one workspace only; admins set theirs in the Home tab',
};

/** What is wrong with how Slack and the app reach each other. @param set the raw settings, without empty ones */
export function complaintsAboutSlack(set: Readonly<Record<string, string>>): string[] {
  const missing = (names: readonly string[]) => names.filter((name) => set[name] === undefined);
  const overHttp = ['SLACK_SIGNING_SECRET', 'PUBLIC_URL'];
  if (!isForMany(set)) {
    return [
      ...missing(['SLACK_BOT_TOKEN']).map((name) => `${name} is missing`),
      ...(set['SLACK_APP_TOKEN'] === undefined ? missing(overHttp) : []).map(
        (name) => `${name} is missing (or set SLACK_APP_TOKEN for Socket Mode)`,
      ),
      ...(set['ALLOWED_WORKSPACES'] === undefined
        ? []
        : ['ALLOWED_WORKSPACES only counts for many workspaces: set SLACK_CLIENT_ID too, or remove it']),
    ];
  }
  const keys = ['COBROWSE_API_KEY', 'COBROWSE_ONPREM_REST_KEY'].filter((name) => set[name] !== undefined);
  const isOpen = set['ALLOWED_WORKSPACES'] === undefined;
  return [
    ...missing([...OAUTH, ...overHttp]).map((name) => `${name} is missing`),
    ...Object.entries(OF_ONE)
      .filter(([name]) => set[name] !== undefined)
      .map(([name, why]) => `${name} can’t be set beside SLACK_CLIENT_ID: ${why}. Remove one of the two`),
    ...Object.entries(set)
      .filter(([name, value]) => name.startsWith('MAY_') && /[A-Z]/.test(value))
      .map(([name]) => `${name} can’t name ids beside SLACK_CLIENT_ID: they’re of one workspace only`),
    ...(isOpen ? keys : []).map(
      (name) =>
        `${name} is set, and anybody could install the app and see your customers: name the workspaces that may in ALLOWED_WORKSPACES`,
    ),
  ];
}

/** Warnings for the log: it works, but you should know. @param set the raw settings, without empty ones */
export const warningsAboutSlack = (set: Readonly<Record<string, string>>): string[] => [
  ...(set['COBROWSE_HOSTS'] === undefined || isForMany(set)
    ? []
    : ['COBROWSE_HOSTS only counts for many workspaces']),
  ...(set['WEBHOOK_HOSTS'] === undefined || !isForMany(set) || set['ALLOWED_WORKSPACES'] !== undefined
    ? []
    : ['WEBHOOK_HOSTS only counts for the workspaces in ALLOWED_WORKSPACES, which names none']),
];

/** How Slack and the app reach each other. Undefined if something is missing; {@link complaintsAboutSlack} says what. */
export function readSlack(settings: SlackSettings): SlackConfig | undefined {
  const {
    SLACK_API_URL: apiUrl,
    SLACK_SIGNING_SECRET: signingSecret,
    SLACK_BOT_TOKEN: botToken,
    SLACK_APP_TOKEN: appToken,
    SLACK_CLIENT_ID: clientId,
    SLACK_CLIENT_SECRET: clientSecret,
    PUBLIC_URL: publicUrl,
  } = settings;
  if (clientId !== undefined && clientSecret !== undefined) {
    if (signingSecret === undefined || publicUrl === undefined) return undefined;
    const { SLACK_AUTHORIZE_URL: authorizeUrl, ALLOWED_WORKSPACES: allowed } = settings;
    return {
      mode: 'many',
      apiUrl,
      signingSecret,
      oauth: { clientId, clientSecret, authorizeUrl, allowed, publicUrl },
    };
  }
  if (botToken === undefined) return undefined;
  if (appToken !== undefined) return { mode: 'socket', apiUrl, botToken, appToken };
  return signingSecret === undefined ? undefined : { mode: 'http', apiUrl, botToken, signingSecret };
}
