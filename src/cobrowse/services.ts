import type {
  CobrowseClient,
  FoundAgent,
  Limits,
  Offers,
  Operation,
  ProxyLinkRequest,
  ServiceOptions,
  WantedSessions,
  WatchLinkRequest,
  WatchPermissions,
} from './client.ts';
import { CobrowseError } from './errors.ts';
import {
  authHeaderWith,
  bodyPath,
  isBodyName,
  pathOf,
  valueAt,
  withValueAt,
  type BodyName,
  type WireNames,
} from './wire-names.ts';
import { createHttp, failureOf, readAs, type ServiceCall } from './http.ts';
import {
  AgentReplySchema,
  createSessionSchema,
  hasId,
  LicenseReplySchema,
  ProxyLinkReplySchema,
  UsageReplySchema,
  visitorRepliesWith,
  WatchLinkReplySchema,
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
import { createLinkReader, type WatchLink } from './watch-link.ts';

/** The operations that a deployment has. */
export type Has = { readonly [Name in Operation]?: CobrowseClient[Name] | undefined };

/** What a deployment offers besides operations, see {@link Offers}. */
export type OtherOffers = Omit<Offers, Operation>;

/** A deployment offers the operations that it has. */
export function offersOf(has: Has): Pick<Offers, Operation> {
  return {
    usage: has.usage !== undefined,
    listVisitors: has.listVisitors !== undefined,
    visitor: has.visitor !== undefined,
    createWatchLink: has.createWatchLink !== undefined,
    stopSession: has.stopSession !== undefined,
    lookupAgent: has.lookupAgent !== undefined,
    deleteVisitor: has.deleteVisitor !== undefined,
    deleteOfflineVisitors: has.deleteOfflineVisitors !== undefined,
    createProxyLink: has.createProxyLink !== undefined,
    authorizeOnPremise: has.authorizeOnPremise !== undefined,
  };
}

/*
 * Translates our words into the service's. Undefined values are left out when the body becomes JSON; empty objects are
 * left out here.
 */

type Values = Readonly<Partial<Record<BodyName, unknown>>>;

/** Source: POST /visitors/{visitor_id}/watch_url. @throws CobrowseError not-offered, as permissionValues does */
function watchLinkBody(request: WatchLinkRequest, names: WireNames): object {
  return withNamed({ ...documented(request), webhook_url: request.webhookUrl }, names, {
    ...commonValues(request, names),
    permissionVideoAudio: videoAudio(request.permissions, names),
    bodyInitialNotes: request.initialNotes,
  });
}

/** Source: the on-premise POST /visitors/{visitor_id}/watch_url, which has neither webhook, notes nor video audio. */
function onPremiseWatchLinkBody(
  request: WatchLinkRequest,
  licenseToken: string | undefined,
  names: WireNames,
): object {
  return withNamed({ licenseToken, ...documented(request) }, names, commonValues(request, names));
}

function documented({ agent, metadata, branding }: WatchLinkRequest) {
  return {
    agent: { id: agent.id, name: agent.name },
    branding: branding?.naked === undefined ? undefined : { naked: branding.naked },
    metadata,
  };
}

function commonValues({ viewer, permissions, ...request }: WatchLinkRequest, names: WireNames): Values {
  return {
    brandingRetryUrl: request.retryUrl,
    brandingOnEndUrl: request.onEndUrl,
    viewerId: viewer?.id,
    viewerName: viewer?.name,
    ...(permissions === undefined ? {} : permissionValues(permissions, names)),
  };
}

/** Puts each value where its name says; without a name it's left out. */
function withNamed(body: Readonly<Record<string, unknown>>, names: WireNames, values: Values): object {
  let whole = body;
  for (const name of Object.keys(values).filter(isBodyName))
    whole = withValueAt(whole, pathOf(bodyPath(name, names)), values[name]);
  return whole;
}

/** Source: POST /proxy_sessions, which names its retry address. */
function proxyLinkBody(request: ProxyLinkRequest): object {
  return {
    initial_url: request.initialUrl,
    allowed_domains: request.allowedDomains,
    branding: request.retryUrl === undefined ? undefined : { retry_url: request.retryUrl },
  };
}

/** What is forbidden can't be left out: the agent could do it. @throws CobrowseError not-offered */
function permissionValues(permissions: WatchPermissions, names: WireNames): Values {
  const values = {
    permissionRedirect: permissions.redirect,
    permissionAudio: permissions.audio,
    permissionClick: permissions.click,
    permissionConsole: permissions.console,
    permissionDraw: permissions.draw,
    permissionScroll: permissions.scroll,
    permissionType: permissions.type,
  } as const;
  for (const [name, value] of Object.entries(values))
    if (value === false && isBodyName(name) && bodyPath(name, names) === '') throw withoutName(name);
  return values;
}

/** Nobody knows this name, so it's neither granted nor forbidden without one. @throws CobrowseError not-offered */
function videoAudio(permissions: WatchPermissions | undefined, names: WireNames): boolean | undefined {
  const value = permissions?.videoAudio;
  if (value !== undefined && bodyPath('permissionVideoAudio', names) === '')
    throw withoutName('permissionVideoAudio');
  return value;
}

const withoutName = (name: BodyName) => new CobrowseError('not-offered', `The wire name ${name} is not set.`);

/*
 * The answer to GET /agents/lookup holds every session the agent ever had, without paging: only those that were asked for
 * are read.
 */

/** Enough for any use of an agent's sessions. */
const MOST_SESSIONS = 10_000;
const MOST_RUNNING = 50;

interface Dated {
  readonly session: object;
  readonly startedAt: number;
}

function startOf(session: object): number {
  const started = valueAt(session, ['started_at']);
  return (typeof started === 'string' && Date.parse(started)) || 0;
}

const isRunning = ({ session }: Dated) => (valueAt(session, ['ended_at']) ?? undefined) === undefined;

/** @param linkIdPath where a session has the id of its link */
function select(
  newestFirst: readonly Dated[],
  wanted: Exclude<WantedSessions, 'none'>,
  linkIdPath: string,
): readonly Dated[] {
  if ('newest' in wanted) {
    const running = newestFirst.filter(isRunning).slice(0, MOST_RUNNING);
    return [...new Set([...newestFirst.slice(0, wanted.newest), ...running])];
  }
  return newestFirst.filter(({ session, startedAt }) => {
    const linkId = valueAt(session, pathOf(linkIdPath));
    return startedAt >= wanted.since.getTime() || (typeof linkId === 'string' && wanted.linkIds.has(linkId));
  });
}

/**
 * Reads an agent with the wanted sessions, newest first.
 *
 * @param linkIdPath where a session has the id of its link
 * @throws UnreadableAnswerError
 */
function readAgent(reply: unknown, wanted: WantedSessions, linkIdPath: string): FoundAgent {
  const { sessions: all, ...agent } = readAs(AgentReplySchema, reply).agent;
  const sessions = all.filter((entry) => hasId(entry, 'id'));
  if (wanted === 'none') return { ...agent, sessions: [], sessionCount: sessions.length };
  const newestFirst = sessions
    .map((session) => ({ session, startedAt: startOf(session) }))
    .toSorted((a, b) => b.startedAt - a.startedAt);
  const schema = createSessionSchema(linkIdPath);
  const read = select(newestFirst, wanted, linkIdPath)
    .slice(0, MOST_SESSIONS)
    .flatMap(({ session }) => schema.safeParse(session).data ?? []);
  return { ...agent, sessions: read, sessionCount: sessions.length };
}

/** The address of the cloud service, and our key. */
export interface CloudService {
  readonly baseUrl: string;
  readonly apiKey: string;
}

const visitorEndpoint = '/visitors/{visitor_id}';
const unknownVisitor = { 404: 'not-found' } as const;

/**
 * The cloud service at `baseUrl`.
 *
 * @throws TypeError if the address or the key can never work
 */
export function createCloudClient(
  options: CloudService & ServiceOptions,
): CobrowseClient & { close(): Promise<void> } {
  const { apiKey, wireNames: names } = options;
  const http = createHttp({
    ...options,
    pathPrefix: names.versionPrefix,
    authHeader: authHeaderWith(apiKey, names),
    errorCodeField: names.errorCode,
    secrets: [apiKey],
  });
  const replies = visitorRepliesWith(names);
  const readLink = createLinkReader(options);

  const guesses = createGuesses(options.elapsed);

  /** Asks once more without the limit, whose name is a guess, if the service refuses the request. */
  async function list(search: string, limit: number): Promise<Visitors> {
    if (search !== '' && names.listSearch === '')
      throw new CobrowseError('not-offered', 'The wire name listSearch is empty.');
    const text = search === '' ? {} : { [names.listSearch]: search };
    const read = (query: Readonly<Record<string, string>>) =>
      http.readLarge({ method: 'GET', endpoint: '/list', query }, 'list', (json, cutAtMiB) =>
        readVisitors(json, replies.visitor, limit, cutAtMiB),
      );
    if (names.listLimit === '' || guesses.isRight('listLimit') === false) return read(text);
    try {
      return await read({ ...text, [names.listLimit]: String(limit) });
    } catch (error) {
      if (!isRefusedRequest(error)) throw error;
      const found = await read(text);
      guesses.learn('listLimit', false);
      return found;
    }
  }

  function presence(online: boolean): PresenceSearch | undefined {
    const guess = online ? 'searchOnline' : 'searchOffline';
    const word = names[guess];
    if (word === '' || names.listSearch === '') return undefined;
    return {
      guess,
      word,
      list: (limit) =>
        list(word, limit).catch((error: unknown) => {
          if (isRefusedRequest(error)) return undefined;
          throw error;
        }),
    };
  }

  // The cloud has every row of the document; the account may still refuse one, as it does for the proxy with 402.
  const operations: Omit<CobrowseClient, 'offers' | 'understands' | 'isConnected'> = {
    async usage() {
      return (await http.read({ method: 'GET', endpoint: '/usage' }, UsageReplySchema)).value.usage;
    },

    listVisitors: createListVisitors({ search: list, presence }, guesses),

    async visitor(visitorId, { withHistory = false, ...limits } = {}) {
      const flag = names.visitorHistoryQuery;
      const query = withHistory && flag !== '' ? { [flag]: 'true' } : {};
      const call = { method: 'GET', endpoint: visitorEndpoint, visitorId, query, ...limits } as const;
      return (await http.read({ ...call, meanings: unknownVisitor }, replies.one)).value;
    },

    async createWatchLink(visitorId, request) {
      const call: ServiceCall = {
        method: 'POST',
        endpoint: `${visitorEndpoint}/watch_url`,
        visitorId,
        body: watchLinkBody(request, names),
        meanings: { ...unknownVisitor, 402: 'limit-reached' },
      };
      return readLink(await http.read(call, WatchLinkReplySchema));
    },

    async stopSession(visitorId) {
      const endpoint = `${visitorEndpoint}/session`;
      await http.confirm({ method: 'DELETE', endpoint, visitorId, meanings: unknownVisitor });
    },

    // Slack and the service may write an address each in its own way, and it's one person's all the same.
    async lookupAgent(key, { sessions = { newest: 100 }, ...limits } = {}) {
      const call = { method: 'GET', endpoint: '/agents/lookup', meanings: { 404: 'not-found' } } as const;
      const read = (size: 'start' | 'history', query: Readonly<Record<string, string>>) =>
        http.readLarge({ ...call, query, ...limits }, size, (json) =>
          readAgent(json, sessions, names.sessionLinkId),
        );
      const lookUp = (query: Readonly<Record<string, string>>) =>
        sessions !== 'none'
          ? read('history', query)
          : read('start', query).catch((error: unknown) => {
              if (error instanceof CobrowseError && error.kind === 'not-understood')
                return read('history', query);
              throw error;
            });
      if ('externalId' in key) return lookUp({ external_id: key.externalId });
      const inLowerCase = key.email.toLowerCase();
      try {
        return await lookUp({ email: key.email });
      } catch (error) {
        const isUnknown = error instanceof CobrowseError && error.kind === 'not-found';
        if (!isUnknown || inLowerCase === key.email) throw error;
        return lookUp({ email: inLowerCase });
      }
    },

    async deleteVisitor(visitorId) {
      const meanings = { ...unknownVisitor, 409: 'visitor-online' } as const;
      await http.confirm({ method: 'DELETE', endpoint: visitorEndpoint, visitorId, meanings });
    },

    async deleteOfflineVisitors() {
      await http.confirm({ method: 'DELETE', endpoint: '/visitors', query: { all: 'true' } });
    },

    async createProxyLink(request = {}) {
      const call = { method: 'POST', endpoint: '/proxy_sessions', body: proxyLinkBody(request) } as const;
      const { value } = await http.read({ ...call, meanings: { 402: 'not-offered' } }, ProxyLinkReplySchema);
      return readLink({ value: { watch_url: value.proxy_url } });
    },

    async authorizeOnPremise(visitorId, agent) {
      const call: ServiceCall = {
        method: 'POST',
        endpoint: '/onpremise/token',
        body: { visitor_id: visitorId, agent: { id: agent.id, name: agent.name } },
        meanings: { 402: 'not-authorized' },
      };
      const { value } = await http.read(call, LicenseReplySchema);
      if (value.authorized) return value.token;
      throw failureOf(call, 'not-authorized', { what: 'authorized is false', status: 200 });
    },
  };
  return {
    ...operations,
    isConnected: true,
    understands: (guess) => guesses.isRight(guess),
    close: () => http.close(),
    offers: {
      ...offersOf(operations),
      sessionEndWebhook: true,
      initialNotes: names.bodyInitialNotes !== '',
      videoAudio: (names.permissionVideoAudio ?? '') !== '',
      pageviews: names.visitorHistoryQuery !== '',
    },
  };
}

/** The address of the on-premise service, and our key. */
export interface OnPremiseService {
  /** Its `BASE_ENDPOINT`; it may have a path. */
  readonly baseEndpoint: string;
  /** Its `REST_KEY`. */
  readonly restKey: string;
}

/** The rows of the on-premise service; the rest is the cloud's. Source: "On-premise API" in the service document. */
export interface OnPremiseClient extends Pick<CobrowseClient, 'listVisitors' | 'understands'> {
  /** Without pageviews: the document has no such query here. */
  readonly visitor: (visitorId: string, limits?: Limits) => Promise<Visitor>;
  /**
   * Never repeated, like the cloud's. The webhook, notes and video audio aren't sent, since the document has none here.
   *
   * @param licenseToken from the cloud; undefined if the installation is connected to the dashboard
   */
  readonly createWatchLink: (
    visitorId: string,
    request: WatchLinkRequest,
    licenseToken: string | undefined,
  ) => Promise<WatchLink>;
  close(): Promise<void>;
}

/**
 * The on-premise service below `{baseEndpoint}/api`. The key is in the header without a scheme, and the paths have no
 * version; the /api in an error shows which service failed.
 *
 * @throws TypeError if the address or the key can never work
 */
export function createOnPremiseClient(options: OnPremiseService & ServiceOptions): OnPremiseClient {
  const { baseEndpoint: baseUrl, restKey, wireNames: names } = options;
  const http = createHttp({
    ...options,
    baseUrl,
    pathPrefix: '',
    authHeader: { name: 'authorization', value: restKey },
    errorCodeField: names.errorCode,
    secrets: [restKey],
  });
  const replies = visitorRepliesWith(names);
  const readLink = createLinkReader({ ...options, baseUrl });
  const guesses = createGuesses(options.elapsed);

  async function list(
    which: 'latest' | 'search',
    query: Readonly<Record<string, string>>,
    limit: number,
  ): Promise<Visitors> {
    const endpoint = `/api/visitors/list/${which}`;
    return http.readLarge({ method: 'GET', endpoint, query }, 'list', (json, cutAtMiB) =>
      readVisitors(json, replies.visitor, limit, cutAtMiB),
    );
  }

  async function search(text: string, limit: number): Promise<Visitors> {
    if (text === '') return list('search', {}, limit);
    if (names.onPremiseSearch === '')
      throw new CobrowseError('not-offered', 'The wire name onPremiseSearch is empty.');
    return list('search', { [names.onPremiseSearch]: text }, limit);
  }

  /**
   * Who is online, which an installation lists only if MongoDB is its data store. How it refuses otherwise isn't
   * documented, so any error counts except a refused key or a busy service.
   */
  async function latest(limit: number): Promise<Visitors | undefined> {
    try {
      return await list('latest', {}, limit);
    } catch (error) {
      if (isRefused(error)) return undefined;
      throw error;
    }
  }

  return {
    close: () => http.close(),

    listVisitors: createListVisitors(
      { search, presence: (online) => (online ? { guess: 'listLatest', list: latest } : undefined) },
      guesses,
    ),
    understands: (guess) => guesses.isRight(guess),

    async visitor(visitorId, limits = {}) {
      const call = { method: 'GET', endpoint: '/api/visitors/{visitor_id}', visitorId, ...limits } as const;
      return (await http.read({ ...call, meanings: { 404: 'not-found' } }, replies.one)).value;
    },

    async createWatchLink(visitorId, request, licenseToken) {
      const call: ServiceCall = {
        method: 'POST',
        endpoint: '/api/visitors/{visitor_id}/watch_url',
        visitorId,
        body: onPremiseWatchLinkBody(request, licenseToken, names),
        meanings: { 402: 'limit-reached', 404: 'not-found' },
        meaningOfCode: (code) => (isAboutLicense(code) ? 'not-authorized' : undefined),
        ...(licenseToken === undefined ? {} : { secrets: [licenseToken] }),
      };
      return readLink(await http.read(call, WatchLinkReplySchema));
    },
  };
}

/**
 * The installation accepts each token once, for a short time, and otherwise answers 403: that doesn't mean the key is
 * refused.
 */
const isAboutLicense = (code: string) => /licen[cs]e_?token/i.test(code);

/**
 * Whether to try another license token. The installation answered that it issued nothing for this one, so no link is
 * made twice. If the answer were lost, we couldn't know.
 */
export function isLicenseWornOut(error: unknown): boolean {
  if (!(error instanceof CobrowseError) || error.kind !== 'not-authorized') return false;
  const { status, code = '' } = error;
  return status === 403 && isAboutLicense(code) && /used|expired/i.test(code);
}

function isRefused(error: unknown): boolean {
  if (!(error instanceof CobrowseError) || error.status === undefined) return false;
  return error.kind === 'not-understood' || error.status === 500;
}
