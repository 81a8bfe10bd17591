import type { CobrowseClient, Limits, ServiceOptions, WatchLinkRequest } from './client.ts';
import { CobrowseError } from './errors.ts';
import { createHttp, type ServiceCall } from './http.ts';
import { onPremiseWatchLinkBody } from './request-bodies.ts';
import { WatchLinkReplySchema, visitorRepliesWith, type Visitor } from './schemas.ts';
import { createGuesses, createListVisitors } from './visitor-list.ts';
import { readVisitors, type Visitors } from './visitors-answer.ts';
import { createLinkReader, type WatchLink } from './watch-link.ts';

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
