import type { CobrowseClient } from '../cobrowse/client.ts';
import type { WatchLink } from '../cobrowse/watch-link.ts';
import type { SessionEndGrant, WatchGrant } from '../tickets/grant.ts';

/** Who watches, as the service counts it. The id is the same at every press: each new one costs a licence. */
export interface AgentIdentity {
  readonly id: string;
  readonly name: string;
}

interface MintParts {
  readonly cobrowse: Pick<CobrowseClient, 'createWatchLink'>;
  /** The agent a Slack user is to the service. Never rejects: a failed look-up must not keep anyone from helping. */
  readonly agentFor: (workspaceId: string, userId: string) => Promise<AgentIdentity>;
  /** Where the service is to post the ended session; undefined where we have no public address. */
  readonly sessionEndUrl: (grant: SessionEndGrant) => string | undefined;
  readonly newGrantId: () => string;
}

/** Makes one fresh watch link. Rejects with a CobrowseError. */
export type Mint = (grant: WatchGrant) => Promise<WatchLink>;

/** The only place where watch links are asked for. */
export function createMint({ cobrowse, agentFor, sessionEndUrl, newGrantId }: MintParts): Mint {
  return async function mint(grant) {
    const { workspaceId, userId, visitorId, channelId } = grant;
    const grantId = newGrantId();
    const agent = await agentFor(workspaceId, userId);
    const webhookUrl = sessionEndUrl({ ...grant, grantId });
    return cobrowse.createWatchLink(visitorId, {
      agent,
      ...(webhookUrl === undefined ? {} : { webhookUrl }),
      metadata: {
        slack_grant: grantId,
        slack_workspace: workspaceId,
        slack_user: userId,
        ...(channelId === undefined ? {} : { slack_channel: channelId }),
      },
    });
  };
}
