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

const TOKEN = 'Slack token';
const SCOPES = 'Slack scopes';
const APP_TOKEN = 'Slack app token';

const installAgain = (url: string) => `Install the app again: ${url}`;

/** @param fix what to do about a refused token */
function notGood(
  about: string,
  state: Exclude<AppTokenState, { readonly is: 'good' }>,
  fix: string,
): Finding {
  if (state.is === 'refused')
    return { about, state: 'failure', says: `Slack refused it (${state.code}).`, next: fix };
  return {
    about,
    state: 'failure',
    says: 'The app can’t reach Slack.',
    next: 'Check SLACK_API_URL, the network between the app and Slack, and status.slack.com.',
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
      return [notGood(APP_TOKEN, state, fix)];
    },
  };
}

/** Whether Slack accepts the token, and lets it do everything the manifest asks for. */
export function slackCheck({ token, neededScopes, installUrl }: SlackCheckParts): Check {
  function scopesFinding(granted: readonly string[] | undefined): Finding {
    const missing = neededScopes.filter((scope) => granted?.includes(scope) === false);
    if (granted === undefined) {
      return {
        about: SCOPES,
        state: 'warning',
        says: 'Slack didn’t say which scopes the token has.',
        next: 'Compare them with manifest.json on the app’s page.',
      };
    }
    if (missing.length === 0)
      return { about: SCOPES, state: 'ok', says: `all ${neededScopes.length} present` };
    return {
      about: SCOPES,
      state: 'failure',
      says: `Missing: ${missing.join(', ')}.`,
      next:
        installUrl === undefined
          ? 'Add them under OAuth & Permissions on the app’s page and press Reinstall. docs/configuration.md explains each.'
          : installAgain(installUrl),
    };
  }

  return {
    about: TOKEN,
    async run() {
      const state = await token();
      if (state.is === 'good')
        return [{ about: TOKEN, state: 'ok', says: 'valid' }, scopesFinding(state.scopes)];
      const fix =
        installUrl === undefined
          ? 'Copy the Bot User OAuth Token from the app’s page into SLACK_BOT_TOKEN, then restart the app.'
          : installAgain(installUrl);
      return [notGood(TOKEN, state, fix)];
    },
  };
}
