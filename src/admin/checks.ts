import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError, NOT_PUBLIC, type KeyHolder } from '../cobrowse/errors.ts';
import type { Guess } from '../cobrowse/visitor-list.ts';
import type { Database } from '../database/database.ts';
import { cobrowseFailureWords, connectAccountWords } from '../messages/failure-words.ts';
import { count, given } from '../messages/text.ts';
import { LATE_AFTER_MS, createOverview } from '../outbox/overview.ts';
import { isChannel, type ChannelState } from '../permissions/permissions.ts';
import type { Subscription } from '../subscriptions/subscription.ts';
import { check, failure, ok, warning, type Check, type Finding, type Found } from './findings.ts';

/* What a workspace's admins can examine: Slack's token, the channels, the summaries, the service. */

export type TokenState =
  | {
      readonly is: 'good';
      /** Undefined where Slack doesn't say, as of an app token. */
      readonly scopes?: readonly string[] | undefined;
      readonly organizationId?: string | undefined;
    }
  | { readonly is: 'refused'; readonly code: string }
  | { readonly is: 'unknown' };

export interface SlackSetup {
  readonly apiUrl: string;
  readonly token: () => Promise<TokenState>;
  /** What the manifest asks for. */
  readonly neededScopes: readonly string[];
  /** Where workspaces install the app; undefined if the settings have the only one. */
  readonly installUrl: string | undefined;
  /** Undefined if Slack comes over HTTP. */
  readonly appToken: (() => Promise<TokenState>) | undefined;
  readonly stateOf: (channelId: string) => Promise<ChannelState>;
}
type TokenSetup = Pick<SlackSetup, 'token' | 'neededScopes' | 'installUrl'>;

/** For one thing only: to look for a post whose answer was lost. In the manifest they're optional, too. */
export const OPTIONAL_SCOPES: ReadonlySet<string> = new Set([
  'channels:history',
  'groups:history',
  'im:history',
]);

/** What to do, where the settings have the token or where workspaces install the app. */
const fixed = (installUrl: string | undefined, bySettings: string) =>
  installUrl === undefined ? { next: bySettings } : { next: 'Install the app again', url: installUrl };

const notGood = (state: Exclude<TokenState, { readonly is: 'good' }>, fix: ReturnType<typeof fixed>): Found =>
  state.is === 'refused'
    ? { state: 'failure', says: `Slack refused it (${state.code}).`, ...fix }
    : failure(
        'The app can’t reach Slack.',
        'Check status.slack.com. Whoever runs the app can check SLACK_API_URL, HTTPS_PROXY if a proxy leads out, and the network between the app and Slack.',
      );

/** Whether Slack lets the app connect in Socket Mode. Without that, nothing reaches it. */
export const appTokenCheck = (token: () => Promise<TokenState>): Check =>
  check('Slack app token', async () => {
    const state = await token();
    if (state.is === 'good') return ok('valid for Socket Mode');
    return notGood(state, {
      next: 'Copy an app-level token with the scope connections:write from the app’s page into SLACK_APP_TOKEN, then restart the app.',
    });
  });

function scopesFinding(granted: readonly string[] | undefined, setup: TokenSetup): Finding {
  const { neededScopes, installUrl } = setup;
  const about = 'Slack scopes';
  const found = (state: 'warning' | 'failure', says: string, bySettings: string): Finding => ({
    about,
    state,
    says,
    ...fixed(installUrl, bySettings),
  });
  if (granted === undefined)
    return found(
      'warning',
      'Slack didn’t say which scopes the token has.',
      'Compare them with manifest.json on the app’s page.',
    );
  const without = neededScopes.filter((scope) => !granted.includes(scope));
  if (without.length === 0) return { about, state: 'ok', says: `all ${neededScopes.length} present` };
  const missing = without.filter((scope) => !OPTIONAL_SCOPES.has(scope));
  const add = 'under OAuth & Permissions on the app’s page and press Reinstall.';
  return missing.length === 0
    ? found(
        'warning',
        `Without ${without.join(', ')}, a post may appear twice if Slack’s answer to it is lost.`,
        `They’re optional: to have them, add them ${add}`,
      )
    : found('failure', `Missing: ${missing.join(', ')}.`, `Add them ${add} docs/security.md explains each.`);
}

/** Whether Slack accepts the token, and lets it do everything the manifest asks for. */
export const slackCheck = (setup: TokenSetup): Check =>
  check('Slack token', async () => {
    const { token, installUrl } = setup;
    const state = await token();
    if (state.is !== 'good')
      return notGood(
        state,
        fixed(
          installUrl,
          'Copy the Bot User OAuth Token from the app’s page into SLACK_BOT_TOKEN, then restart the app.',
        ),
      );
    const isOrganizations = state.organizationId !== undefined;
    if (isOrganizations && installUrl === undefined)
      return failure(
        'It’s of a whole organization, and these settings are for one workspace.',
        'Install the app in one workspace and copy that token. For an organization’s workspaces, see docs/many-workspaces.md.',
      );
    const valid = ok(isOrganizations ? 'valid, for your organization' : 'valid');
    return [valid, scopesFinding(state.scopes, setup)];
  });

/** The scopes that are missing; undefined if none is, or Slack doesn't say. */
export async function missingScopes(setup: TokenSetup): Promise<Finding | undefined> {
  const state = await setup.token();
  const found = state.is === 'good' ? scopesFinding(state.scopes, setup) : undefined;
  return found?.state === 'failure' ? found : undefined;
}

export interface KnownSubscriptions {
  readonly found: readonly Pick<Subscription, 'id' | 'channelId' | 'setUpBy' | 'paused'>[];
  /** How many have rows that can't be read. */
  readonly damaged: number;
}

export interface ChannelCheckParts {
  readonly summaryChannel: string | undefined;
  /** Undefined if the database can't be opened. */
  readonly subscriptions: () => Promise<KnownSubscriptions | undefined>;
  readonly stateOf: SlackSetup['stateOf'];
  /** Whether the reader of the findings may know about a channel. @param setUpBy who set up what it gets */
  readonly mayKnow: (channelId: string, setUpBy: readonly string[]) => Promise<boolean>;
}

type Known = KnownSubscriptions['found'][number];

const INVITE = 'Type /invite @Co-browse there.';
const STATES: Readonly<Record<ChannelState, Found>> = {
  member: ok('The app is in this channel.'),
  'not-member': failure('The app isn’t in this channel.', INVITE),
  'not-found': failure('The app can’t see this channel: it’s private, or its ID is wrong.', INVITE),
  archived: failure('This channel is archived.', 'Unarchive it, or send the summaries elsewhere.'),
  unknown: warning('The app couldn’t ask Slack about this channel.', 'Try again in a minute.'),
};

/** Who set them up had a message that says more, and so does the list. */
const pauses = (paused: readonly Known[]): Found => ({
  about: 'Subscriptions',
  state: 'failure',
  says: `${count(paused.length, 'subscription')} paused: ${paused.map(({ id }) => id).join(', ')}.`,
  next: '/cobrowse subscriptions says why, and has Resume.',
});

function hidden(found: Found, [first]: readonly Known[]): Found {
  const about = 'Private channel you aren’t in';
  if (found.state === 'ok') return { ...found, about };
  const next =
    first === undefined
      ? 'It’s the summary channel, from the Home tab or SUMMARY_CHANNEL. Ask whoever set it.'
      : `Ask whoever set it up: subscription ${first.id} in /cobrowse subscriptions.`;
  return { ...found, about, next };
}

const damage = (damaged: number): Found => ({
  about: 'Subscriptions',
  state: 'failure',
  says: `${count(damaged, 'subscription record')} can’t be read, so nothing is sent for ${damaged === 1 ? 'it' : 'them'}.`,
  next: 'Update the app: a newer version may have written it.',
});

export function channelsCheck(parts: ChannelCheckParts): Check {
  const { summaryChannel, subscriptions, stateOf, mayKnow } = parts;

  async function look(channelId: string, here: readonly Known[]): Promise<Found> {
    const owners = here.map(({ setUpBy }) => setUpBy);
    const [state, isKnown] = await Promise.all([stateOf(channelId), mayKnow(channelId, owners)]);
    return isKnown ? { ...STATES[state], channelId } : hidden(STATES[state], here);
  }

  return check('Channel', async () => {
    const known = await subscriptions();
    const { found, damaged } = known ?? { found: [], damaged: 0 };
    const byChannel = Map.groupBy(found, ({ channelId }) => channelId);
    const ids = new Set([...(summaryChannel === undefined ? [] : [summaryChannel]), ...byChannel.keys()]);
    const looks = [...ids].filter(isChannel).map((id) => look(id, byChannel.get(id) ?? []));
    const paused = found.filter((one) => one.paused !== undefined);
    const all = [
      ...(damaged === 0 ? [] : [damage(damaged)]),
      ...(await Promise.all(looks)),
      ...(paused.length === 0 ? [] : [pauses(paused)]),
    ];
    return all.length > 0 || known === undefined ? all : ok('No channel has a subscription.');
  });
}

/** Reads the database alone, so it works while no app is running. @param workspaceId all workspaces if not given */
export async function readUndelivered(
  database: Pick<Database, 'read'>,
  now: () => number,
  workspaceId?: string,
) {
  const overview = createOverview({ database, paceMs: 0, now });
  const late = await overview.waitingSince(now() - LATE_AFTER_MS, workspaceId);
  return { late, failed: (await overview.inTrouble(workspaceId)).failed };
}

export const deliveriesCheck = (undelivered: () => ReturnType<typeof readUndelivered>): Check =>
  check('Summaries', async () => {
    const { late, failed } = await undelivered();
    if (late + failed === 0) return ok('All summaries delivered.');
    const says = given([
      late > 0 && `${count(late, 'summary', 'summaries')} waiting for more than a minute.`,
      failed > 0 && `Couldn’t deliver ${count(failed, 'summary', 'summaries')} in the last 30 days.`,
    ]);
    return warning(says.join(' '), 'The app’s Home tab shows admins which ones, why, and what to do.');
  });

const CHECK_ADDRESS: Readonly<Record<KeyHolder | 'settings', string>> = {
  settings:
    'Check COBROWSE_BASE_URL, or COBROWSE_ONPREM_BASE_ENDPOINT, and the network between the app and the service.',
  operator: 'Ask whoever runs the app to check the service’s address and the network.',
  workspace: 'Press Change in the Home tab and check the address, and whether the service is reachable.',
};

function nextFor(error: CobrowseError, keyHolder: KeyHolder | undefined): string {
  const isOfAddress = error.kind === 'unreachable' || error.kind === 'timed-out';
  return isOfAddress && error.code !== NOT_PUBLIC
    ? CHECK_ADDRESS[keyHolder ?? 'settings']
    : cobrowseFailureWords(error).next;
}

/** What a service does that doesn't understand what the app guesses. */
const WRONG_GUESSES = {
  listLimit: 'refuses the parameter that limits a list',
  searchOnline: 'doesn’t understand the search for who is online',
  searchOffline: 'doesn’t understand the search for who is offline',
} as const;

const wrongGuess = (guess: Guess): Found =>
  guess === 'listLatest'
    ? ok(
        'The installation can’t list who is online, which takes MongoDB, so the app looks through the latest visitors.',
      )
    : warning(
        `The service ${WRONG_GUESSES[guess]}, so the app does without.`,
        `Whoever runs the app can set ${guess} in COBROWSE_WIRE_NAMES to the service’s word for it, or to "" if it has none.`,
      );

/** Whether the co-browsing service answers and accepts our key. Each service is asked for as little as possible. */
export function serviceCheck(
  cobrowse: Pick<
    CobrowseClient,
    'offers' | 'isConnected' | 'keyHolder' | 'usage' | 'listVisitors' | 'understands'
  >,
): readonly Check[] {
  const { text, next } = connectAccountWords;
  if (!cobrowse.isConnected) return [check('Service account', async () => failure(text, next))];
  const asked = (about: string, ask: () => Promise<unknown>, ...guesses: readonly Guess[]) =>
    check(about, async () => {
      try {
        await ask();
      } catch (error) {
        if (!(error instanceof CobrowseError)) throw error;
        return failure(cobrowseFailureWords(error).text, nextFor(error, cobrowse.keyHolder));
      }
      const wrong = guesses.filter((guess) => cobrowse.understands(guess) === false);
      return [ok('reachable, key valid'), ...wrong.map(wrongGuess)];
    });
  const { usage, sessionEndWebhook, lookupAgent } = cobrowse.offers;
  const noEnds = warning(
    'This installation doesn’t report when sessions end, and there’s no account to look them up in, so there are no summaries.',
    'If you have an account in the cloud, add its address and key.',
  );
  return [
    asked('Visitor list', () => cobrowse.listVisitors({ limit: 1 }), 'listLimit'),
    asked(
      'Online visitors',
      () => cobrowse.listVisitors({ online: true, limit: 1 }),
      'searchOnline',
      'searchOffline',
      'listLatest',
    ),
    ...(usage ? [asked('Service account', () => cobrowse.usage())] : []),
    ...(sessionEndWebhook || lookupAgent ? [] : [check('Summaries', async () => noEnds)]),
  ];
}
