import { check, failure, ok, type Check, type Finding, type Found } from './findings.ts';

export type AppTokenState =
  | { readonly is: 'good' }
  | { readonly is: 'refused'; readonly code: string }
  | { readonly is: 'unknown' };

type NotGood = Exclude<AppTokenState, { readonly is: 'good' }>;

export type TokenState =
  | {
      readonly is: 'good';
      readonly scopes: readonly string[] | undefined;
      /** For a token of a whole organization. */
      readonly organizationId?: string | undefined;
    }
  | NotGood;

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

type Fix = Pick<Finding, 'next' | 'url'>;

const fixed = (installUrl: string | undefined, bySettings: string): Fix =>
  installUrl === undefined ? { next: bySettings } : { next: 'Install the app again', url: installUrl };

const notGood = (state: NotGood, fix: Fix): Found =>
  state.is === 'refused'
    ? { state: 'failure', says: `Slack refused it (${state.code}).`, ...fix }
    : failure(
        'The app can’t reach Slack.',
        'Check status.slack.com. Whoever runs the app can check SLACK_API_URL, HTTPS_PROXY if a proxy leads out, and the network between the app and Slack.',
      );

/** Whether Slack lets the app connect in Socket Mode. Without that, nothing reaches it. */
export const appTokenCheck = (token: () => Promise<AppTokenState>): Check =>
  check('Slack app token', async () => {
    const state = await token();
    if (state.is === 'good') return ok('valid for Socket Mode');
    return notGood(state, {
      next: 'Copy an app-level token with the scope connections:write from the app’s page into SLACK_APP_TOKEN, then restart the app.',
    });
  });

function scopesFinding(
  granted: readonly string[] | undefined,
  { neededScopes, installUrl }: SlackCheckParts,
): Finding {
  const found = (state: Finding['state'], says: string, bySettings?: string) => ({
    about: 'Slack scopes',
    state,
    says,
    ...(bySettings && fixed(installUrl, bySettings)),
  });
  if (granted === undefined) {
    return found(
      'warning',
      'Slack didn’t say which scopes the token has.',
      'Compare them with manifest.json on the app’s page.',
    );
  }
  const without = neededScopes.filter((scope) => !granted.includes(scope));
  const missing = without.filter((scope) => !OPTIONAL_SCOPES.has(scope));
  if (without.length === 0) return found('ok', `all ${neededScopes.length} present`);
  if (missing.length === 0) {
    return found(
      'warning',
      `Without ${without.join(', ')}, a post may appear twice if Slack’s answer to it is lost.`,
      'They’re optional: to have them, add them under OAuth & Permissions on the app’s page and press Reinstall.',
    );
  }
  return found(
    'failure',
    `Missing: ${missing.join(', ')}.`,
    'Add them under OAuth & Permissions on the app’s page and press Reinstall. docs/configuration.md explains each.',
  );
}

/** Whether Slack accepts the token, and lets it do everything the manifest asks for. */
export const slackCheck = (parts: SlackCheckParts): Check =>
  check('Slack token', async () => {
    const state = await parts.token();
    const isOrganizations = state.is === 'good' && state.organizationId !== undefined;
    if (isOrganizations && parts.installUrl === undefined) {
      return failure(
        'It’s of a whole organization, and these settings are for one workspace.',
        'Install the app in one workspace and copy that token. For an organization’s workspaces, see docs/many-workspaces.md.',
      );
    }
    if (state.is === 'good') {
      const valid = ok(isOrganizations ? 'valid, for your organization' : 'valid');
      return [valid, scopesFinding(state.scopes, parts)];
    }
    const bySettings =
      'Copy the Bot User OAuth Token from the app’s page into SLACK_BOT_TOKEN, then restart the app.';
    return notGood(state, fixed(parts.installUrl, bySettings));
  });

/** The scopes that are missing; undefined if none is, or Slack doesn't say. */
export async function missingScopes(parts: SlackCheckParts): Promise<Finding | undefined> {
  const state = await parts.token();
  const found = state.is === 'good' ? scopesFinding(state.scopes, parts) : undefined;
  return found?.state === 'failure' ? found : undefined;
}
