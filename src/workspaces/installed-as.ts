import type { WebClient } from '@slack/web-api';

/** The app in its workspace. Ids are Slack's. */
export interface Installation {
  readonly workspaceId: string;
  /** The app's bot, as messages name who posted; undefined if Slack doesn't say. */
  readonly botId: string | undefined;
  /** The app's bot user. */
  readonly botUserId: string | undefined;
}

/** What the app is installed as. Rejects if Slack can't be asked, and asks again the next time. */
export type InstalledAs = () => Promise<Installation>;

/**
 * Asked once, from Slack itself: what a payload says about workspaces may also be about its sender. Source: auth.test,
 * `team_id`, `bot_id`, `user_id`.
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

/** Whether a bot, by its id, is this app in a workspace. If Slack can't be asked, it isn't. */
export type IsOwnBot = (workspaceId: string, botId: string) => Promise<boolean>;

/** @param installedAs what the app is installed as in a workspace */
export function createIsOwnBot(installedAs: (workspaceId: string) => Promise<Installation>): IsOwnBot {
  return async function isOwnBot(workspaceId, botId) {
    const installed = await installedAs(workspaceId).catch(() => undefined);
    return installed?.botId === botId;
  };
}
