import type { Check } from './doctor.ts';
import type { Finding } from './findings.ts';

/** What Slack says about the app-level token. */
export type AppTokenState =
  | { readonly is: 'good' }
  | { readonly is: 'refused'; readonly code: string }
  | { readonly is: 'unknown' };

/** What Slack says about the bot token. */
export type TokenState =
  | { readonly is: 'good'; readonly scopes: readonly string[] | undefined }
  | Exclude<AppTokenState, { readonly is: 'good' }>;

interface SlackCheckParts {
  readonly token: () => Promise<TokenState>;
  /** What the manifest asks for. */
  readonly neededScopes: readonly string[];
  /** Where a workspace installs the app again; undefined for one whose token is in the settings. */
  readonly installUrl: string | undefined;
}

/** For one thing only: to look for a post whose answer was lost. In the manifest they're optional, too. */
export const OPTIONAL_SCOPES: ReadonlySet<string> = new Set([
  'channels:history',
  'groups:history',
  'im:history',
]);

const TOKEN = 'Slack token';
const SCOPES = 'Slack scopes';
const APP_TOKEN = 'Slack app token';

type Fix = Pick<Finding, 'next' | 'url'>;

/** @param bySettings what to do where the token is in the settings */
const fixed = (installUrl: string | undefined, bySettings: string): Fix =>
  installUrl === undefined ? { next: bySettings } : { next: 'Install the app again', url: installUrl };

/** @param fix what to do about a refused token */
function notGood(about: string, state: Exclude<AppTokenState, { readonly is: 'good' }>, fix: Fix): Finding {
  if (state.is === 'refused')
    return { about, state: 'failure', says: `Slack refused it (${state.code}).`, ...fix };
  return {
    about,
    state: 'failure',
    says: 'The app can’t reach Slack.',
    next: 'Check status.slack.com. Whoever runs the app can check SLACK_API_URL, HTTPS_PROXY if a proxy leads out, and the network between the app and Slack.',
  };
}

/** Whether Slack lets the app connect in Socket Mode. Without that, nothing reaches it. */
export function appTokenCheck(token: () => Promise<AppTokenState>): Check {
  return {
    about: APP_TOKEN,
    async run() {
      const state = await token();
      if (state.is === 'good') return [{ about: APP_TOKEN, state: 'ok', says: 'valid for Socket Mode' }];
      const fix =
        'Copy an app-level token with the scope connections:write from the app’s page into SLACK_APP_TOKEN, then restart the app.';
      return [notGood(APP_TOKEN, state, { next: fix })];
    },
  };
}

function scopesFinding(
  granted: readonly string[] | undefined,
  { neededScopes, installUrl }: Omit<SlackCheckParts, 'token'>,
): Finding {
  const without = neededScopes.filter((scope) => granted?.includes(scope) === false);
  const missing = without.filter((scope) => !OPTIONAL_SCOPES.has(scope));
  if (granted === undefined) {
    return {
      about: SCOPES,
      state: 'warning',
      says: 'Slack didn’t say which scopes the token has.',
      ...fixed(installUrl, 'Compare them with manifest.json on the app’s page.'),
    };
  }
  if (without.length === 0) return { about: SCOPES, state: 'ok', says: `all ${neededScopes.length} present` };
  if (missing.length === 0) {
    return {
      about: SCOPES,
      state: 'warning',
      says: `Without ${without.join(', ')}, a post may appear twice if Slack’s answer to it is lost.`,
      ...fixed(
        installUrl,
        'They’re optional: to have them, add them under OAuth & Permissions on the app’s page and press Reinstall.',
      ),
    };
  }
  return {
    about: SCOPES,
    state: 'failure',
    says: `Missing: ${missing.join(', ')}.`,
    ...fixed(
      installUrl,
      'Add them under OAuth & Permissions on the app’s page and press Reinstall. docs/configuration.md explains each.',
    ),
  };
}

/** Whether Slack accepts the token, and lets it do everything the manifest asks for. */
export const slackCheck = ({ token, ...parts }: SlackCheckParts): Check => ({
  about: TOKEN,
  async run() {
    const state = await token();
    if (state.is === 'good')
      return [{ about: TOKEN, state: 'ok', says: 'valid' }, scopesFinding(state.scopes, parts)];
    const bySettings =
      'Copy the Bot User OAuth Token from the app’s page into SLACK_BOT_TOKEN, then restart the app.';
    return [notGood(TOKEN, state, fixed(parts.installUrl, bySettings))];
  },
});

/** The scopes that are missing; undefined if none is, or Slack doesn't say. */
export async function missingScopes({ token, ...parts }: SlackCheckParts): Promise<Finding | undefined> {
  const state = await token();
  const found = state.is === 'good' ? scopesFinding(state.scopes, parts) : undefined;
  return found?.state === 'failure' ? found : undefined;
}
