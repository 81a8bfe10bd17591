import { z } from 'zod';
import { whereAsked } from '../audit/recording.ts';
import { sql } from '../database/database.ts';
import { DatabaseError } from '../database/errors.ts';
import { rowOf } from '../database/row.ts';
import type { LinkRequest } from '../messages/link-request.ts';
import { idNow } from '../outbox/channels.ts';
import { lesser, RightUnknownError, type Rules } from '../permissions/permissions.ts';
import type { App } from '../parts.ts';
import { IN_USE_MS, linkUnderWay } from '../sessions/watch-links.ts';
import { rulesIn, settingOf, settingText, settingsFrom } from '../workspaces/settings.ts';
import { KnownAgent, selectAgent } from './agents.ts';
import { isBlocked, isNoticed } from './unconfirmed-presses.ts';
import { lacking, type PressRefusal } from './press-refusals.ts';

/** Where Slack takes this long to answer, an admin may allow less meanwhile, or somebody else be given a link. */
const LONG_MS = 2_000;
/** For this long after a link went out, the next person is asked whether to join. */
const RECENT_MS = 30 * 60 * 1_000;
const MAY_WATCH = settingOf('watch');
const MAX_ACCESS = 'maxAccess';

/** A request that was allowed a moment ago, with what the tables said then. */
export interface Allowed {
  /** With no more access than admins allow, whatever the button said when it was drawn. */
  readonly request: LinkRequest;
  /** Who asks, as the service knows them; undefined where that hasn't been looked up yet. */
  readonly agent: KnownAgent | undefined;
  /**
   * A link to the same screen whose session may still run: one of their own, or the latest that somebody else was given a
   * short while ago.
   */
  readonly underWay: { readonly userId: string; readonly at: number } | undefined;
  /** Whether their Slack may not report presses. */
  readonly losesPresses: boolean;
  /** Whether the button's address was opened too often. */
  readonly isBlocked: boolean;
}

/** Whether somebody may have the link they ask for. */
export type Decision = { readonly refused: PressRefusal } | { readonly allowed: Allowed };

export type Authorizer = ReturnType<typeof createAuthorizer>;

const Row = z.looseObject({
  rule: z.string().nullable(),
  max_access: z.string().nullable(),
  channel_id: z.string().nullable(),
  loses_presses: z.number(),
  is_blocked: z.number(),
});
const UnderWay = rowOf({ holderId: z.string(), openedAt: z.number() });

/** Says whether somebody may have a link now. A refusal is on record when the promise resolves. */
export function createAuthorizer({
  database,
  workspaceOf,
  checkRule,
  record: recordEntry,
  now,
  elapsed,
  report,
}: Pick<App, 'checkRule' | 'record' | 'now' | 'elapsed'> & {
  readonly database: Pick<App['database'], 'read'>;
  readonly workspaceOf: (
    workspaceId: string,
  ) => Promise<{ readonly accountId: string; readonly defaults: { readonly rules: Rules } }>;
  /** Called where Slack couldn't be asked. */
  readonly report: (error: unknown) => void;
}) {
  /** All that a link depends on, in one read: two of them are in the way of every press. */
  async function read(request: LinkRequest, ticket: string) {
    const { workspaceId, userId, channelId } = request;
    const isAsked = 'visitorId' in request && request.isAsked === true;
    const { accountId, defaults } = await workspaceOf(workspaceId);
    const channelNow = channelId === undefined ? sql`CAST(NULL AS TEXT)` : idNow({ workspaceId, channelId });
    // A proxy session shows no visitor's screen.
    const visitorId = 'visitorId' in request ? request.visitorId : '';
    // Whoever was asked is expected there.
    const others = isAsked ? Number.MAX_SAFE_INTEGER : now() - RECENT_MS;
    const since = { own: now() - IN_USE_MS, others };
    const [row] = await database.read(
      sql`SELECT ${settingText(workspaceId, MAY_WATCH)} AS rule, ${settingText(workspaceId, MAX_ACCESS)} AS max_access,
          ${channelNow} AS channel_id, CASE WHEN ${isNoticed({ workspaceId, userId })} THEN 1 ELSE 0 END AS loses_presses,
          CASE WHEN ${isBlocked({ workspaceId, ticket })} THEN 1 ELSE 0 END AS is_blocked,
          agent.agent_id, agent.name, agent.email, agent.checked_at,
          link.user_id AS holder_id, link.issued_at AS opened_at
        FROM (SELECT 1 AS one) AS asked
          LEFT JOIN (${selectAgent({ accountId, workspaceId, userId })}) AS agent ON 1 = 1
          LEFT JOIN (${linkUnderWay({ workspaceId, visitorId, userId }, since)}) AS link ON 1 = 1`,
      Row,
    );
    if (row === undefined) throw new DatabaseError('corrupt');
    const stored = [[MAY_WATCH, row.rule] as const, [MAX_ACCESS, row.max_access] as const];
    const settings = settingsFrom(new Map(stored));
    const underWay = UnderWay.safeParse(row).data;
    const allowed: Allowed = {
      request:
        'proxy' in request ? request : { ...request, access: lesser(request.access, settings.maxAccess) },
      agent: KnownAgent.safeParse(row).data,
      underWay: underWay && { userId: underWay.holderId, at: underWay.openedAt },
      losesPresses: row.loses_presses === 1,
      isBlocked: row.is_blocked === 1,
    };
    return {
      allowed,
      rule: rulesIn(settings, defaults.rules).watch,
      actor: { workspaceId, userId, channelId: isAsked ? undefined : (row.channel_id ?? undefined) },
    };
  }

  async function decide(request: LinkRequest, ticket: string): Promise<Decision> {
    const { allowed, rule, actor } = await read(request, ticket);
    try {
      const verdict = await checkRule(rule, actor);
      return verdict.allowed ? { allowed } : { refused: verdict.why };
    } catch (error) {
      if (!(error instanceof RightUnknownError)) throw error;
      report(error);
      return { refused: lacking(error.missingScope) };
    }
  }

  /** `address-worn`: the address opens nothing any more, so somebody may have copied it. */
  async function record(request: LinkRequest, outcome: PressRefusal | 'address-worn'): Promise<void> {
    const visitorId = 'visitorId' in request ? request.visitorId : undefined;
    const detail = { act: 'watch' };
    await recordEntry({ ...whereAsked(request), action: 'refusal', outcome, visitorId, detail });
  }

  /** Refuses without a question to Slack. */
  async function refuse(request: LinkRequest, refused: PressRefusal): Promise<Decision> {
    await record(request, refused);
    return { refused };
  }

  return {
    record,
    refuse,
    /**
     * By what the tables say now, and Slack at most five seconds ago; without an answer from Slack they may not. Rejects with
     * a DatabaseError.
     *
     * @param ticket of the address that was opened, where one was
     */
    async watch(request: LinkRequest, ticket = ''): Promise<Decision> {
      const startedAt = elapsed();
      const first = await decide(request, ticket);
      const isOld = 'allowed' in first && elapsed() - startedAt >= LONG_MS;
      const decision = isOld ? await decide(request, ticket) : first;
      return 'refused' in decision ? refuse(request, decision.refused) : decision;
    },
  };
}
