import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { NewEntry } from '../audit/audit.ts';
import { whereAsked } from '../audit/recording.ts';
import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { WatchLink } from '../cobrowse/watch-link.ts';
import { DatabaseError, rowOf, sql } from '../database/database.ts';
import type { TicketKind } from '../http/tickets.ts';
import type { IssuedLink, LinkRequest, ProxyRequest, WatchRequest } from '../messages/link-request.ts';
import { lesser, permissionsOf, RightUnknownError } from '../permissions/permissions.ts';
import type { App } from '../parts.ts';
import { IN_USE_MS, linkUnderWay, type MadeLink } from '../sessions/watch-links.ts';
import { rulesIn, settingOf, settingText, settingsFrom } from '../workspaces/settings.ts';
import type { Workspace } from '../workspaces/workspaces.ts';
import type { Agents } from './agents.ts';
import type { PressRefusal } from './pages.ts';
import { isBlocked, isNoticed } from './unconfirmed-presses.ts';

/** If Slack takes this long to answer, an admin may allow less meanwhile, or somebody else be given a link. */
const LONG_MS = 2_000;
/** For this long after a link went out, the next person is asked whether to join. */
const RECENT_MS = 30 * 60 * 1_000;
/** How long after the press the service may still report the session's end. */
const SESSION_END_TICKET_MS = 7 * 24 * 60 * 60 * 1_000;
const MAY_WATCH = settingOf('watch');
const MAX_ACCESS = 'maxAccess';

export interface Allowed {
  /** With no more access than admins allow now, whatever the button said. */
  readonly request: LinkRequest;
  /** A link to the same screen whose session may still run: one of their own, or somebody else's latest, if it's recent. */
  readonly underWay: { readonly userId: string; readonly at: number } | undefined;
  /** Whether their Slack may not report presses. */
  readonly losesPresses: boolean;
  /** Whether the button's address was opened too often. */
  readonly isBlocked: boolean;
}

export type Decision = { readonly refused: PressRefusal } | { readonly allowed: Allowed };

export type Authorizer = ReturnType<typeof createAuthorizer>;

const Row = rowOf({
  rule: z.string().optional(),
  maxAccess: z.string().optional(),
  losesPresses: z.number(),
  isBlocked: z.number(),
  holderId: z.string().optional(),
  openedAt: z.number().default(0),
});

type AuthorizerParts = Pick<App, 'database' | 'checkRule' | 'record' | 'now' | 'elapsed'>;
type Defaults = Pick<Workspace, 'defaults'>;

/** What the tables say about a request. */
async function read(app: AuthorizerParts, { defaults }: Defaults, request: LinkRequest, ticket: string) {
  const { workspaceId, userId, channelId } = request;
  const isAsked = 'visitorId' in request && request.isAsked === true;
  // A proxy session shows no visitor's screen.
  const visitorId = 'visitorId' in request ? request.visitorId : '';
  // Whoever was asked is expected there.
  const others = isAsked ? Number.MAX_SAFE_INTEGER : app.now() - RECENT_MS;
  const since = { own: app.now() - IN_USE_MS, others };
  const [row] = await app.database.read(
    sql`SELECT ${settingText(workspaceId, MAY_WATCH)} AS rule, ${settingText(workspaceId, MAX_ACCESS)} AS max_access,
        CASE WHEN ${isNoticed({ workspaceId, userId })} THEN 1 ELSE 0 END AS loses_presses,
        CASE WHEN ${isBlocked({ workspaceId, ticket })} THEN 1 ELSE 0 END AS is_blocked,
        link.user_id AS holder_id, link.issued_at AS opened_at
      FROM (SELECT 1 AS one) AS asked
        LEFT JOIN (${linkUnderWay({ workspaceId, visitorId, userId }, since)}) AS link ON 1 = 1`,
    Row,
  );
  if (row === undefined) throw new DatabaseError('corrupt');
  const { rule = null, maxAccess = null, holderId } = row;
  // Of these two alone: any other setting has its default here.
  const stored = [[MAY_WATCH, rule] as const, [MAX_ACCESS, maxAccess] as const];
  const settings = settingsFrom(new Map(stored));
  const watchRule = rulesIn(settings, defaults.rules).watch;
  const allowed: Allowed = {
    request:
      'proxy' in request ? request : { ...request, access: lesser(request.access, settings.maxAccess) },
    underWay: holderId === undefined ? undefined : { userId: holderId, at: row.openedAt },
    losesPresses: row.losesPresses === 1,
    isBlocked: row.isBlocked === 1,
  };
  return {
    allowed,
    rule: watchRule,
    actor: { workspaceId, userId, channelId: isAsked ? undefined : channelId },
  };
}

/** A refusal is on record when the promise resolves. @param report called where Slack couldn't be asked */
export function createAuthorizer(app: AuthorizerParts, report: (error: unknown) => void) {
  async function decide(workspace: Defaults, request: LinkRequest, ticket: string): Promise<Decision> {
    const { allowed, rule, actor } = await read(app, workspace, request, ticket);
    try {
      const verdict = await app.checkRule(rule, actor);
      return verdict.allowed ? { allowed } : { refused: verdict.why };
    } catch (error) {
      if (!(error instanceof RightUnknownError)) throw error;
      report(error);
      return { refused: 'unchecked' };
    }
  }

  /** `address-worn`: the address opens nothing any more, so somebody may have copied it. */
  async function record(request: LinkRequest, outcome: PressRefusal | 'address-worn'): Promise<void> {
    const visitorId = 'visitorId' in request ? request.visitorId : undefined;
    const detail = { act: 'watch' };
    await app.record({ ...whereAsked(request), action: 'refusal', outcome, visitorId, detail });
  }

  async function refuse(request: LinkRequest, refused: PressRefusal): Promise<Decision> {
    await record(request, refused);
    return { refused };
  }

  return {
    record,
    refuse,
    /**
     * By what the tables say now, and Slack at most five seconds ago; without an answer from Slack they may not. `ticket` is
     * that of the opened address. Rejects with a DatabaseError.
     */
    async watch(workspace: Defaults, request: LinkRequest, ticket = ''): Promise<Decision> {
      const startedAt = app.elapsed();
      const first = await decide(workspace, request, ticket);
      const isOld = 'allowed' in first && app.elapsed() - startedAt >= LONG_MS;
      const decision = isOld ? await decide(workspace, request, ticket) : first;
      return 'refused' in decision ? refuse(request, decision.refused) : decision;
    },
  };
}

interface IssuingParts {
  readonly agentOf: Agents['agentOf'];
  /** For the address where the service posts the ended session. */
  readonly sessionEndTickets: Pick<TicketKind<IssuedLink>, 'issue'>;
  /** One write for entry, link and card. Rejects with a DatabaseError: then nothing is recorded, and no link handed out. */
  readonly recordIssuedLink: (
    workspace: LinkMaker,
    entry: NewEntry,
    made: MadeLink | undefined,
  ) => Promise<void>;
}

/** A workspace, as far as it's needed here. */
type LinkMaker = Parameters<Agents['agentOf']>[0] &
  Pick<Workspace, 'installId' | 'ownAccountId' | 'endSource'> & {
    readonly cobrowse: Pick<CobrowseClient, 'createWatchLink' | 'createProxyLink'>;
  };

export type IssueLink = ReturnType<typeof createIssueLink>;

/** The only place where watch and proxy links are asked for. */
export function createIssueLink(
  app: Pick<App, 'publicUrl' | 'now'> & { readonly audit: Pick<App['audit'], 'record' | 'hashOf'> },
  { agentOf, sessionEndTickets, recordIssuedLink }: IssuingParts,
) {
  const { publicUrl, audit } = app;

  /** A link goes out only once it's on record. */
  async function onRecord(
    workspace: LinkMaker,
    action: Omit<NewEntry, 'outcome'>,
    make: () => Promise<{ readonly link: WatchLink; readonly made?: MadeLink }>,
  ): Promise<WatchLink> {
    try {
      const { link, made } = await make();
      const detail = made ? { ...action.detail, agent: made.agentId } : action.detail;
      await recordIssuedLink(workspace, { ...action, outcome: 'given', detail }, made);
      return link;
    } catch (error) {
      if (error instanceof CobrowseError) await audit.record({ ...action, outcome: error.kind });
      if (error instanceof RightUnknownError) await audit.record({ ...action, outcome: 'unchecked' });
      throw error;
    }
  }

  function watch(workspace: LinkMaker, request: WatchRequest, proofId: string | undefined) {
    const { cobrowse, installId, ownAccountId: accountId } = workspace;
    const { workspaceId, userId, visitorId, access, channelId, notes, ticketUrl } = request;
    const linkId = randomUUID();
    const ticket = ticketUrl && (URL.parse(ticketUrl)?.host ?? '');
    const detail = { access, link: linkId, ticket };
    return onRecord(workspace, { ...whereAsked(request), action: 'link', visitorId, detail }, async () => {
      const agent = await agentOf(workspace, userId);
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
      const expiresAt = link.expiresAt?.getTime();
      const known = { agentId: agent.id, agentName: agent.name, accountId, expiresAt, linkHash: link.hash() };
      return { link, made: { ...known, link: issued, issuedAt: app.now(), proofId } };
    });
  }

  function proxy(workspace: LinkMaker, request: ProxyRequest) {
    const { initialUrl, allowedDomains: only } = request.proxy;
    // The host is readable in the audit log; the whole address may hold personal details.
    const detail = { host: URL.parse(initialUrl)?.host ?? '', address: audit.hashOf(initialUrl) };
    return onRecord(workspace, { ...whereAsked(request), action: 'proxy-link', detail }, async () => {
      const allowedDomains = only.length === 0 ? undefined : only;
      return { link: await workspace.cobrowse.createProxyLink({ initialUrl, allowedDomains }) };
    });
  }

  /**
   * Makes a fresh link for a `request` allowed a moment ago; it's on record when the promise resolves. `proofId` is good
   * for one link. Rejects with a CobrowseError, a DatabaseError, or a RightUnknownError where Slack doesn't say who pressed.
   */
  return async (
    workspace: LinkMaker,
    request: LinkRequest,
    proofId: string | undefined,
  ): Promise<WatchLink> =>
    'proxy' in request ? proxy(workspace, request) : watch(workspace, request, proofId);
}
