import type {
  CobrowseClient,
  FoundAgent,
  Offers,
  Operation,
  Operations,
  ProxyLinkRequest,
  WantedSessions,
  WatchLinkRequest,
} from './client.ts';
import { CobrowseError, type CobrowseErrorKind } from './errors.ts';
import {
  createHttp,
  failureOf,
  readAs,
  type ServiceAddress,
  type ServiceCall,
  type ServiceOptions,
} from './http.ts';
import {
  AgentReplySchema,
  LicenseReplySchema,
  ProxyLinkReplySchema,
  UsageReplySchema,
  VisitorReplySchema,
  WatchLinkReplySchema,
  createSessionSchema,
  hasId,
  createVisitorSchema,
  type Visitor,
} from './schemas.ts';
import {
  createGuesses,
  createListVisitors,
  isRefusedRequest,
  readVisitors,
  type PresenceSearch,
  type Visitors,
} from './visitor-list.ts';
import { parseWatchLink, type WatchLink } from './watch-link.ts';
import {
  authHeaderWith,
  pathOf,
  valueAt,
  withBodyValues,
  type BodyValues,
  type WireNames,
} from './wire-names.ts';

function operations<Value>(of: (name: Operation) => Value): Readonly<Record<Operation, Value>> {
  return {
    usage: of('usage'),
    listVisitors: of('listVisitors'),
    visitor: of('visitor'),
    createWatchLink: of('createWatchLink'),
    stopSession: of('stopSession'),
    lookupAgent: of('lookupAgent'),
    deleteVisitor: of('deleteVisitor'),
    deleteOfflineVisitors: of('deleteOfflineVisitors'),
    createProxyLink: of('createProxyLink'),
    authorizeOnPremise: of('authorizeOnPremise'),
  };
}

export const refusing = (kind: CobrowseErrorKind, words: (name: Operation) => string): Operations =>
  operations((name) => async () => {
    throw new CobrowseError(kind, words(name));
  });

export const clientOf = (
  has: Partial<Operations>,
  understands: CobrowseClient['understands'],
  extras: Partial<Omit<Offers, Operation>> = {},
): CobrowseClient => ({
  ...refusing('not-offered', (name) => `This deployment does not offer ${name}.`),
  ...has,
  offers: {
    ...operations((name) => has[name] !== undefined),
    sessionEndWebhook: false,
    initialNotes: false,
    videoAudio: false,
    pageviews: false,
    ...extras,
  },
  isConnected: true,
  understands,
});

type Query = Readonly<Record<string, string>>;

/** Source: POST /visitors/{visitor_id}/watch_url; on-premise has a license token, but no webhook, notes or video audio. */
function watchLinkBody(
  { agent, metadata, branding, viewer, permissions = {}, ...request }: WatchLinkRequest,
  names: WireNames,
  own: object,
  more: BodyValues,
): object {
  const body = {
    ...own,
    agent: { id: agent.id, name: agent.name },
    branding: branding?.naked === undefined ? undefined : { naked: branding.naked },
    metadata,
  };
  const values: BodyValues = {
    brandingRetryUrl: request.retryUrl,
    brandingOnEndUrl: request.onEndUrl,
    viewerId: viewer?.id,
    viewerName: viewer?.name,
    permissionRedirect: permissions.redirect,
    permissionAudio: permissions.audio,
    permissionClick: permissions.click,
    permissionConsole: permissions.console,
    permissionDraw: permissions.draw,
    permissionScroll: permissions.scroll,
    permissionType: permissions.type,
    ...more,
  };
  return withBodyValues(body, values, names);
}

/** Source: POST /proxy_sessions, which names its retry address. */
const proxyLinkBody = ({ initialUrl, allowedDomains, retryUrl }: ProxyLinkRequest): object => ({
  initial_url: initialUrl,
  allowed_domains: allowedDomains,
  branding: retryUrl === undefined ? undefined : { retry_url: retryUrl },
});

function startOf(session: object): number {
  const started = valueAt(session, ['started_at']);
  return (typeof started === 'string' && Date.parse(started)) || 0;
}

/** Reads only the wanted sessions, newest first: there can be a hundred thousand. @throws UnreadableAnswerError */
function readAgent(reply: unknown, wanted: WantedSessions, linkIdPath: string): FoundAgent {
  const { newest = 0, since = Infinity, linkIds } = wanted;
  function isWanted(session: object, startedAt: number, index: number): boolean {
    const linkId = valueAt(session, pathOf(linkIdPath));
    const isOfLink = typeof linkId === 'string' && linkIds?.has(linkId) === true;
    const isRunning = newest > 0 && !valueAt(session, ['ended_at']);
    return index < newest || isRunning || startedAt >= Number(since) || isOfLink;
  }
  const { sessions: all, ...agent } = readAs(AgentReplySchema, reply).agent;
  const sessions = all
    .filter((entry) => hasId(entry, 'id'))
    .map((session) => ({ session, startedAt: startOf(session) }))
    .toSorted((a, b) => b.startedAt - a.startedAt);
  const schema = createSessionSchema(linkIdPath);
  const read = sessions
    .filter(({ session, startedAt }, index) => isWanted(session, startedAt, index))
    .slice(0, 10_000)
    .flatMap(({ session }) => schema.safeParse(session).data ?? []);
  return { ...agent, sessions: read, sessionCount: sessions.length };
}

const VISITOR = '/visitors/{visitor_id}';
const UNKNOWN = { 404: 'not-found' } as const;

function createService(options: ServiceOptions, address: ServiceAddress) {
  const { wireNames: names, now = () => new Date() } = options;
  const http = createHttp(options, address);
  const Visitor = createVisitorSchema(names);
  const { protocol, hostname } = new URL(address.baseUrl);
  // A service over plain http has plain http links.
  const plainHost = protocol === 'http:' ? hostname : undefined;
  const readLink = (url: string, expiration?: string | null): WatchLink =>
    parseWatchLink(url, { expiration, plainHost, hosts: options.watchHosts, now: now() });
  return {
    ...http,
    names,
    guesses: createGuesses(now),
    readLink,
    list: (endpoint: string, query: Query, limit: number): Promise<Visitors> =>
      http.read(
        { method: 'GET', endpoint, query },
        (json, cutAtMiB) => readVisitors(json, Visitor, limit, cutAtMiB),
        'list',
      ),
    visitor: (call: Partial<ServiceCall> & { readonly endpoint: string }): Promise<Visitor> =>
      http.read({ ...call, method: 'GET', meanings: UNKNOWN }, (json) =>
        readAs(Visitor, readAs(VisitorReplySchema, json).visitor),
      ),
    watchLink: (call: Omit<ServiceCall, 'method' | 'meanings'>): Promise<WatchLink> =>
      http.read({ ...call, method: 'POST', meanings: { ...UNKNOWN, 402: 'limit-reached' } }, (json) => {
        const { watch_url: url, expiration } = readAs(WatchLinkReplySchema, json);
        return readLink(url, expiration);
      }),
  };
}

type Service = ReturnType<typeof createService>;

const unless = <Done>(isSo: (error: unknown) => boolean, work: Promise<Done>): Promise<Done | undefined> =>
  work.catch((error: unknown) => {
    if (isSo(error)) return undefined;
    throw error;
  });

function notWithout(wireName: 'listSearch' | 'onPremiseSearch', names: WireNames): void {
  if (names[wireName] === '') throw new CobrowseError('not-offered', `The wire name ${wireName} is empty.`);
}

function cloudLists({ list, guesses, names }: Service): CobrowseClient['listVisitors'] {
  /** If refused, asks once more without the limit, whose name is a guess. */
  async function search(words: string, limit: number): Promise<Visitors> {
    if (words !== '') notWithout('listSearch', names);
    const text: Query = words === '' ? {} : { [names.listSearch]: words };
    const limited = { ...text, [names.listLimit]: String(limit) };
    const mayLimit = names.listLimit !== '' && guesses.isRight('listLimit') !== false;
    const found = mayLimit ? await unless(isRefusedRequest, list('/list', limited, limit)) : undefined;
    if (found !== undefined) return found;
    const unlimited = await list('/list', text, limit);
    if (mayLimit) guesses.learn('listLimit', false);
    return unlimited;
  }

  function presence(online: boolean): PresenceSearch | undefined {
    const guess = online ? 'searchOnline' : 'searchOffline';
    const word = names[guess];
    if (word === '' || names.listSearch === '') return undefined;
    return { guess, word, list: (limit) => unless(isRefusedRequest, search(word, limit)) };
  }

  return createListVisitors(search, presence, guesses);
}

const isOverLimit = (error: unknown) =>
  error instanceof CobrowseError && error.code?.startsWith('over-') === true;

const cloudAgents = (service: Service): CobrowseClient['lookupAgent'] =>
  async function lookupAgent(agent, { sessions, ...limits } = {}) {
    async function lookUp(query: Query): Promise<FoundAgent> {
      const call = {
        ...limits,
        method: 'GET',
        endpoint: '/agents/lookup',
        query,
        meanings: UNKNOWN,
      } as const;
      let isCut = false;
      function readReply(json: unknown, cutAtMiB?: number): FoundAgent {
        isCut = cutAtMiB !== undefined;
        return readAgent(json, sessions ?? {}, service.names.sessionLinkId);
      }
      // Who somebody is doesn't wait for all that they ever did, unless that comes first.
      const isTooShort = (error: unknown) => isCut || isOverLimit(error);
      const start =
        sessions === undefined && (await unless(isTooShort, service.read(call, readReply, 'start')));
      return start || service.read(call, readReply, 'history');
    }
    if ('externalId' in agent) return lookUp({ external_id: agent.externalId });
    // Slack and the service may write the same address with different capitals.
    const email = agent.email.toLowerCase();
    const isUnknown = (error: unknown) =>
      error instanceof CobrowseError && error.kind === 'not-found' && email !== agent.email;
    return (await unless(isUnknown, lookUp({ email: agent.email }))) ?? lookUp({ email });
  };

const cloudLinks = (
  service: Service,
): Pick<Operations, 'createWatchLink' | 'createProxyLink' | 'authorizeOnPremise'> => ({
  async createWatchLink(visitorId, request) {
    const { initialNotes: bodyInitialNotes, permissions, webhookUrl: webhook_url } = request;
    const more = { bodyInitialNotes, permissionVideoAudio: permissions?.videoAudio };
    const body = watchLinkBody(request, service.names, { webhook_url }, more);
    return service.watchLink({ endpoint: `${VISITOR}/watch_url`, visitorId, body });
  },

  createProxyLink(request = {}) {
    const call = { method: 'POST', endpoint: '/proxy_sessions', body: proxyLinkBody(request) } as const;
    return service.read({ ...call, meanings: { 402: 'not-offered' } }, (json) =>
      service.readLink(readAs(ProxyLinkReplySchema, json).proxy_url),
    );
  },

  authorizeOnPremise(visitorId, { id, name }) {
    const call: ServiceCall = {
      method: 'POST',
      endpoint: '/onpremise/token',
      body: { visitor_id: visitorId, agent: { id, name } },
      meanings: { 402: 'not-authorized' },
    };
    return service.read(call, (json) => {
      const reply = readAs(LicenseReplySchema, json);
      if (reply.authorized) return reply.token;
      throw failureOf(call, 'not-authorized', { what: 'authorized is false', status: 200 });
    });
  },
});

export interface CloudService {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/** An account may refuse some of it, like the proxy with 402. */
export function createCloudClient(options: CloudService & ServiceOptions): CobrowseClient {
  const { baseUrl, apiKey: key, wireNames: names } = options;
  const authHeader = authHeaderWith(key, names);
  const service = createService(options, { baseUrl, key, pathPrefix: names.versionPrefix, authHeader });
  const has: Operations = {
    ...cloudLinks(service),
    listVisitors: cloudLists(service),
    lookupAgent: cloudAgents(service),
    usage: () =>
      service.read({ method: 'GET', endpoint: '/usage' }, (json) => readAs(UsageReplySchema, json).usage),
    visitor(visitorId, { withHistory = false, ...limits } = {}) {
      const flag = names.visitorHistoryQuery;
      const query: Query = withHistory && flag !== '' ? { [flag]: 'true' } : {};
      return service.visitor({ endpoint: VISITOR, visitorId, query, ...limits });
    },
    stopSession: (visitorId) =>
      service.confirm({ method: 'DELETE', endpoint: `${VISITOR}/session`, visitorId, meanings: UNKNOWN }),
    deleteVisitor(visitorId) {
      const meanings = { ...UNKNOWN, 409: 'visitor-online' } as const;
      return service.confirm({ method: 'DELETE', endpoint: VISITOR, visitorId, meanings });
    },
    deleteOfflineVisitors: () =>
      service.confirm({ method: 'DELETE', endpoint: '/visitors', query: { all: 'true' } }),
  };
  return clientOf(has, service.guesses.isRight, {
    sessionEndWebhook: true,
    initialNotes: names.bodyInitialNotes !== '',
    videoAudio: (names.permissionVideoAudio ?? '') !== '',
    pageviews: names.visitorHistoryQuery !== '',
  });
}

export interface OnPremiseService {
  /** Its `BASE_ENDPOINT`; it may have a path. */
  readonly baseEndpoint: string;
  /** Its `REST_KEY`. */
  readonly restKey: string;
}

/**
 * What on-premise offers; the rest is the cloud's. Source: "On-premise API" in the service document.
 * @param authorize gives each link a license token; undefined if the installation is connected to the dashboard
 */
export function createOnPremiseClient(
  options: OnPremiseService & ServiceOptions,
  authorize?: Operations['authorizeOnPremise'],
): Pick<CobrowseClient, 'listVisitors' | 'visitor' | 'createWatchLink' | 'understands'> {
  const { baseEndpoint: baseUrl, restKey: key, wireNames: names } = options;
  const authHeader = { name: 'authorization', value: key };
  const service = createService(options, { baseUrl, key, pathPrefix: '', authHeader });
  const { guesses } = service;

  async function search(text: string, limit: number): Promise<Visitors> {
    if (text !== '') notWithout('onPremiseSearch', names);
    const query: Query = text === '' ? {} : { [names.onPremiseSearch]: text };
    return service.list('/api/visitors/list/search', query, limit);
  }

  const latest: PresenceSearch = {
    guess: 'listLatest',
    isDocumented: true,
    list: (limit) => unless(hasNoList, service.list('/api/visitors/list/latest', {}, limit)),
  };
  const presence = (online: boolean) => (online ? latest : undefined);

  return {
    listVisitors: createListVisitors(search, presence, guesses),
    understands: guesses.isRight,
    // The document has no query for pageviews here.
    visitor: (visitorId, { timeoutMs } = {}) =>
      service.visitor({ endpoint: `/api${VISITOR}`, visitorId, timeoutMs }),
    // Two calls take up to twice the time limit of one.
    async createWatchLink(visitorId, request) {
      const licenseToken = await authorize?.(visitorId, request.agent);
      return service.watchLink({
        endpoint: `/api${VISITOR}/watch_url`,
        visitorId,
        body: watchLinkBody(request, names, { licenseToken }, {}),
        secrets: licenseToken === undefined ? [] : [licenseToken],
      });
    },
  };
}

/** Only with MongoDB can an installation list who is online. How it refuses otherwise isn't documented, so most answers count. */
const hasNoList = (error: unknown) =>
  error instanceof CobrowseError &&
  error.status !== undefined &&
  (error.kind === 'not-understood' || error.status === 500);
