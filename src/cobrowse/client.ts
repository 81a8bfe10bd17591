import type { Dispatcher } from 'undici';
import { createDispatcher, type Proxy } from '../http/dispatcher.ts';
import { createAtMost } from '../lifecycle/concurrency.ts';
import { CobrowseError, type KeyHolder } from './errors.ts';
import type { ServiceOptions } from './http.ts';
import type { Agent, Usage, Visitor } from './schemas.ts';
import {
  clientOf,
  createCloudClient,
  createOnPremiseClient,
  refusing,
  type CloudService,
  type OnPremiseService,
} from './services.ts';
import type { Guess, Visitors } from './visitor-list.ts';
import type { WatchLink } from './watch-link.ts';
import type { WireNames } from './wire-names.ts';

/** An agent by the account user's email, or by the id that an earlier watch link was requested with. */
export type AgentKey = { readonly email: string } | { readonly externalId: string };

/** Which of an agent's sessions to read, by any of these: the service sends all there ever were. */
export interface WantedSessions {
  /** This many, and those still running. */
  readonly newest?: number;
  /** When they started. */
  readonly since?: Date;
  /** Of links that their metadata names. */
  readonly linkIds?: ReadonlySet<string>;
}

export interface LookUpOptions {
  readonly timeoutMs?: number;
  /** Default: none. */
  readonly sessions?: WantedSessions;
  /** The look-up then rejects as `called-off`. */
  readonly signal?: AbortSignal;
}

export interface FoundAgent extends Agent {
  /** Of all their sessions; `sessions` has the wanted ones, newest first. */
  readonly sessionCount: number;
}

/** A person as a watch link names them. `id` is stable per person: each new one costs a license. */
export interface Person {
  readonly id: string;
  readonly name: string;
}

type Permission = 'redirect' | 'audio' | 'click' | 'console' | 'draw' | 'scroll' | 'type' | 'videoAudio';
/** What is left out follows the settings of the service and the visitor. Without a wire name, `videoAudio` is `not-offered`. */
export type WatchPermissions = Readonly<Partial<Record<Permission, boolean>>>;

export interface WatchLinkRequest {
  readonly agent: Person;
  /** Where the ended session is posted as JSON. */
  readonly webhookUrl?: string;
  /** Flat; may come back on the Session. Ids only. */
  readonly metadata?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** `true`: no logo; `page_only`: nothing but the visitor's page. */
  readonly branding?: { readonly naked?: boolean | 'page_only' };
  readonly permissions?: WatchPermissions;
  readonly initialNotes?: string;
  readonly viewer?: Person;
  /** Where "Retry now" leads a visitor who has problems; null: no button. */
  readonly retryUrl?: string | null;
  /** If left out, the window tries to close. */
  readonly onEndUrl?: string;
}

export interface ProxyLinkRequest {
  readonly initialUrl?: string;
  readonly allowedDomains?: readonly string[];
  readonly retryUrl?: string | null;
}

/** Source of each: the endpoint of the same name in the service document. */
export interface Operations {
  readonly usage: () => Promise<Usage>;
  /** Without `search`, the latest. With `online`, only those who are, or aren't; `not-understood` if no visitor says so. */
  readonly listVisitors: (query: {
    readonly search?: string;
    readonly online?: boolean;
    readonly limit: number;
  }) => Promise<Visitors>;
  readonly visitor: (
    visitorId: string,
    options?: Pick<LookUpOptions, 'timeoutMs'> & { readonly withHistory?: boolean },
  ) => Promise<Visitor>;
  /** Never repeated: each call may cost a license. */
  readonly createWatchLink: (visitorId: string, request: WatchLinkRequest) => Promise<WatchLink>;
  /** Also succeeds if no session is running. */
  readonly stopSession: (visitorId: string) => Promise<void>;
  readonly lookupAgent: (key: AgentKey, options?: LookUpOptions) => Promise<FoundAgent>;
  readonly deleteVisitor: (visitorId: string) => Promise<void>;
  /** The service may continue for minutes after saying yes. */
  readonly deleteOfflineVisitors: () => Promise<void>;
  /** `not-offered` if the account has no universal proxy. */
  readonly createProxyLink: (request?: ProxyLinkRequest) => Promise<WatchLink>;
  /** A license token, a secret, for one on-premise watch link; otherwise `not-authorized`. */
  readonly authorizeOnPremise: (visitorId: string, agent: Person) => Promise<string>;
}

export type Operation = keyof Operations;

export interface Offers extends Readonly<Record<Operation, boolean>> {
  readonly sessionEndWebhook: boolean;
  readonly initialNotes: boolean;
  readonly videoAudio: boolean;
  readonly pageviews: boolean;
}

/** Rejects only with a CobrowseError: `not-offered` for what `offers` lacks. */
export interface CobrowseClient extends Operations {
  readonly offers: Offers;
  /** False without any service: everything then rejects as `not-connected`. */
  readonly isConnected: boolean;
  /** Undefined if the key is in the settings of the only workspace. */
  readonly keyHolder?: KeyHolder;
  readonly understands: (guess: Guess) => boolean | undefined;
}

export interface CobrowseOptions extends Omit<ServiceOptions, 'wireNames' | 'dispatcher'> {
  /** Shared connections. Default: its own. */
  readonly dispatcher?: Dispatcher;
  readonly proxy?: Proxy;
}

/** Only the cloud issues license tokens, so an installation without it must be connected. */
export type CobrowseSettings = { readonly wireNames: WireNames } & (
  | { readonly cloud: CloudService; readonly onPremise: undefined }
  | { readonly cloud: CloudService; readonly onPremise: OnPremiseService & { readonly connected: boolean } }
  | { readonly cloud: undefined; readonly onPremise: OnPremiseService & { readonly connected: true } }
  | { readonly cloud: undefined; readonly onPremise: undefined }
);

/** Idle, so that a click after a quiet while needs no TLS handshake. */
const KEPT_MS = 600_000;

/** One workspace's searches mustn't hold up the others. */
const MOST_SEARCHES = 2;

/**
 * The client for a deployment: the cloud alone, or on-premise visitors and watch links, each with a license token from the cloud
 * unless the installation is connected to the vendor's dashboard. The account (usage, agents, proxy) is always the cloud's.
 * `close` leaves shared connections open.
 */
export function createCobrowse(
  { wireNames, cloud, onPremise }: CobrowseSettings,
  { dispatcher, proxy, ...options }: CobrowseOptions = {},
): CobrowseClient & { close(): Promise<void> } {
  const { keyHolder } = options;
  const own = dispatcher ?? createDispatcher(proxy, { keepAliveTimeout: KEPT_MS });
  const connection = { ...options, wireNames, dispatcher: own };
  const account = cloud && createCloudClient({ ...cloud, ...connection });
  const authorize = onPremise?.connected === true ? undefined : account?.authorizeOnPremise;
  const client =
    onPremise === undefined
      ? account
      : joined(createOnPremiseClient({ ...onPremise, ...connection }, authorize), account);
  const close = async () => void (dispatcher === undefined && (await own.close()));
  if (client === undefined) return { ...notConnected, close };
  const inTurn = createAtMost(keyHolder === 'workspace' ? MOST_SEARCHES : Infinity);
  return { ...client, listVisitors: (query) => inTurn(() => client.listVisitors(query)), keyHolder, close };
}

const MOST_COUNTED = 1_000;

/** The cloud counts only its own visitors. Undefined if more are online, or the installation gives no list right now. */
async function usageOf({ listVisitors }: Pick<CobrowseClient, 'listVisitors'>, account: CobrowseClient) {
  const [usage, online] = await Promise.all([
    account.usage(),
    listVisitors({ online: true, limit: MOST_COUNTED + 1 }).catch(() => undefined),
  ]);
  const isWhole = online !== undefined && online.length <= MOST_COUNTED && online.cutAtMiB === undefined;
  return { ...usage, visitors: { online_now: isWhole ? online.length : undefined, last_24_hrs: undefined } };
}

/** On-premise offers neither stopping nor deleting, and to the cloud the id may be somebody else's. */
function joined(
  { understands, ...installation }: ReturnType<typeof createOnPremiseClient>,
  account: CobrowseClient | undefined,
): CobrowseClient {
  const ofAccount = account && {
    usage: () => usageOf(installation, account),
    lookupAgent: account.lookupAgent,
    createProxyLink: account.createProxyLink,
    authorizeOnPremise: account.authorizeOnPremise,
  };
  return clientOf({ ...installation, ...ofAccount }, understands);
}

const NOT_CONNECTED = 'The workspace has no account of the service.';

/** For answers that would otherwise say that the account doesn't offer it. @throws CobrowseError `not-connected` */
export function needAccount({ isConnected }: Pick<CobrowseClient, 'isConnected'>): void {
  if (!isConnected) throw new CobrowseError('not-connected', NOT_CONNECTED);
}

const notConnected: CobrowseClient = {
  ...clientOf({}, () => undefined),
  ...refusing('not-connected', () => NOT_CONNECTED),
  isConnected: false,
};
