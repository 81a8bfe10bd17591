import { createAgentReader } from './agent-answer.ts';
import type {
  AgentKey,
  CobrowseClient,
  FoundAgent,
  LookUpOptions,
  Offers,
  Person,
  ProxyLinkRequest,
} from './client.ts';
import { createConnection } from './connection.ts';
import type { Connection, ConnectionOptions } from './connection.ts';
import { LicenceReplySchema, ProxyLinkReplySchema, UsageReplySchema } from './replies.ts';
import { proxyLinkBody, watchLinkBody } from './request-bodies.ts';
import type { Usage, Visitor } from './schemas.ts';
import { failureOf } from './service-call.ts';
import type { ServiceCall } from './service-call.ts';
import { askForWatchLink, readVisitor, readVisitors } from './visitor-calls.ts';
import type { WatchLink } from './watch-link.ts';
import { authHeaderWith } from './wire-names.ts';
import type { WireNames } from './wire-names.ts';

/** Where the cloud service is, and what it knows us by. */
export interface CloudService {
  readonly baseUrl: string;
  readonly apiKey: string;
}

/**
 * The cloud service behind `baseUrl`.
 *
 * @throws TypeError where the address or the key can never work
 */
export function createCloudClient(
  options: CloudService & ConnectionOptions,
): CobrowseClient & { close(): Promise<void> } {
  const cloud = connectToCloud(options);
  const { names } = cloud;
  return {
    offers: cloudOffers(names),
    usage: () => usage(cloud),
    listVisitors: (query) => listVisitors(cloud, query),
    visitor: (visitorId, { withHistory = false } = {}) =>
      readVisitor(cloud, {
        endpoint: '/visitors/{visitor_id}',
        visitorId,
        query: withHistory ? { [names.visitorHistoryQuery]: 'true' } : {},
      }),
    createWatchLink: async (visitorId, request) =>
      askForWatchLink(cloud, {
        endpoint: '/visitors/{visitor_id}/watch_url',
        visitorId,
        body: watchLinkBody(request, names),
      }),
    stopSession: (visitorId) => stopSession(cloud, visitorId),
    lookupAgent: (key, wanted = {}) => lookupAgent(cloud, key, wanted),
    deleteVisitor: (visitorId) => deleteVisitor(cloud, visitorId),
    deleteOfflineVisitors: () => deleteOfflineVisitors(cloud),
    createProxyLink: (request = {}) => createProxyLink(cloud, request),
    authorizeOnPremise: (visitorId, agent) => authorizeOnPremise(cloud, visitorId, agent),
    close: () => cloud.close(),
  };
}

function connectToCloud({ baseUrl, apiKey, ...options }: CloudService & ConnectionOptions): Connection {
  const { wireNames: names } = options;
  const authHeader = authHeaderWith(apiKey, names);
  const service = { baseUrl, pathPrefix: names.versionPrefix, authHeader, secrets: [apiKey] };
  return createConnection(service, options);
}

/** The cloud has every row of the document; the account may still refuse one, as it does the proxy with 402. */
function cloudOffers({ permissionVideoAudio }: WireNames): Offers {
  return {
    usage: true,
    listVisitors: true,
    visitor: true,
    createWatchLink: true,
    stopSession: true,
    lookupAgent: true,
    deleteVisitor: true,
    deleteOfflineVisitors: true,
    createProxyLink: true,
    authorizeOnPremise: true,
    sessionEndWebhook: true,
    initialNotes: true,
    videoAudio: permissionVideoAudio !== undefined,
    pageviews: true,
  };
}

async function usage({ transport }: Connection): Promise<Usage> {
  const reply = await transport.read({ method: 'GET', endpoint: '/usage' }, UsageReplySchema);
  return reply.usage;
}

async function listVisitors(
  cloud: Connection,
  { search = '', limit }: { readonly search?: string; readonly limit: number },
): Promise<readonly Visitor[]> {
  const { listSearch, listLimit } = cloud.names;
  const query = {
    ...(search.trim() === '' ? {} : { [listSearch]: search }),
    [listLimit]: String(limit),
  };
  return readVisitors(cloud, { method: 'GET', endpoint: '/list', query }, limit);
}

async function stopSession({ transport }: Connection, visitorId: string): Promise<void> {
  const endpoint = '/visitors/{visitor_id}/session';
  await transport.confirm({ method: 'DELETE', endpoint, visitorId, meanings: { 404: 'not-found' } });
}

async function deleteVisitor({ transport }: Connection, visitorId: string): Promise<void> {
  const endpoint = '/visitors/{visitor_id}';
  const meanings = { 404: 'not-found', 409: 'visitor-online' } as const;
  await transport.confirm({ method: 'DELETE', endpoint, visitorId, meanings });
}

async function deleteOfflineVisitors({ transport }: Connection): Promise<void> {
  await transport.confirm({ method: 'DELETE', endpoint: '/visitors', query: { all: 'true' } });
}

async function lookupAgent(
  { transport }: Connection,
  key: AgentKey,
  { sessions = { newest: 100 }, ...options }: LookUpOptions,
): Promise<FoundAgent> {
  const query = 'email' in key ? { email: key.email } : { external_id: key.externalId };
  const call: ServiceCall = {
    method: 'GET',
    endpoint: '/agents/lookup',
    query,
    meanings: { 404: 'not-found' },
    ...options,
  };
  return transport.stream(call, () => createAgentReader(sessions));
}

async function createProxyLink(
  { transport, readLink }: Connection,
  request: ProxyLinkRequest,
): Promise<WatchLink> {
  const call: ServiceCall = {
    method: 'POST',
    endpoint: '/proxy_sessions',
    body: proxyLinkBody(request),
    meanings: { 402: 'not-offered' },
  };
  const reply = await transport.read(call, ProxyLinkReplySchema);
  return readLink(reply.proxy_url);
}

async function authorizeOnPremise(
  { transport }: Connection,
  visitorId: string,
  agent: Person,
): Promise<string> {
  const call: ServiceCall = {
    method: 'POST',
    endpoint: '/onpremise/token',
    body: { visitor_id: visitorId, agent: { id: agent.id, name: agent.name } },
    meanings: { 402: 'not-authorized' },
  };
  const reply = await transport.read(call, LicenceReplySchema);
  if (reply.authorized) return reply.token;
  throw failureOf(call, 'not-authorized', { what: 'authorized is false', status: 200 });
}
