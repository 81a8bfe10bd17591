import type { CobrowseClient } from '../cobrowse/client.ts';
import type { WatchLink } from '../cobrowse/watch-link.ts';
import type { PressGrant, ProxyGrant, SessionEndGrant, WatchGrant } from '../grants/grant.ts';
import { lesser, permissionsOf } from '../grants/power.ts';
import type { Power } from '../grants/power.ts';

/** Who watches, as the service counts it. The id is the same at every press: each new one costs a licence. */
export interface AgentIdentity {
  readonly id: string;
  readonly name: string;
}

interface MintParts {
  readonly cobrowse: Pick<CobrowseClient, 'createWatchLink' | 'createProxyLink'>;
  /** The agent a Slack user is to the service. Never rejects: a failed look-up must not keep anyone from helping. */
  readonly agentFor: (workspaceId: string, userId: string) => Promise<AgentIdentity>;
  /** No link of this workspace may do more, whatever the button said when it was drawn. */
  readonly mostPower: (workspaceId: string) => Promise<Power>;
  /** Where the service is to post the ended session; undefined where we have no public address. */
  readonly sessionEndUrl: (grant: SessionEndGrant) => string | undefined;
  readonly newGrantId: () => string;
  /** Told of each link to a visitor's screen after it was made; returns at once. */
  readonly issued: (grant: SessionEndGrant, agent: AgentIdentity) => void;
}

/** Makes one fresh link. Rejects with a CobrowseError. */
export type Mint = (grant: PressGrant) => Promise<WatchLink>;

/** The only place where watch and proxy links are asked for. */
export function createMint(parts: MintParts): Mint {
  const { cobrowse, agentFor, mostPower, sessionEndUrl, newGrantId, issued } = parts;

  async function watch(grant: WatchGrant): Promise<WatchLink> {
    const { workspaceId, userId, visitorId, channelId, notes } = grant;
    const [agent, bound] = await Promise.all([agentFor(workspaceId, userId), mostPower(workspaceId)]);
    const grantId = newGrantId();
    const power = lesser(grant.power, bound);
    const given: SessionEndGrant = { ...grant, power, grantId };
    const webhookUrl = sessionEndUrl(given);
    const permissions = permissionsOf(power);
    const link = await cobrowse.createWatchLink(visitorId, {
      agent,
      ...(webhookUrl === undefined ? {} : { webhookUrl }),
      ...(permissions === undefined ? {} : { permissions }),
      ...(notes === undefined ? {} : { initialNotes: notes }),
      metadata: {
        slack_grant: grantId,
        slack_workspace: workspaceId,
        slack_user: userId,
        ...(channelId === undefined ? {} : { slack_channel: channelId }),
      },
    });
    issued(given, agent);
    return link;
  }

  const proxy = ({ proxy: { initialUrl, allowedDomains } }: ProxyGrant): Promise<WatchLink> =>
    cobrowse.createProxyLink({ initialUrl, ...(allowedDomains.length === 0 ? {} : { allowedDomains }) });

  return (grant) => ('proxy' in grant ? proxy(grant) : watch(grant));
}
