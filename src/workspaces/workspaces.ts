import { createHash } from 'node:crypto';
import { WebClient } from '@slack/web-api';
import type { Audit } from '../audit/audit.ts';
import { createCobrowse } from '../cobrowse/client.ts';
import type { CobrowseClient, CobrowseSettings } from '../cobrowse/client.ts';
import type { Database } from '../database/database.ts';
import { createLastRead } from '../database/last-read.ts';
import type { Log } from '../log.ts';
import type { EndSource } from '../messages/link-result.ts';
import type { Rules } from '../permissions/acts.ts';
import { createSettingsRepository, rulesIn } from './settings.ts';
import type { SettingsNow } from './settings.ts';
import { webClientOptions } from './web-client.ts';

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

/** One Slack workspace, with everything that belongs to it. Everything that acts is given it, or its id, first. */
export interface Workspace {
  /** Slack's id for it. */
  readonly id: string;
  /** Slack's Web API, with the workspace's token. */
  readonly slack: WebClient;
  /** The co-browsing service, with the workspace's account. */
  readonly cobrowse: CobrowseClient;
  /** Identifies that account without its key: what is known about one account isn't true of another. */
  readonly accountId: string;
  /** How the app learns here that a session ended. */
  readonly endSource: EndSource;
  /** The addresses of the service: the cloud's first, if there is one. */
  readonly serviceUrls: readonly string[];
  /** The hosts that watch links and Watch buttons lead to, as URLs spell them, as far as they are known. */
  readonly linkHosts: readonly string[];
  /** Whether watch links may be plain http, if the service was configured so. */
  readonly hasPlainLinks: boolean;
  /** The app in this workspace. Rejects where Slack can't be asked. */
  installedAs(): Promise<Installation>;
  /**
   * Who can do what, and the access that links give, read each time; as read at most an hour ago, if the database can't be
   * read now. Rejects with a DatabaseError if there is nothing of the kind.
   */
  settings(): Promise<SettingsNow>;
  /** Applies where the workspace's admins have set nothing. */
  readonly defaults: WorkspaceDefaults;
}

interface WorkspaceDefaults {
  readonly rules: Rules;
  /** The channel for summaries that have no channel themselves. */
  readonly summaryChannel: string | undefined;
}

/** What a workspace is made from. */
export interface WorkspaceSource extends WorkspaceDefaults {
  readonly slack: { readonly botToken: string; readonly apiUrl: string };
  readonly cobrowse: CobrowseSettings;
}

/** The app isn't installed in a workspace, or no longer is. */
class WorkspaceUnknownError extends Error {
  override readonly name = 'WorkspaceUnknownError';
  constructor(workspaceId: string) {
    super(`The app isn't installed in the workspace ${workspaceId}.`);
  }
}

function accountIdOf({ cloud }: CobrowseSettings): string {
  if (cloud === undefined) return 'none';
  return createHash('sha256').update(cloud.apiKey).digest('base64url').slice(0, 22);
}

/**
 * There is no webhook on-premise, or without a public address. Agents' sessions can be looked up wherever the service
 * offers that.
 */
function endSourceOf({ offers }: CobrowseClient, publicUrl: string | undefined): EndSource {
  if (offers.sessionEndWebhook && publicUrl !== undefined) return 'webhook';
  return offers.lookupAgent ? 'lookup' : 'never';
}

const hostsOf = (...addresses: readonly (string | undefined)[]) =>
  addresses.flatMap((address) => URL.parse(address ?? '')?.host ?? []);

interface WorkspacesParts {
  readonly sources: readonly WorkspaceSource[];
  readonly publicUrl: string | undefined;
  readonly watchHosts: readonly string[];
  readonly database: Pick<Database, 'read' | 'writeIf'>;
  /** For the changes of settings. */
  readonly prepare: Audit['prepare'];
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds from any moment on: nobody sets this clock. */
  readonly elapsed: () => number;
}

/**
 * The only place that knows which workspaces there are and how to reach them: a fixed list, today the one in the settings.
 * Slack says each one's id, by its token. What is asked about a workspace rejects with a {@link WorkspaceUnknownError}
 * where the app isn't installed, unless it can be undefined.
 */
export function createWorkspaces(parts: WorkspacesParts) {
  const { sources, publicUrl, watchHosts, log, now } = parts;
  const settings = createSettingsRepository(parts);
  const ownSettingsOf = createLastRead({ read: settings.of, elapsed: parts.elapsed });

  const all = sources.map(({ slack: { botToken, apiUrl }, cobrowse: service, rules, summaryChannel }) => {
    const defaults = { rules, summaryChannel };
    const serviceUrls = [service.cloud?.baseUrl, service.onPremise?.baseEndpoint].filter(
      (address) => address !== undefined,
    );
    const slack = new WebClient(botToken, webClientOptions({ apiUrl, log }));
    const cobrowse = createCobrowse(service, { watchHosts, now: () => new Date(now()) });
    const installedAs = createInstalledAs(slack);
    const workspaceWith = (id: string): Workspace => ({
      id,
      slack,
      cobrowse,
      accountId: accountIdOf(service),
      endSource: endSourceOf(cobrowse, publicUrl),
      serviceUrls,
      linkHosts: [...watchHosts, ...hostsOf(...serviceUrls, publicUrl)],
      hasPlainLinks: serviceUrls.some((address) => URL.parse(address)?.protocol === 'http:'),
      installedAs,
      settings: async () => {
        const own = await ownSettingsOf(id, '');
        return { ...own, rules: rulesIn(own, defaults.rules) };
      },
      defaults,
    });
    return { installedAs, workspaceWith, close: () => cobrowse.close() };
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

  async function get(workspaceId: string): Promise<Workspace> {
    const found = await find(workspaceId);
    if (found === undefined) throw new WorkspaceUnknownError(workspaceId);
    return found;
  }

  const installedAs = async (workspaceId: string) => (await get(workspaceId)).installedAs();
  const isOwnBot: IsOwnBot = async (workspaceId, botId) => {
    const installed = await installedAs(workspaceId).catch(() => undefined);
    return installed?.botId === botId;
  };

  return {
    /** Undefined if the app isn't installed. */
    find,
    get,
    /** What admins change. */
    settings,
    installedAs,
    isOwnBot,
    clientFor: async (workspaceId: string) => (await find(workspaceId))?.slack,
    summaryChannelOf: async (workspaceId: string) => (await find(workspaceId))?.defaults.summaryChannel,
    cobrowseOf: async (workspaceId: string) => (await get(workspaceId)).cobrowse,
    settingsOf: async (workspaceId: string) => (await get(workspaceId)).settings(),
    reportsEnds: async (workspaceId: string) => (await get(workspaceId)).endSource !== 'never',
    /** Asks Slack for the id of each. Rejects if Slack can't be asked or refuses the token. */
    async check(): Promise<void> {
      await Promise.all(all.map((one) => one.installedAs()));
    },
    /** Closes the connections to the services. */
    async close(): Promise<void> {
      await Promise.all(all.map((one) => one.close()));
    },
  };
}

export type Workspaces = ReturnType<typeof createWorkspaces>;
