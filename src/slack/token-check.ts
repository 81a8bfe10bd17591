import type { WebClient } from '@slack/web-api';
import { slackErrorCode } from './web-client.ts';

/** Slack refused the bot token: nothing can work with it. */
export class SlackTokenError extends Error {
  override readonly name = 'SlackTokenError';
  constructor(code: string, cause: unknown) {
    super(
      `Slack refuses SLACK_BOT_TOKEN (${code}). Copy the Bot User OAuth Token from the app's page once more.`,
      { cause },
    );
  }
}

/**
 * Asks Slack once whether the token is good. Source: auth.test.
 *
 * @param report told where Slack cannot be asked just now, which is no reason not to start
 * @throws SlackTokenError where Slack refuses the token
 */
export async function checkToken(client: WebClient, report: (error: unknown) => void): Promise<void> {
  try {
    await client.auth.test();
  } catch (error) {
    const code = slackErrorCode(error);
    if (code === undefined) report(error);
    else throw new SlackTokenError(code, error);
  }
}
