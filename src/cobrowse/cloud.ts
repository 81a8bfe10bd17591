import { readAgent } from './agent-answer.ts';
import type { CobrowseClient, ServiceOptions } from './client.ts';
import { CobrowseError } from './errors.ts';
import { createHttp, failureOf, type ServiceCall } from './http.ts';
import { offersOf } from './offers.ts';
import { proxyLinkBody, watchLinkBody } from './request-bodies.ts';
import {
  LicenseReplySchema,
  ProxyLinkReplySchema,
  UsageReplySchema,
  WatchLinkReplySchema,
  visitorRepliesWith,
} from './schemas.ts';
import { createGuesses, createListVisitors, isRefusedRequest, type PresenceSearch } from './visitor-list.ts';
import { readVisitors, type Visitors } from './visitors-answer.ts';
import { createLinkReader } from './watch-link.ts';
import { authHeaderWith } from './wire-names.ts';

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
