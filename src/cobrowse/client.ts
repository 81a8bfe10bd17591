import type { Proxy } from '../http/dispatcher.ts';
import { createAtMost } from '../lifecycle/side-by-side.ts';
import { CobrowseError, type KeyHolder } from './errors.ts';
import { createServiceAgent, type HttpOptions } from './http.ts';
import type { Agent, Usage, Visitor } from './schemas.ts';
import {
  clientOf,
  createCloudClient,
  createOnPremiseClient,
  isLicenseWornOut,
  refusing,
  type CloudService,
  type OnPremiseClient,
  type OnPremiseService,
} from './services.ts';
import type { Guess, Visitors } from './visitor-list.ts';
import type { WatchLink } from './watch-link.ts';
import type { WireNames } from './wire-names.ts';

/** An agent by the account user's email, or by the id that an earlier watch link was requested with. */
export type AgentKey = { readonly email: string } | { readonly externalId: string };

/** Which of an agent's sessions are wanted: the service sends all there ever were, which can be a lot. */
export type WantedSessions =
  | 'none'
  /** This many of the newest, and those still running. */
  | { readonly newest: number }
  /** Those that started since then, and those whose metadata names one of these links. */
  | { readonly since: Date; readonly linkIds: ReadonlySet<string> };

export interface Limits {
  /** Never repeats a request, for callers that count requests or can't wait. */
  readonly once?: boolean;
  /** Instead of the usual time limit: a long history takes a while. */
  readonly timeoutMs?: number;
}

export interface LookUpOptions extends Limits {
  /** Default: the newest hundred. */
  readonly sessions?: WantedSessions;
  /** Cancels the look-up, which then rejects as `called-off`. */
  readonly signal?: AbortSignal;
}

/** An agent with the wanted sessions, newest first. */
export interface FoundAgent extends Agent {
  /** Of all their sessions. */
  readonly sessionCount: number;
}

/** A person as a watch link names them. `id` is stable per person: each new one costs a license. */
export interface Person {
  readonly id: string;
  readonly name: string;
}

/** What the agent may do; a flag that is left out follows the settings of the service and the visitor. */
export interface WatchPermissions {
  readonly redirect?: boolean;
  readonly audio?: boolean;
  readonly click?: boolean;
  readonly console?: boolean;
  readonly draw?: boolean;
  readonly scroll?: boolean;
  readonly type?: boolean;
  /** Video audio heard by the agent. Without a configured name for it, the request is `not-offered`. */
  readonly videoAudio?: boolean;
}

/** Source: POST /visitors/{visitor_id}/watch_url. */
export interface WatchLinkRequest {
  readonly agent: Person;
  /** Where the Session is posted as JSON after it ended. */
  readonly webhookUrl?: string;
  /** Flat; may come back on the Session. Ids only. */
  readonly metadata?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** `naked` is true: no logo; `page_only`: nothing but the visitor's page. */
  readonly branding?: { readonly naked?: boolean | 'page_only' };
  readonly permissions?: WatchPermissions;
  /** What the agent's notes start with. */
  readonly initialNotes?: string;
  /** Who watches, if that isn't the agent. */
  readonly viewer?: Person;
  /** Where "Retry now" leads a visitor who has problems; null: no such button. */
  readonly retryUrl?: string | null;
  /** Where the agent goes after the session; if left out, the window tries to close. */
  readonly onEndUrl?: string;
}

/** Source: POST /proxy_sessions. */
export interface ProxyLinkRequest {
  readonly initialUrl?: string;
  readonly allowedDomains?: readonly string[];
  /** As in WatchLinkRequest. */
  readonly retryUrl?: string | null;
}

/** What the service can be asked. Source of each: the endpoint of the same name in the service document. */
export interface Operations {
  readonly usage: () => Promise<Usage>;
  /**
   * Without `search`, the latest visitors. `limit` is sent to the service and enforced here too. With `online`, only those
   * who are, or aren't; rejects as `not-understood` if no visitor says so. Of a workspace's own account two at once.
   */
  readonly listVisitors: (query: {
    readonly search?: string;
    readonly online?: boolean;
    readonly limit: number;
  }) => Promise<Visitors>;
  /** `withHistory`: with pageviews in `history`. Alone, a visitor may come with their sessions. */
  readonly visitor: (
    visitorId: string,
    options?: Limits & { readonly withHistory?: boolean },
  ) => Promise<Visitor>;
  /** Never repeated: each call may cost a license. */
  readonly createWatchLink: (visitorId: string, request: WatchLinkRequest) => Promise<WatchLink>;
  /** Also succeeds if no session is running. */
  readonly stopSession: (visitorId: string) => Promise<void>;
  readonly lookupAgent: (key: AgentKey, options?: LookUpOptions) => Promise<FoundAgent>;
  /** Rejects as `visitor-online` if the visitor is online. */
  readonly deleteVisitor: (visitorId: string) => Promise<void>;
  /** The service may continue for minutes after saying yes. */
  readonly deleteOfflineVisitors: () => Promise<void>;
  /** A link that starts a session in the universal proxy; `not-offered` if the account doesn't have it. */
  readonly createProxyLink: (request?: ProxyLinkRequest) => Promise<WatchLink>;
  /** The license token, a secret, for a watch link of the on-premise service; otherwise `not-authorized`. */
  readonly authorizeOnPremise: (visitorId: string, agent: Person) => Promise<string>;
}

export type Operation = keyof Operations;

/** What this deployment has: each operation, and what not every deployment does with a watch link or a visitor. */
export interface Offers extends Readonly<Record<Operation, boolean>> {
  /** Whether the ended session is posted to `webhookUrl`; if not, it isn't sent. */
  readonly sessionEndWebhook: boolean;
  /** Whether `initialNotes` start the agent's notes; if not, they aren't sent. */
  readonly initialNotes: boolean;
  /** Whether the permission `videoAudio` can be granted or removed. */
  readonly videoAudio: boolean;
  /** Whether `withHistory` adds pageviews to a visitor. */
  readonly pageviews: boolean;
}

/**
 * The co-browsing service in our words. Every function rejects only with a CobrowseError: `not-offered` if `offers`
 * says there is no such operation.
 */
export interface CobrowseClient extends Operations {
  readonly offers: Offers;
  /** False without any service: then it offers nothing, and everything rejects as `not-connected`. */
  readonly isConnected: boolean;
  /** Who holds the key, with many workspaces; undefined if it's in the settings of the only one. */
  readonly keyHolder?: KeyHolder;
  /** Whether the service understands what we guess; undefined if it isn't known. */
  readonly understands: (guess: Guess) => boolean | undefined;
}

export interface ServiceOptions extends Pick<
  HttpOptions,
  'keyHolder' | 'dispatcher' | 'timeoutMs' | 'now' | 'elapsed' | 'answered'
> {
  readonly wireNames: WireNames;
  /** The only hosts that watch and proxy links may lead to, at any port. If empty, any host over https. */
  readonly watchHosts?: readonly string[];
  /** For connections that aren't shared. */
  readonly proxy?: Proxy;
}

/** Only the cloud issues license tokens, so an installation without it must be connected. With many workspaces there may be none. */
export type CobrowseSettings = { readonly wireNames: WireNames } & (
  | { readonly cloud: CloudService; readonly onPremise: undefined }
  | { readonly cloud: CloudService; readonly onPremise: OnPremiseService & { readonly connected: boolean } }
  | { readonly cloud: undefined; readonly onPremise: OnPremiseService & { readonly connected: true } }
  | { readonly cloud: undefined; readonly onPremise: undefined }
);

/** At once, of an account that a workspace connected: one workspace's searches mustn't hold up the others. */
const MOST_SEARCHES = 2;

/**
 * The client for a deployment: the cloud alone; visitors and watch links on-premise, with a license token from the
 * cloud for each link; or an on-premise installation connected to the vendor's dashboard, with or without the cloud. If
 * there is a cloud it keeps the account: usage, agents, proxy sessions. Without any service, nothing works.
 *
 * @returns the client; `close` ends its connections, unless they are shared
 * @throws TypeError if an address or a key can never work
 */
export function createCobrowse(
  { wireNames, cloud, onPremise }: CobrowseSettings,
  options: Omit<ServiceOptions, 'wireNames'> = {},
): CobrowseClient & { close(): Promise<void> } {
  const { keyHolder, proxy } = options;
  const own = options.dispatcher === undefined ? createServiceAgent({ proxy }) : undefined;
  const connection = { ...options, wireNames, dispatcher: options.dispatcher ?? own };
  const account = cloud && createCloudClient({ ...cloud, ...connection });
  const client =
    onPremise === undefined
      ? account
      : joined(createOnPremiseClient({ ...onPremise, ...connection }), account, onPremise.connected);
  if (client === undefined) return { ...notConnected, close: async () => undefined };
  const inTurn = createAtMost(keyHolder === 'workspace' ? MOST_SEARCHES : Infinity);
  return {
    ...client,
    listVisitors: (query) => inTurn(() => client.listVisitors(query)),
    keyHolder,
    close: async () => own?.close(),
  };
}

/** Stop counting here; the list has no pages. */
const MOST_COUNTED = 1_000;

/** Undefined if there are more than that, or if the installation gives no list right now. */
async function countOnline({ listVisitors }: OnPremiseClient): Promise<number | undefined> {
  try {
    const online = await listVisitors({ online: true, limit: MOST_COUNTED + 1 });
    return online.length > MOST_COUNTED || online.cutAtMiB !== undefined ? undefined : online.length;
  } catch (error) {
    if (error instanceof CobrowseError) return undefined;
    throw error;
  }
}

/** The account's numbers with the installation's visitors, since the cloud counts only its own. */
async function usageOf(installation: OnPremiseClient, account: CobrowseClient): Promise<Usage> {
  const [usage, online] = await Promise.all([account.usage(), countOnline(installation)]);
  return { ...usage, visitors: { online_now: online, last_24_hrs: undefined } };
}

/**
 * Stopping a session and deleting visitors aren't offered. The on-premise document has no such rows, and the cloud
 * would look for the id among its own visitors, where it's no one or, worse, somebody else.
 */
function joined(
  installation: OnPremiseClient,
  account: CobrowseClient | undefined,
  connected: boolean,
): CobrowseClient {
  const authorize = connected ? undefined : account?.authorizeOnPremise;
  // A token is good for one link. That makes two calls, so twice the time limit of one.
  const createWatchLink: CobrowseClient['createWatchLink'] = async (visitorId, request) => {
    const licenseToken = await authorize?.(visitorId, request.agent);
    return installation.createWatchLink(visitorId, request, licenseToken);
  };
  return clientOf(
    {
      listVisitors: installation.listVisitors,
      visitor: installation.visitor,
      createWatchLink: (visitorId, request) =>
        createWatchLink(visitorId, request).catch((error: unknown) => {
          if (authorize !== undefined && isLicenseWornOut(error)) return createWatchLink(visitorId, request);
          throw error;
        }),
      ...(account && {
        usage: () => usageOf(installation, account),
        lookupAgent: account.lookupAgent,
        createProxyLink: account.createProxyLink,
        authorizeOnPremise: account.authorizeOnPremise,
      }),
    },
    installation.understands,
  );
}

const NOT_CONNECTED = 'The workspace has no account of the service.';

/** For what would otherwise say that the account doesn't offer it. @throws CobrowseError `not-connected` */
export function needAccount({ isConnected }: Pick<CobrowseClient, 'isConnected'>): void {
  if (!isConnected) throw new CobrowseError('not-connected', NOT_CONNECTED);
}

const notConnected: CobrowseClient = {
  ...clientOf({}, () => undefined),
  ...refusing('not-connected', () => NOT_CONNECTED),
  isConnected: false,
};
