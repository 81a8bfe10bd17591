import type { Dispatcher } from 'undici';
import type { z } from 'zod';
import type {
  AgentKey,
  CobrowseClient,
  Offers,
  Person,
  ProxyLinkRequest,
  WatchLinkRequest,
} from './client.ts';
import {
  AgentReplySchema,
  LicenceReplySchema,
  ProxyLinkReplySchema,
  UsageReplySchema,
  VisitorListReplySchema,
  WatchLinkReplySchema,
  createVisitorReplySchema,
} from './replies.ts';
import { proxyLinkBody, watchLinkBody } from './request-bodies.ts';
import type { Agent, Usage, Visitor } from './schemas.ts';
import { createServiceAgent } from './service-agent.ts';
import { failureOf } from './service-call.ts';
import type { ServiceCall } from './service-call.ts';
import { createTransport } from './transport.ts';
import type { Transport } from './transport.ts';
import { createVisitorSchema } from './visitor-fields.ts';
import { parseWatchLink } from './watch-link.ts';
import type { WatchLink } from './watch-link.ts';
import type { WireNames } from './wire-names.ts';

export interface CloudOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly wireNames: WireNames;
  /** Connections to share, closed by whoever made them. Without it the client has its own. */
  readonly dispatcher?: Dispatcher;
  /** Time limit for one call, its repetition included. */
  readonly timeoutMs?: number;
  readonly now?: () => Date;
}

interface Cloud {
  readonly transport: Transport;
  readonly names: WireNames;
  readonly visitorSchema: z.ZodType<Visitor>;
  readonly visitorReplySchema: ReturnType<typeof createVisitorReplySchema>;
}

/**
 * The cloud service behind `baseUrl`.
 *
 * @throws TypeError where the address or the key can never work
 */
export function createCloudClient(options: CloudOptions): CobrowseClient & { close(): Promise<void> } {
  const dispatcher = options.dispatcher ?? createServiceAgent();
  const cloud = createCloud(options, dispatcher);
  return {
    offers: cloudOffers(options.wireNames),
    usage: () => usage(cloud),
    listVisitors: (query) => listVisitors(cloud, query),
    visitor: (visitorId, { withHistory = false } = {}) => visitor(cloud, visitorId, withHistory),
    createWatchLink: (visitorId, request) => createWatchLink(cloud, visitorId, request),
    stopSession: (visitorId) => stopSession(cloud, visitorId),
    lookupAgent: (key) => lookupAgent(cloud, key),
    deleteVisitor: (visitorId) => deleteVisitor(cloud, visitorId),
    deleteOfflineVisitors: () => deleteOfflineVisitors(cloud),
    createProxyLink: (request = {}) => createProxyLink(cloud, request),
    authorizeOnPremise: (visitorId, agent) => authorizeOnPremise(cloud, visitorId, agent),
    close: async () => {
      if (options.dispatcher === undefined) await dispatcher.close();
    },
  };
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

function createCloud(options: CloudOptions, dispatcher: Dispatcher): Cloud {
  const { apiKey, wireNames: names } = options;
  const visitorSchema = createVisitorSchema(names);
  const transport = createTransport({
    baseUrl: options.baseUrl,
    pathPrefix: names.versionPrefix,
    authHeader:
      names.authHeader === 'X-Api-Key'
        ? { name: 'x-api-key', value: apiKey }
        : { name: 'authorization', value: `Bearer ${apiKey}` },
    errorCodeField: names.errorCode,
    secrets: [apiKey],
    dispatcher,
    timeoutMs: options.timeoutMs ?? 8_000,
    now: options.now ?? (() => new Date()),
  });
  return { transport, names, visitorSchema, visitorReplySchema: createVisitorReplySchema(visitorSchema) };
}

async function usage({ transport }: Cloud): Promise<Usage> {
  const reply = await transport.read({ method: 'GET', endpoint: '/usage' }, UsageReplySchema);
  return reply.usage;
}

/**
 * Entries without a usable id are left out, and only what is shown is read. A list of nothing but unusable entries is
 * an answer we do not understand, not an empty one.
 */
async function listVisitors(
  { transport, names, visitorSchema }: Cloud,
  { search = '', limit }: { readonly search?: string; readonly limit: number },
): Promise<readonly Visitor[]> {
  const query = search.trim() === '' ? {} : { [names.listSearch]: search };
  const call: ServiceCall = {
    method: 'GET',
    endpoint: '/list',
    query: { ...query, [names.listLimit]: String(limit) },
  };
  const reply = await transport.read(call, VisitorListReplySchema);
  const visitors: Visitor[] = [];
  for (const entry of reply.visitors ?? []) {
    if (visitors.length >= limit) return visitors;
    const read = visitorSchema.safeParse(entry);
    if (read.success) visitors.push(read.data);
  }
  if (reply.visitors?.length && visitors.length === 0) {
    throw failureOf(call, 'not-understood', {
      what: 'no visitor in the answer has a usable short_id',
      status: 200,
    });
  }
  return visitors;
}

async function visitor(cloud: Cloud, visitorId: string, withHistory: boolean): Promise<Visitor> {
  const query = withHistory ? { [cloud.names.visitorHistoryQuery]: 'true' } : {};
  const endpoint = '/visitors/{visitor_id}';
  const call: ServiceCall = { method: 'GET', endpoint, visitorId, query, meanings: { 404: 'not-found' } };
  const reply = await cloud.transport.read(call, cloud.visitorReplySchema);
  return reply.visitor;
}

async function createWatchLink(
  { transport, names }: Cloud,
  visitorId: string,
  request: WatchLinkRequest,
): Promise<WatchLink> {
  const call: ServiceCall = {
    method: 'POST',
    endpoint: '/visitors/{visitor_id}/watch_url',
    visitorId,
    body: watchLinkBody(request, names),
    meanings: { 402: 'limit-reached', 404: 'not-found' },
  };
  const reply = await transport.read(call, WatchLinkReplySchema);
  return parseWatchLink(reply.watch_url, reply.expiration ?? undefined);
}

async function stopSession({ transport }: Cloud, visitorId: string): Promise<void> {
  const endpoint = '/visitors/{visitor_id}/session';
  await transport.confirm({ method: 'DELETE', endpoint, visitorId, meanings: { 404: 'not-found' } });
}

async function deleteVisitor({ transport }: Cloud, visitorId: string): Promise<void> {
  const endpoint = '/visitors/{visitor_id}';
  const meanings = { 404: 'not-found', 409: 'visitor-online' } as const;
  await transport.confirm({ method: 'DELETE', endpoint, visitorId, meanings });
}

async function deleteOfflineVisitors({ transport }: Cloud): Promise<void> {
  await transport.confirm({ method: 'DELETE', endpoint: '/visitors', query: { all: 'true' } });
}

async function lookupAgent({ transport }: Cloud, key: AgentKey): Promise<Agent> {
  const query = 'email' in key ? { email: key.email } : { external_id: key.externalId };
  const call: ServiceCall = {
    method: 'GET',
    endpoint: '/agents/lookup',
    query,
    meanings: { 404: 'not-found' },
  };
  const reply = await transport.read(call, AgentReplySchema);
  return reply.agent;
}

async function createProxyLink({ transport }: Cloud, request: ProxyLinkRequest): Promise<WatchLink> {
  const call: ServiceCall = {
    method: 'POST',
    endpoint: '/proxy_sessions',
    body: proxyLinkBody(request),
    meanings: { 402: 'not-offered' },
  };
  const reply = await transport.read(call, ProxyLinkReplySchema);
  return parseWatchLink(reply.proxy_url);
}

async function authorizeOnPremise({ transport }: Cloud, visitorId: string, agent: Person): Promise<string> {
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
