import type { Finding } from '../views/findings.ts';
import type { Check } from './examine.ts';

/** What Slack says of our token. */
export type TokenState =
  | { readonly is: 'good'; readonly scopes: readonly string[] | undefined }
  | { readonly is: 'refused'; readonly code: string }
  | { readonly is: 'unknown' };

/** Whether the app may post in a channel. */
export type ChannelState = 'member' | 'not-member' | 'archived' | 'not-found' | 'unknown';

interface SlackCheckParts {
  readonly token: () => Promise<TokenState>;
  /** What the manifest asks for. */
  readonly neededScopes: readonly string[];
}

const TOKEN = 'Slack token';
const SCOPES = 'Slack scopes';

/** Whether Slack takes the token, and lets it do all that the manifest asks for. */
export function slackCheck({ token, neededScopes }: SlackCheckParts): Check {
  function scopesFinding(granted: readonly string[] | undefined): Finding {
    const missing = neededScopes.filter((scope) => granted?.includes(scope) === false);
    if (granted === undefined) {
      return {
        about: SCOPES,
        state: 'warning',
        says: 'Slack did not say which scopes the token has.',
        next: 'Compare them with manifest.json on the app’s page.',
      };
    }
    if (missing.length === 0)
      return { about: SCOPES, state: 'ok', says: `All ${neededScopes.length} are granted.` };
    return {
      about: SCOPES,
      state: 'failure',
      says: `Missing: ${missing.join(', ')}.`,
      next: 'Add them under OAuth & Permissions on the app’s page and press Reinstall; the README says what each is for.',
    };
  }

  return {
    about: TOKEN,
    async run() {
      const state = await token();
      switch (state.is) {
        case 'good':
          return [{ about: TOKEN, state: 'ok', says: 'Slack takes it.' }, scopesFinding(state.scopes)];
        case 'refused':
          return [
            {
              about: TOKEN,
              state: 'failure',
              says: `Slack refuses it (${state.code}).`,
              next: 'Copy the Bot User OAuth Token from the app’s page into SLACK_BOT_TOKEN and start the app anew.',
            },
          ];
        case 'unknown':
          return [
            {
              about: TOKEN,
              state: 'failure',
              says: 'Slack could not be asked.',
              next: 'Look at SLACK_API_URL and at the network between the app and Slack; status.slack.com says whether it is Slack.',
            },
          ];
      }
    },
  };
}

interface ChannelCheckParts {
  /** Channels that summaries are meant for. */
  readonly channels: () => Promise<readonly string[]>;
  readonly stateOf: (channelId: string) => Promise<ChannelState>;
}

const CHANNEL = 'Channel';
const INVITE = 'Type /invite @Co-browse there.';

function channelFinding(channelId: string, state: ChannelState): Finding {
  const found = { about: CHANNEL, channelId };
  switch (state) {
    case 'member':
      return { ...found, state: 'ok', says: 'The app is in it.' };
    case 'not-member':
      return { ...found, state: 'failure', says: 'The app is not in it.', next: INVITE };
    case 'not-found':
      return {
        ...found,
        state: 'failure',
        says: 'The app cannot see it: it is private, or its id is not right.',
        next: INVITE,
      };
    case 'archived':
      return {
        ...found,
        state: 'failure',
        says: 'It is archived.',
        next: 'Unarchive it, or send the summaries elsewhere.',
      };
    case 'unknown':
      return {
        ...found,
        state: 'warning',
        says: 'Slack could not be asked about it.',
        next: 'Try again in a minute.',
      };
  }
}

/** Whether summaries will arrive in the channels that they are meant for. */
export function channelsCheck({ channels, stateOf }: ChannelCheckParts): Check {
  return {
    about: CHANNEL,
    async run() {
      const ids = [...new Set(await channels())];
      if (ids.length === 0) {
        return [{ about: CHANNEL, state: 'ok', says: 'No channel is set up for all summaries.' }];
      }
      const states = await Promise.all(ids.map((id) => stateOf(id)));
      return states.map((state, index) => channelFinding(ids[index] ?? '', state));
    },
  };
}
