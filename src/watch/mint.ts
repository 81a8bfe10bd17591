import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { WatchLink } from '../cobrowse/watch-link.ts';
import type { PressGrant, ProxyGrant, SessionEndGrant, WatchGrant } from '../grants/grant.ts';
import { lesser, permissionsOf } from '../grants/power.ts';
import type { Power } from '../grants/power.ts';
import type { NewEntry, Audit } from '../audit/audit.ts';

/** Who watches, as the service counts it. The id is the same at every press: each new one costs a licence. */
export interface AgentIdentity {
  readonly id: string;
  readonly name: string;
}

/** Remembers a link that was made, never the link itself. Never rejects: what fails here must not keep anyone from helping. */
export type Issued = (
  grant: SessionEndGrant,
  agent: AgentIdentity,
  expiresAt: Date | undefined,
) => Promise<void>;

interface MintParts {
  readonly cobrowse: Pick<CobrowseClient, 'createWatchLink' | 'createProxyLink'>;
  /** The agent a Slack user is to the service. Never rejects: a failed look-up must not keep anyone from helping. */
  readonly agentFor: (workspaceId: string, userId: string) => Promise<AgentIdentity>;
  /** No link of this workspace may do more, whatever the button said when it was drawn. */
  readonly mostPower: (workspaceId: string) => Promise<Power>;
  /** Where the service is to post the ended session; undefined where we have no public address. */
  readonly sessionEndUrl: (grant: SessionEndGrant) => string | undefined;
  readonly newGrantId: () => string;
  readonly audit: Pick<Audit, 'record'>;
  /** Told of each link to a visitor's screen after it was made. The link is handed out when this has resolved. */
  readonly issued: Issued;
}

/** Makes one fresh link, which is on record when the promise resolves. Rejects with a CobrowseError, or a DatabaseError. */
export type Mint = (grant: PressGrant) => Promise<WatchLink>;

/** The only place where watch and proxy links are asked for. */
export function createMint(parts: MintParts): Mint {
  const { cobrowse, agentFor, mostPower, sessionEndUrl, newGrantId, audit, issued } = parts;

  /** Nobody is given what is not on record. */
  async function onRecord(
    action: Omit<NewEntry, 'outcome'>,
    make: () => Promise<WatchLink>,
    remember?: (link: WatchLink) => Promise<void>,
  ): Promise<WatchLink> {
    try {
      const link = await make();
      // Both at once, so that they cost one wait for the disk.
      await Promise.all([audit.record({ ...action, outcome: 'given' }), remember?.(link)]);
      return link;
    } catch (error) {
      if (error instanceof CobrowseError) await audit.record({ ...action, outcome: error.kind });
      throw error;
    }
  }

  async function watch(grant: WatchGrant): Promise<WatchLink> {
    const { workspaceId, userId, visitorId, channelId, notes } = grant;
    const [agent, bound] = await Promise.all([agentFor(workspaceId, userId), mostPower(workspaceId)]);
    const grantId = newGrantId();
    const power = lesser(grant.power, bound);
    const given: SessionEndGrant = { ...grant, power, grantId };
    const webhookUrl = sessionEndUrl(given);
    const permissions = permissionsOf(power);
    const place = channelId === undefined ? {} : { channelId };
    const detail = { power, grant: grantId };
    const action = { workspaceId, userId, action: 'link', ...place, visitorId, detail } as const;
    const make = () =>
      cobrowse.createWatchLink(visitorId, {
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
    return onRecord(action, make, (link) => issued(given, agent, link.expiresAt));
  }

  function proxy({ workspaceId, userId, channelId, proxy: wanted }: ProxyGrant): Promise<WatchLink> {
    const { initialUrl, allowedDomains } = wanted;
    const place = channelId === undefined ? {} : { channelId };
    return onRecord({ workspaceId, userId, action: 'proxy-link', ...place }, () =>
      cobrowse.createProxyLink({ initialUrl, ...(allowedDomains.length === 0 ? {} : { allowedDomains }) }),
    );
  }

  return (grant) => ('proxy' in grant ? proxy(grant) : watch(grant));
}
