import type { WebClient } from '@slack/web-api';

/** Whether a bot, by its id, is this app's own. Where Slack cannot be asked it is not; asks again the next time. */
export type IsOwnBot = (botId: string) => Promise<boolean>;

/** Asked once, of Slack itself. Source: auth.test, `bot_id`. */
export function createIsOwnBot(client: WebClient): IsOwnBot {
  let known: string | undefined;
  return async function isOwnBot(botId) {
    known ??= await client.auth.test().then(
      (answer) => answer.bot_id,
      () => undefined,
    );
    return known === botId;
  };
}
