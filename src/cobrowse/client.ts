import type { Agent, Usage, Visitor } from './schemas.ts';
import type { WatchLink } from './watch-link.ts';

/** How an agent is named to the service: the account user's email, or the id an earlier watch link was asked for with. */
export type AgentKey = { readonly email: string } | { readonly externalId: string };

/** Which of an agent's sessions are wanted: the service sends all there ever were, and there may be very many. */
export type WantedSessions =
  | 'none'
  /** So many of the newest, and those that still run. */
  | { readonly newest: number }
  /** Those that started since then, and those whose metadata names one of these grants. */
  | { readonly since: Date; readonly grantIds: ReadonlySet<string> };

export interface LookUpOptions {
  /** Default: the newest hundred. */
  readonly sessions?: WantedSessions;
  /** One request and no more, where whoever asks counts them. */
  readonly once?: boolean;
  /** In place of the usual time limit: a long history takes its time. */
  readonly timeoutMs?: number;
  /** Calls the look-up off, which then rejects as `called-off`. */
  readonly signal?: AbortSignal;
}

/** An agent with the wanted sessions. */
export interface FoundAgent extends Agent {
  /** Of all their sessions; zero where none were wanted. */
  readonly sessionCount: number;
}

/** A person as a watch link names them. `id` is stable per person: each new one costs a licence. */
export interface Person {
  readonly id: string;
  readonly name: string;
}

/** What the agent may do; a flag that is left out follows the service's and the visitor's own settings. */
export interface WatchPermissions {
  readonly redirect?: boolean;
  readonly audio?: boolean;
  readonly click?: boolean;
  readonly console?: boolean;
  readonly draw?: boolean;
  readonly scroll?: boolean;
  readonly type?: boolean;
  /** Video audio heard by the agent: the service's name for it must be set, or the request is `not-offered`. */
  readonly videoAudio?: boolean;
}

/** What a watch link is asked for with. Source: POST /visitors/{visitor_id}/watch_url. */
export interface WatchLinkRequest {
  /** Stable per person: each new id costs a licence. */
  readonly agent: Person;
  /** Where the Session is posted as JSON after it ended. */
  readonly webhookUrl?: string;
  /** Flat; comes back, perhaps, on the Session. Ids only. */
  readonly metadata?: Readonly<Record<string, string | number | boolean>>;
  /** `naked` is true: no logo; `page_only`: nothing but the visitor's page. */
  readonly branding?: { readonly naked?: boolean | 'page_only' };
  readonly permissions?: WatchPermissions;
  /** What the agent's notes start with. */
  readonly initialNotes?: string;
  /** Who looks, where that is not the agent. */
  readonly viewer?: Person;
  /** Where "Retry now" leads a visitor who has problems; null: no such button. */
  readonly retryUrl?: string | null;
  /** Where the agent is sent after the session; left out: the window tries to close. */
  readonly onEndUrl?: string;
}

/** What a proxy session is asked for with. Source: POST /proxy_sessions. */
export interface ProxyLinkRequest {
  /** Where the visitor starts. */
  readonly initialUrl?: string;
  /** Where the visitor may go. */
  readonly allowedDomains?: readonly string[];
  /** As in WatchLinkRequest. */
  readonly retryUrl?: string | null;
}

/** What can be asked of the service. Source of each: the endpoint of the same name in the service document. */
interface Operations {
  readonly usage: () => Promise<Usage>;
  /** Without `search` the latest visitors. `limit` is asked of the service and also cut here. */
  readonly listVisitors: (query: {
    readonly search?: string;
    readonly limit: number;
  }) => Promise<readonly Visitor[]>;
  /** `withHistory`: with pageviews in `history`. */
  readonly visitor: (visitorId: string, options?: { readonly withHistory?: boolean }) => Promise<Visitor>;
  /** Never repeated: each call may cost a licence. */
  readonly createWatchLink: (visitorId: string, request: WatchLinkRequest) => Promise<WatchLink>;
  /** Ends the visitor's session; succeeds, too, when none is running. */
  readonly stopSession: (visitorId: string) => Promise<void>;
  /** Holds no more of the answer than what is wanted of it, and reads it in many turns of the loop. */
  readonly lookupAgent: (key: AgentKey, options?: LookUpOptions) => Promise<FoundAgent>;
  /** Rejects as `visitor-online` where the visitor is online. */
  readonly deleteVisitor: (visitorId: string) => Promise<void>;
  /** Deletes every visitor that is offline; the service may go on for minutes after it said yes. */
  readonly deleteOfflineVisitors: () => Promise<void>;
  /** A link that starts a session in the universal proxy; `not-offered` where the account has none. */
  readonly createProxyLink: (request?: ProxyLinkRequest) => Promise<WatchLink>;
  /** The licence token, a secret, for a watch link of the on-premise service; else `not-authorized`. */
  readonly authorizeOnPremise: (visitorId: string, agent: Person) => Promise<string>;
}

/** An operation of the client, by the name of its function. */
export type Operation = keyof Operations;

/** What this deployment has: each operation, and what not every deployment does with a watch link or a visitor. */
export interface Offers extends Readonly<Record<Operation, boolean>> {
  /** Whether the ended session is posted to `webhookUrl`; where not, it is not sent. */
  readonly sessionEndWebhook: boolean;
  /** Whether `initialNotes` start the agent's notes; where not, they are not sent. */
  readonly initialNotes: boolean;
  /** Whether the permission `videoAudio` can be given or taken away. */
  readonly videoAudio: boolean;
  /** Whether `withHistory` adds pageviews to a visitor. */
  readonly pageviews: boolean;
}

/**
 * The co-browsing service in our words. Every function rejects with a CobrowseError and nothing else: `not-offered`
 * where `offers` says that there is no such operation.
 */
export interface CobrowseClient extends Operations {
  readonly offers: Offers;
}
