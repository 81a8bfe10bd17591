import type { CobrowseClient, WatchLinkRequest } from './client.ts';
import { createConnection } from './connection.ts';
import type { Connection, ConnectionOptions } from './connection.ts';
import { CobrowseError } from './errors.ts';
import { onPremiseWatchLinkBody } from './request-bodies.ts';
import type { Visitor } from './schemas.ts';
import { askForWatchLink, readVisitor, readVisitors } from './visitor-calls.ts';
import type { WatchLink } from './watch-link.ts';

/** Where the on-premise service is, and what it knows us by. */
export interface OnPremiseService {
  /** Its `BASE_ENDPOINT`; it may have a path of its own. */
  readonly baseEndpoint: string;
  /** Its `REST_KEY`. */
  readonly restKey: string;
}

/** The rows of the on-premise service; the rest is the cloud's. Source: "On-premise API" in the service document. */
export interface OnPremiseClient extends Pick<CobrowseClient, 'listVisitors'> {
  /** Without pageviews: the document has no such query here. */
  readonly visitor: (visitorId: string) => Promise<Visitor>;
  /**
   * Never repeated, like the cloud's. The webhook, the notes and video audio are not sent: there are none here.
   *
   * @param licenseToken the cloud's; undefined where the installation is connected to the dashboard
   */
  readonly createWatchLink: (
    visitorId: string,
    request: WatchLinkRequest,
    licenseToken: string | undefined,
  ) => Promise<WatchLink>;
  close(): Promise<void>;
}

/**
 * The on-premise service below `{baseEndpoint}/api`.
 *
 * @throws TypeError where the address or the key can never work
 */
export function createOnPremiseClient(options: OnPremiseService & ConnectionOptions): OnPremiseClient {
  const { baseEndpoint, restKey } = options;
  // The key stands bare in the header, and the paths have no version. With /api an error tells which service failed.
  const service = {
    baseUrl: baseEndpoint,
    pathPrefix: '',
    authHeader: { name: 'authorization', value: restKey },
    secrets: [restKey],
  };
  const onPremise = createConnection(service, options);
  return {
    listVisitors: ({ search = '', limit }) =>
      search.trim() === '' ? latestVisitors(onPremise, limit) : searchVisitors(onPremise, search, limit),
    visitor: (visitorId) => readVisitor(onPremise, { endpoint: '/api/visitors/{visitor_id}', visitorId }),
    createWatchLink: (visitorId, request, licenseToken) => {
      const call = {
        endpoint: '/api/visitors/{visitor_id}/watch_url',
        visitorId,
        body: onPremiseWatchLinkBody(request, licenseToken, onPremise.names),
        meaningOfCode: (code: string) => (isAboutLicence(code) ? ('not-authorized' as const) : undefined),
        ...(licenseToken === undefined ? {} : { secrets: [licenseToken] }),
      };
      return askForWatchLink(onPremise, call);
    },
    close: () => onPremise.close(),
  };
}

/** The installation takes each token once, for a short time, and says so with a 403: the key is not what it refuses. */
const isAboutLicence = (code: string) => /licen[cs]e_?token/i.test(code);

/**
 * Whether another licence token may be taken. The installation answered that it issued nothing for this one, so that no
 * link is made twice: unlike an answer that is lost, after which nobody knows.
 */
export function isLicenceWornOut(error: unknown): boolean {
  if (!(error instanceof CobrowseError) || error.kind !== 'not-authorized') return false;
  const { status, code = '' } = error;
  return status === 403 && isAboutLicence(code) && /used|expired/i.test(code);
}

/**
 * The latest visitors are listed only where MongoDB is the data store. With another one an empty search gives them,
 * and how the list is refused then is not documented: whatever is neither a refused key nor a busy service.
 */
async function latestVisitors(onPremise: Connection, limit: number): Promise<readonly Visitor[]> {
  const endpoint = '/api/visitors/list/latest';
  try {
    return await readVisitors(onPremise, { method: 'GET', endpoint }, limit);
  } catch (error) {
    if (isRefused(error)) return searchVisitors(onPremise, '', limit);
    throw error;
  }
}

function isRefused(error: unknown): boolean {
  if (!(error instanceof CobrowseError) || error.status === undefined) return false;
  return error.kind === 'not-understood' || error.status === 500;
}

function searchVisitors(onPremise: Connection, search: string, limit: number): Promise<readonly Visitor[]> {
  const query = search === '' ? {} : { [onPremise.names.onPremiseSearch]: search };
  return readVisitors(onPremise, { method: 'GET', endpoint: '/api/visitors/list/search', query }, limit);
}
