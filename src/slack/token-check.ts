import type { App } from '@slack/bolt';
import { slackErrorCode } from '../workspaces/web-client.ts';

/** What Slack says when it fails itself, which says nothing about the token. Source: auth.test, errors. */
export const PASSING: ReadonlySet<string> = new Set([
  'fatal_error',
  'internal_error',
  'ratelimited',
  'request_timeout',
  'service_unavailable',
  'team_added_to_org',
]);

const WHERE = {
  SLACK_BOT_TOKEN: 'the Bot User OAuth Token',
  SLACK_APP_TOKEN: 'an app-level token with the scope connections:write',
} as const;

/** Slack refused a token, so nothing works. */
export class SlackTokenError extends Error {
  override readonly name = 'SlackTokenError';
  constructor(setting: keyof typeof WHERE, code: string, cause: unknown) {
    super(`Slack refused ${setting} (${code}). Copy ${WHERE[setting]} from the app's page again.`, {
      cause,
    });
  }
}

/**
 * Asks Slack once whether the bot token is valid. Source: auth.test.
 *
 * @param ask calls auth.test
 * @param report called if Slack can't be asked right now, which is no reason not to start
 * @throws SlackTokenError if Slack refuses the token
 */
export async function checkToken(
  ask: () => Promise<unknown>,
  report: (error: unknown) => void,
): Promise<void> {
  try {
    await ask();
  } catch (error) {
    const code = slackErrorCode(error);
    if (code === undefined || PASSING.has(code)) report(error);
    else throw new SlackTokenError('SLACK_BOT_TOKEN', code, error);
  }
}

function whenCalledOff(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/**
 * Starts Bolt. In Socket Mode that waits for the connection, however long Slack can't be reached.
 *
 * @param signal cancels the start, which then rejects with its reason
 * @throws SlackTokenError if Slack refuses the app-level token
 */
export async function startBolt(bolt: App, signal = new AbortController().signal): Promise<void> {
  signal.throwIfAborted();
  try {
    await Promise.race([bolt.start(), whenCalledOff(signal)]);
  } catch (error) {
    const code = slackErrorCode(error);
    throw code === undefined ? error : new SlackTokenError('SLACK_APP_TOKEN', code, error);
  }
}
