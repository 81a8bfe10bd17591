import type { WebClient } from '@slack/web-api';

/** What the app is in its workspace. Ids are Slack's. */
export interface Installation {
  readonly workspaceId: string;
  /** Of the app's bot, as messages name who posted; undefined where Slack does not say. */
  readonly botId: string | undefined;
  /** Of the app's bot user. */
  readonly botUserId: string | undefined;
}

/** What the app is installed as. Rejects where Slack cannot be asked, and asks again the next time. */
export type InstalledAs = () => Promise<Installation>;

/**
 * Asked once, of Slack itself: what a payload says of workspaces is about those who sent it, too.
 * Source: auth.test, `team_id`, `bot_id`, `user_id`.
 */
export function createInstalledAs(client: WebClient): InstalledAs {
  let known: Promise<Installation> | undefined;

  async function ask(): Promise<Installation> {
    try {
      const { team_id: workspaceId, bot_id: botId, user_id: botUserId } = await client.auth.test();
      if (workspaceId === undefined) throw new Error('Slack does not say which workspace the token is of.');
      return { workspaceId, botId, botUserId };
    } catch (error) {
      known = undefined;
      throw error;
    }
  }

  return () => (known ??= ask());
}

/** Whether a bot, by its id, is this app's own in a workspace. Where Slack cannot be asked it is not. */
export type IsOwnBot = (workspaceId: string, botId: string) => Promise<boolean>;

/** @param installedAs what the app is installed as in a workspace */
export function createIsOwnBot(installedAs: (workspaceId: string) => Promise<Installation>): IsOwnBot {
  return async function isOwnBot(workspaceId, botId) {
    const installed = await installedAs(workspaceId).catch(() => undefined);
    return installed?.botId === botId;
  };
}
