import { randomUUID } from 'node:crypto';
import type { Audit, NewEntry } from '../audit/audit.ts';
import { whereAsked } from '../audit/recording.ts';
import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { WatchLink } from '../cobrowse/watch-link.ts';
import type { IssuedLink, ProxyRequest, WatchRequest } from '../messages/link-request.ts';
import { permissionsOf, RightUnknownError } from '../permissions/permissions.ts';
import type { TicketKind } from '../http/tickets.ts';
import type { AgentIdentity, Agents } from './agents.ts';
import type { Allowed } from './authorize.ts';

/** How long after the press the service may still report the session's end. */
const SESSION_END_TICKET_MS = 7 * 24 * 60 * 60 * 1_000;

/** A link to a visitor's screen that the service made: for whom, and for how long. Never the link itself. */
export interface MadeLink {
  readonly link: IssuedLink;
  readonly agent: AgentIdentity;
  /** The workspace's own account that it was made with; undefined for the operator's. */
  readonly accountId: string | undefined;
  readonly expiresAt: Date | undefined;
  /** The press that it was made for, or the answer to a question; undefined where a ticket is proof enough. */
  readonly proofId: string | undefined;
  /** What the link is recognized by where the service sends it back. */
  readonly linkHash: string;
}

/**
 * Records an audit entry together with the link that it's about and the link's card, in one write.
 * Rejects with a DatabaseError: then none of it is recorded, and no link is handed out.
 */
export type PutOnRecord = (entry: NewEntry, issued: MadeLink | undefined) => Promise<void>;

export type IssueLink = ReturnType<typeof createIssueLink>;

/** The only place where watch and proxy links are asked for. */
export function createIssueLink({
  workspaceOf,
  agentOf,
  sessionEndTickets,
  publicUrl,
  audit,
  putOnRecord,
}: {
  readonly workspaceOf: (workspaceId: string) => Promise<{
    readonly cobrowse: Pick<CobrowseClient, 'createWatchLink' | 'createProxyLink'>;
    readonly installId?: string;
    readonly ownAccountId: string | undefined;
  }>;
  readonly agentOf: Agents['agentOf'];
  /** For the address where the service posts the ended session. */
  readonly sessionEndTickets: Pick<TicketKind<IssuedLink>, 'issue'>;
  /** Undefined where the service can't reach us. */
  readonly publicUrl: string | undefined;
  readonly audit: Pick<Audit, 'record' | 'hashOf'>;
  readonly putOnRecord: PutOnRecord;
}) {
  /** A link goes out only once it's on record. */
  async function onRecord(
    action: Omit<NewEntry, 'outcome'>,
    make: () => Promise<{ readonly link: WatchLink; readonly issued?: MadeLink }>,
  ): Promise<WatchLink> {
    try {
      const { link, issued } = await make();
      const detail = issued ? { ...action.detail, agent: issued.agent.id } : action.detail;
      await putOnRecord({ ...action, outcome: 'given', detail }, issued);
      return link;
    } catch (error) {
      if (error instanceof CobrowseError) await audit.record({ ...action, outcome: error.kind });
      if (error instanceof RightUnknownError) await audit.record({ ...action, outcome: 'unchecked' });
      throw error;
    }
  }

  function watch(request: WatchRequest, known: Allowed['agent'], proofId: string | undefined) {
    const { workspaceId, userId, visitorId, access, channelId, notes, ticketUrl } = request;
    const linkId = randomUUID();
    const ticket = ticketUrl && (URL.parse(ticketUrl)?.host ?? '');
    const detail = { access, link: linkId, ticket };
    return onRecord({ ...whereAsked(request), action: 'link', visitorId, detail }, async () => {
      const agent = await agentOf(workspaceId, userId, known);
      const { cobrowse, installId, ownAccountId: accountId } = await workspaceOf(workspaceId);
      const issued: IssuedLink = { ...request, installId, linkId };
      const link = await cobrowse.createWatchLink(visitorId, {
        agent,
        webhookUrl:
          publicUrl &&
          `${publicUrl}/webhooks/session-end/${sessionEndTickets.issue(issued, SESSION_END_TICKET_MS)}`,
        permissions: permissionsOf(access),
        initialNotes: notes,
        metadata: {
          slack_link: linkId,
          slack_workspace: workspaceId,
          slack_user: userId,
          slack_channel: channelId,
        },
      });
      const made = { link: issued, agent, accountId, proofId, linkHash: link.hash() };
      return { link, issued: { ...made, expiresAt: link.expiresAt } };
    });
  }

  function proxy(request: ProxyRequest) {
    const { initialUrl, allowedDomains: only } = request.proxy;
    // The host is readable in the audit log; the whole address may hold personal details.
    const detail = { host: URL.parse(initialUrl)?.host ?? '', address: audit.hashOf(initialUrl) };
    return onRecord({ ...whereAsked(request), action: 'proxy-link', detail }, async () => {
      const { cobrowse } = await workspaceOf(request.workspaceId);
      const allowedDomains = only.length === 0 ? undefined : only;
      return { link: await cobrowse.createProxyLink({ initialUrl, allowedDomains }) };
    });
  }

  /**
   * Makes one fresh link, which is on record when the promise resolves. Rejects with a CobrowseError, a DatabaseError, or a
   * RightUnknownError where Slack doesn't say who pressed.
   *
   * @param allowed what was allowed a moment ago
   * @param proofId the press that it is made for, good for one link
   */
  return async function issueLink(
    { request, agent }: Pick<Allowed, 'request' | 'agent'>,
    proofId: string | undefined,
  ): Promise<WatchLink> {
    return 'proxy' in request ? proxy(request) : watch(request, agent, proofId);
  };
}
