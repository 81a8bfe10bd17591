import type { CobrowseClient } from './client.ts';
import type { Usage } from './schemas.ts';
import { createCloudClient } from './cloud.ts';
import type { CloudService } from './cloud.ts';
import type { ConnectionOptions } from './connection.ts';
import { CobrowseError } from './errors.ts';
import { offering } from './offering.ts';
import { createOnPremiseClient } from './on-premise.ts';
import type { OnPremiseClient, OnPremiseService } from './on-premise.ts';
import { createServiceAgent } from './service-agent.ts';
import type { WireNames } from './wire-names.ts';

/** Which services there are. Only the cloud gives licence tokens: an installation without it must be connected. */
export type CobrowseSettings = { readonly wireNames: WireNames } & (
  | { readonly cloud: CloudService; readonly onPremise: undefined }
  | { readonly cloud: CloudService; readonly onPremise: OnPremiseService & { readonly connected: boolean } }
  | { readonly cloud: undefined; readonly onPremise: OnPremiseService & { readonly connected: true } }
);

/**
 * The client for a deployment: the cloud alone; visitors and watch links on-premise, with a licence token from the
 * cloud for each link; or an on-premise installation connected to the vendor's dashboard, with or without the cloud.
 * Where there is a cloud it keeps the account: usage, agents, proxy sessions.
 *
 * @returns the client; `close` ends its connections
 * @throws TypeError where an address or a key can never work
 */
export function createCobrowse(
  { wireNames, cloud, onPremise }: CobrowseSettings,
  options: Omit<ConnectionOptions, 'wireNames' | 'dispatcher'> = {},
): CobrowseClient & { close(): Promise<void> } {
  const dispatcher = createServiceAgent();
  const connection = { ...options, wireNames, dispatcher };
  const close = () => dispatcher.close();
  if (onPremise === undefined) return { ...createCloudClient({ ...cloud, ...connection }), close };
  const installation = createOnPremiseClient({ ...onPremise, ...connection });
  const account = cloud && createCloudClient({ ...cloud, ...connection });
  return { ...joined(installation, account, onPremise.connected), close };
}

/** Beyond, there is no number: counting goes on over a list that has no pages. */
const MOST_COUNTED = 1_000;

/** Undefined where there are more than are counted, or the installation gives no list just now. */
async function countOnline({ listVisitors }: OnPremiseClient): Promise<number | undefined> {
  try {
    // Without a search the installation lists who is online. Source: GET /visitors/list/latest.
    const latest = await listVisitors({ limit: MOST_COUNTED + 1 });
    return latest.length > MOST_COUNTED
      ? undefined
      : latest.filter((visitor) => visitor.is_online !== false).length;
  } catch (error) {
    if (error instanceof CobrowseError) return undefined;
    throw error;
  }
}

/** The account's numbers, with the visitors of the installation: the cloud, which counts its own, has none of them. */
async function usageOf(installation: OnPremiseClient, account: CobrowseClient): Promise<Usage> {
  const [usage, online] = await Promise.all([account.usage(), countOnline(installation)]);
  return { ...usage, visitors: { online_now: online, last_24_hrs: undefined } };
}

/**
 * Stopping a session and deleting visitors are not offered: the on-premise document has no such rows, and the cloud's
 * would look for the id among the cloud's own visitors, where it is nobody or, worse, somebody else.
 */
function joined(
  installation: OnPremiseClient,
  account: CobrowseClient | undefined,
  connected: boolean,
): CobrowseClient {
  const authorize = connected ? undefined : account?.authorizeOnPremise;
  return offering(
    {
      usage: account && (() => usageOf(installation, account)),
      listVisitors: installation.listVisitors,
      visitor: installation.visitor,
      // A token is good for one link: two calls, so twice the time limit of one.
      createWatchLink: async (visitorId, request) => {
        const licenseToken = await authorize?.(visitorId, request.agent);
        return installation.createWatchLink(visitorId, request, licenseToken);
      },
      lookupAgent: account?.lookupAgent,
      createProxyLink: account?.createProxyLink,
      authorizeOnPremise: account?.authorizeOnPremise,
    },
    { sessionEndWebhook: false, initialNotes: false, videoAudio: false, pageviews: false },
  );
}
