import type { CobrowseClient } from './client.ts';
import { createCloudClient } from './cloud.ts';
import type { CloudService } from './cloud.ts';
import type { ConnectionOptions } from './connection.ts';
import { offering } from './offering.ts';
import { createOnPremiseClient, isLicenceWornOut } from './on-premise.ts';
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
  // A token is good for one link: two calls, so twice the time limit of one.
  const createWatchLink: CobrowseClient['createWatchLink'] = async (visitorId, request) => {
    const licenseToken = await authorize?.(visitorId, request.agent);
    return installation.createWatchLink(visitorId, request, licenseToken);
  };
  return offering(
    {
      usage: account?.usage,
      listVisitors: installation.listVisitors,
      visitor: installation.visitor,
      createWatchLink: (visitorId, request) =>
        createWatchLink(visitorId, request).catch((error: unknown) => {
          if (authorize !== undefined && isLicenceWornOut(error)) return createWatchLink(visitorId, request);
          throw error;
        }),
      lookupAgent: account?.lookupAgent,
      createProxyLink: account?.createProxyLink,
      authorizeOnPremise: account?.authorizeOnPremise,
    },
    { sessionEndWebhook: false, initialNotes: false, videoAudio: false, pageviews: false },
  );
}
