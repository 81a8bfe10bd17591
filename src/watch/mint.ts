import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { WatchLink } from '../cobrowse/watch-link.ts';
import type { PressGrant, ProxyGrant, SessionEndGrant, WatchGrant } from '../grants/grant.ts';
import { lesser, permissionsOf } from '../grants/power.ts';
import type { Power } from '../grants/power.ts';
import type { NewEntry, Audit } from '../audit/audit.ts';
import type { AgentIdentity, Agents } from './agents.ts';

/** A link to a visitor's screen that the service made: for whom, and for how long. Never the link itself. */
export interface Issued {
  readonly grant: SessionEndGrant;
  readonly agent: AgentIdentity;
  readonly expiresAt: Date | undefined;
}

/**
 * Puts an audit entry on record together with what it tells of: the link, the look for its end and its card, in one write.
 * Rejects with a DatabaseError: then nothing of it is, and no link is handed out.
 */
export type PutOnRecord = (entry: NewEntry, issued: Issued | undefined) => Promise<void>;

interface MintParts {
  readonly cobrowse: Pick<CobrowseClient, 'createWatchLink' | 'createProxyLink'>;
  readonly agentOf: Agents['agentOf'];
  /** No link of this workspace may do more, whatever the button said when it was drawn. */
  readonly mostPower: (workspaceId: string) => Promise<Power>;
  /** Where the service is to post the ended session; undefined where we have no public address. */
  readonly sessionEndUrl: (grant: SessionEndGrant) => string | undefined;
  readonly newGrantId: () => string;
  readonly audit: Pick<Audit, 'record' | 'hashOf'>;
  readonly putOnRecord: PutOnRecord;
}

interface Made {
  readonly link: WatchLink;
  /** What is known only now, for the record. */
  readonly about?: Pick<NewEntry, 'detail'>;
  readonly issued?: Issued;
}

/** Makes one fresh link, which is on record when the promise resolves. Rejects with a CobrowseError, or a DatabaseError. */
export type Mint = (grant: PressGrant) => Promise<WatchLink>;

/** The only place where watch and proxy links are asked for. */
export function createMint(parts: MintParts): Mint {
  const { cobrowse, agentOf, mostPower, sessionEndUrl, newGrantId, audit, putOnRecord } = parts;

  /** Nobody is given what is not on record. */
  async function onRecord(action: Omit<NewEntry, 'outcome'>, make: () => Promise<Made>): Promise<WatchLink> {
    try {
      const { link, about, issued } = await make();
      await putOnRecord({ ...action, outcome: 'given', ...about }, issued);
      return link;
    } catch (error) {
      if (error instanceof CobrowseError) await audit.record({ ...action, outcome: error.kind });
      throw error;
    }
  }

  async function watch(grant: WatchGrant): Promise<WatchLink> {
    const { workspaceId, userId, visitorId, channelId, notes } = grant;
    const bound = await mostPower(workspaceId);
    const grantId = newGrantId();
    const power = lesser(grant.power, bound);
    const given: SessionEndGrant = { ...grant, power, grantId };
    const webhookUrl = sessionEndUrl(given);
    const permissions = permissionsOf(power);
    const place = channelId === undefined ? {} : { channelId };
    const detail = { power, grant: grantId };
    const action = { workspaceId, userId, action: 'link', ...place, visitorId, detail } as const;
    return onRecord(action, async () => {
      const agent = await agentOf(workspaceId, userId);
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
      return {
        link,
        about: { detail: { ...detail, agent: agent.id } },
        issued: { grant: given, agent, expiresAt: link.expiresAt },
      };
    });
  }

  function proxy({ workspaceId, userId, channelId, proxy: wanted }: ProxyGrant): Promise<WatchLink> {
    const { initialUrl, allowedDomains } = wanted;
    const place = channelId === undefined ? {} : { channelId };
    // The host in the clear, for whoever reads the audit; the whole address may hold what is nobody's business.
    const detail = { host: URL.parse(initialUrl)?.host ?? '', address: audit.hashOf(initialUrl) };
    return onRecord({ workspaceId, userId, action: 'proxy-link', ...place, detail }, async () => ({
      link: await cobrowse.createProxyLink({
        initialUrl,
        ...(allowedDomains.length === 0 ? {} : { allowedDomains }),
      }),
    }));
  }

  return (grant) => ('proxy' in grant ? proxy(grant) : watch(grant));
}
