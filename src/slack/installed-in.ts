import type { WebClient } from '@slack/web-api';

/** The workspace that the app is installed in, by id. Rejects where Slack cannot be asked, and asks again the next time. */
export type InstalledIn = () => Promise<string>;

/**
 * Asked once, of Slack itself: what a payload says of workspaces is about those who sent it, too.
 * Source: auth.test, `team_id`.
 */
export function createInstalledIn(client: WebClient): InstalledIn {
  let known: Promise<string> | undefined;

  async function ask(): Promise<string> {
    try {
      const { team_id: workspaceId } = await client.auth.test();
      if (workspaceId === undefined) throw new Error('Slack does not say which workspace the token is of.');
      return workspaceId;
    } catch (error) {
      known = undefined;
      throw error;
    }
  }

  return () => (known ??= ask());
}
