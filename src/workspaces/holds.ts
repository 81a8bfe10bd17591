import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { Sql, hasChanged, join, rowsOf, sql, type Database } from '../database/database.ts';
import { codesOf } from '../messages/slack-codes.ts';

/** Between two questions whether Slack accepts a token again. */
const BETWEEN_QUESTIONS_MS = 60_000;
/** The same for tokens that nothing is known against, and for those that are gone. */
const DAY_MS = 24 * 60 * 60_000;
const AT_ONCE = 20;

/** What Slack says of a workspace's token; `removed` where it says that the app is gone, `unknown` if it can't be asked. */
export type TokenAnswer = 'good' | 'refused' | 'removed' | 'unknown';

/** Whether Slack gave no new token in the place of a workspace's that ends, or of its organization's that it uses. */
const tokenLost = (how: Sql): Sql => sql`EXISTS (SELECT 1 FROM workspaces AS owner
  WHERE owner.id = CASE WHEN workspaces.bot_token IS NULL THEN workspaces.organization_id ELSE workspaces.id END
    AND owner.bot_token IS NOT NULL AND owner.token_ends_at IS NOT NULL AND owner.refresh_token IS NULL AND ${how})`;

/** Whatever Slack says of the old one, the app has to be installed again. */
export const mustReinstall: Sql = tokenLost(sql`1 = 1`);

/** Slack may have given one in an answer that we didn't get. Then the old one, if it's taken back, says nothing about the app. */
const answerLost: Sql = tokenLost(sql`owner.refreshing_until IS NOT NULL`);

export const holdWorkspace = (workspaceId: string, reason: string, time: number): Sql =>
  sql`INSERT INTO workspaces (id, installed_at, held_until, held_reason, version)
    VALUES (${workspaceId}, ${time}, ${time + BETWEEN_QUESTIONS_MS}, ${reason}, 1)
    ON CONFLICT (id) DO UPDATE SET held_until = excluded.held_until, held_reason = excluded.held_reason
    WHERE workspaces.gone_at IS NULL`;

export const holdUnlessHeld = (workspaceId: string, time: number): Sql =>
  sql`UPDATE workspaces SET held_until = ${time + BETWEEN_QUESTIONS_MS}, held_reason = NULL
    WHERE id = ${workspaceId} AND held_until IS NULL`;

/** What is left of a workspace is removed this long after the app was. */
const KEPT_MS = 14 * DAY_MS;

/** Also where the app was taken for removed. */
export const liftHold = (workspaceId: string): Sql =>
  sql`UPDATE workspaces SET held_until = NULL, gone_at = NULL
    WHERE id = ${workspaceId} AND held_until IS NOT NULL AND NOT ${mustReinstall}`;

/** Whether a workspace is on hold: nothing is posted, looked up or counted for it. @param workspaceId the column that names it */
export const isOnHold = (workspaceId: Sql): Sql =>
  sql`EXISTS (SELECT 1 FROM workspaces WHERE workspaces.id = ${workspaceId} AND held_until IS NOT NULL)`;

const isAskedOften = sql`held_until IS NOT NULL AND gone_at IS NULL`;

export const refusedTokens: Sql = sql`SELECT COUNT(*) AS count FROM workspaces WHERE ${isAskedOften}
  AND (held_reason IS NULL OR held_reason NOT IN (${join(codesOf('migrating'))}))`;

/** When somebody's token is next due to be asked about. See the outbox's `Job.nextRun`. */
export const firstToken: Sql = sql`SELECT at FROM (SELECT MIN(held_until) AS at FROM workspaces WHERE ${isAskedOften}
  UNION ALL SELECT MIN(check_at) AS at FROM workspaces) AS next WHERE at IS NOT NULL ORDER BY at LIMIT 1`;

export const WorkspaceId = z.object({ id: z.string() });

/** A workspace whose own token is refused goes on with its organization's, if that gave it the app. */
export const useOrganizations = (which: Sql): Sql =>
  sql`UPDATE workspaces SET bot_token = NULL, refresh_token = NULL, token_ends_at = NULL, held_until = NULL,
      held_reason = NULL, gone_at = NULL, version = version + 1
    WHERE ${which} AND COALESCE(organization_id, id) <> id`;

function takeForGone(id: string, time: number, answer: TokenAnswer): readonly Sql[] {
  const isHeld = sql`id = ${id} AND gone_at IS NULL AND held_until IS NOT NULL`;
  return [
    useOrganizations(sql`${isHeld} AND bot_token IS NOT NULL`),
    sql`UPDATE workspaces SET gone_at = ${time}, check_at = ${time + DAY_MS}
      WHERE ${isHeld} AND install_id IS NOT NULL AND ${answer === 'removed' ? sql`1 = 1` : sql`NOT ${answerLost}`}`,
  ];
}

/** Takes a workspace's secrets away for good and has all else of it removed. Nothing can be done for it from then on. */
export const markForPurge = (condition: Sql): Sql =>
  sql`UPDATE workspaces SET purging = 1, bot_token = NULL, refresh_token = NULL, data_key = NULL, check_at = NULL,
      version = version + 1
    WHERE ${condition} AND install_id IS NOT NULL`;

interface HoldsParts {
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly ask: (workspaceId: string) => Promise<TokenAnswer>;
  /** Called with a workspace that is gone or back. */
  readonly changed: (workspaceId: string) => void;
  readonly now: () => number;
}

/** Events about a removal come late, twice or never, so Slack is asked: a second refusal, a minute later, says that it's gone. */
export function createHolds({ database, ask, changed, now }: HoldsParts) {
  async function settle(id: string, wasRefused: boolean): Promise<void> {
    const answer = await ask(id);
    if (answer === 'unknown') return;
    const time = now();
    const refused = wasRefused ? takeForGone(id, time, answer) : [holdUnlessHeld(id, time)];
    const isOver = sql`id = ${id} AND gone_at <= ${time - KEPT_MS}`;
    const written = await database.write(
      ...(answer === 'good' ? [liftHold(id)] : [...refused, markForPurge(isOver)]),
    );
    if (written.some(hasChanged)) changed(id);
  }

  return {
    /** Those on hold whose minute is over, and some of those whose day is, one process each. */
    askWhoIsDue: async (): Promise<void> => {
      const time = now();
      const [held, daily] = await database.write(
        sql`UPDATE workspaces SET held_until = ${time + BETWEEN_QUESTIONS_MS}
          WHERE ${isAskedOften} AND held_until <= ${time} RETURNING id`,
        sql`UPDATE workspaces SET check_at = ${time + DAY_MS} WHERE id IN
            (SELECT id FROM workspaces WHERE check_at <= ${time} ORDER BY check_at LIMIT ${AT_ONCE}) RETURNING id`,
      );
      await Promise.all([
        ...rowsOf(held, WorkspaceId).map(({ id }) => settle(id, true)),
        ...rowsOf(daily, WorkspaceId).map(({ id }) => settle(id, false)),
      ]);
    },
    /** With an organization's, those that use its token. */
    markUncertain: async (doubtedId: string): Promise<void> => {
      const all = await database.read(
        sql`SELECT id FROM workspaces WHERE id = ${doubtedId} OR (organization_id = ${doubtedId} AND bot_token IS NULL)`,
        WorkspaceId,
      );
      await Promise.all(all.map(({ id }) => settle(id, false)));
    },
  };
}

/** Every table with rows of workspaces, and what names a row there within its workspace. */
const TABLES = {
  settings: 'name',
  service_accounts: 'version',
  webhook_addresses: 'id',
  webhook_messages: 'id',
  subscriptions: 'number',
  subscription_numbers: 'last',
  online_requests: 'visitor_id, user_id',
  asks: 'visitor_id, asked_id',
  visitor_claims: 'visitor_id',
  waits: 'visitor_id, channel_id',
  greetings: 'user_id',
  watch_links: 'id',
  agent_looks: 'user_id, agent_id',
  agents: 'account_id, user_id',
  session_ends: 'id',
  session_owners: 'session_id',
  follow_ups: 'session_end_id',
  stops: 'visitor_id, at, user_id',
  deliveries: 'id',
  channels: 'channel_id',
  presses: 'id',
  press_acts: 'press_key',
  ticket_uses: 'ticket_id',
  lost_presses: 'user_id',
  claims: 'name',
  audit: 'id',
} as const;

/** Few enough that other writers don't notice. */
const STEP = 500;
const BETWEEN_STEPS_MS = 50;

/** Table and column names are ours, so they need no escaping. */
function removeSome([table, key]: readonly [string, string], workspaceId: string): Sql {
  return new Sql(
    [
      `DELETE FROM ${table} WHERE workspace_id = `,
      ` AND (${key}) IN (SELECT ${key} FROM ${table} WHERE workspace_id = `,
      ` LIMIT ${STEP})`,
    ],
    [workspaceId, workspaceId],
  );
}

interface PurgeParts {
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly purged: (workspaceId: string) => void;
  readonly report: (error: unknown) => void;
}

/** A workspace's own row goes last, once a round found nothing more: what was under way may have written something. */
export function createPurge({ database, purged, report }: PurgeParts) {
  async function removeAllOf(workspaceId: string, stopping: AbortSignal): Promise<number> {
    let all = 0;
    for (const table of Object.entries(TABLES))
      for (let removed = STEP; removed === STEP && !stopping.aborted; all += removed) {
        const [written] = await database.write(removeSome(table, workspaceId));
        removed = written?.changed ?? 0;
        if (removed > 0)
          await pause(BETWEEN_STEPS_MS, undefined, { signal: stopping }).catch(() => undefined);
      }
    return all;
  }

  return async function round(stopping: AbortSignal): Promise<void> {
    try {
      const all = await database.read(sql`SELECT id FROM workspaces WHERE purging = 1`, WorkspaceId);
      for (const { id } of all) {
        const removed = await removeAllOf(id, stopping);
        if (stopping.aborted || removed > 0) continue;
        await database.write(sql`DELETE FROM workspaces WHERE id = ${id} AND purging = 1`);
        purged(id);
      }
    } catch (error) {
      report(error);
    }
  };
}
