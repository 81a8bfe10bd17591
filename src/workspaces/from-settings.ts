import type { WebClient } from '@slack/web-api';
import type { CobrowseSettings } from '../cobrowse/client.ts';
import { AuthTested } from './slack-answers.ts';
import type { Makers, Installation, Workspace, WorkspaceDefaults, WorkspaceFinder } from './workspaces.ts';

/** A workspace in the settings. */
export interface WorkspaceSource extends WorkspaceDefaults {
  readonly slack: { readonly botToken?: string; readonly apiUrl: string };
  readonly cobrowse: CobrowseSettings;
}

/**
 * Asked once, from Slack itself: what a payload says about workspaces may also be about its sender. Rejects if Slack can't
 * be asked, and asks again the next time. Source: auth.test, `team_id`, `bot_id`, `user_id`, `url`.
 */
export function createInstalledAs(client: WebClient): () => Promise<Installation> {
  let known: Promise<Installation> | undefined;

  async function ask(): Promise<Installation> {
    try {
      const tested = AuthTested.parse(await client.auth.test());
      const { team_id: workspaceId, bot_id: botId, user_id: botUserId, url } = tested;
      if (workspaceId === undefined) throw new Error('Slack does not say which workspace the token is of.');
      return { workspaceId, botId, botUserId, url };
    } catch (error) {
      known = undefined;
      throw error;
    }
  }

  return () => (known ??= ask());
}

/** A fixed list of workspaces, usually the one in the settings. Slack says each one's id, by its token. */
export function fromSettings(
  sources: readonly WorkspaceSource[],
  { clientOf, serviceOf, workspaceOf }: Makers,
): WorkspaceFinder {
  const all = sources.map(({ slack: { botToken, apiUrl }, cobrowse, rules, summaryChannel }) => {
    const defaults = { rules, summaryChannel };
    const slack = clientOf(botToken, apiUrl);
    const service = serviceOf(cobrowse);
    const installedAs = createInstalledAs(slack);
    return {
      installedAs,
      workspaceWith: (id: string) =>
        workspaceOf({ id, installId: undefined, slack, installedAs, service, defaults }),
    };
  });
  const known = new Map<string, Workspace>();
  async function find(workspaceId: string): Promise<Workspace | undefined> {
    const found = known.get(workspaceId);
    if (found !== undefined) return found;
    const [only, ...others] = all;
    try {
      for (const { installedAs, workspaceWith } of all) {
        const { workspaceId: id } = await installedAs();
        if (!known.has(id)) known.set(id, workspaceWith(id));
      }
    } catch (error) {
      if (only === undefined || others.length > 0) throw error;
      // Slack can't say right now which one it is, and it can be no other.
      return only.workspaceWith(workspaceId);
    }
    return known.get(workspaceId);
  }
  return {
    find,
    isOwn: async () => true,
    clientToAsk: async (workspaceId) => (await find(workspaceId))?.slack,
    async check() {
      await Promise.all(all.map((one) => one.installedAs()));
    },
    close: () => undefined,
  };
}
