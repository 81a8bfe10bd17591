import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { Sql, sql, type Database } from '../database/database.ts';

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

/** Removes some rows of a workspace. The names are ours. */
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

/** Takes a workspace's secrets away for good and has all else of it removed. Nothing can be done for it from then on. */
export const markForPurge = (condition: Sql): Sql =>
  sql`UPDATE workspaces SET purging = 1, bot_token = NULL, data_key = NULL, check_at = NULL, version = version + 1
    WHERE ${condition} AND install_id IS NOT NULL`;

const Id = z.object({ id: z.string() });

/**
 * Removes everything of the workspaces that are to be purged, from every table, some rows at a time. A workspace's row goes
 * last, once a whole round found nothing more of it: what was under way may have written something meanwhile.
 *
 * @param databases what is durable first; the other is what this process keeps in memory
 * @param purged called with each that is gone
 * @param report called with what failed; it's tried again in the next round
 */
export function createPurge({
  databases: [database, momentary],
  purged,
  report,
}: {
  readonly databases: readonly [Pick<Database, 'read' | 'write'>, Pick<Database, 'write'>];
  readonly purged: (workspaceId: string) => void;
  readonly report: (error: unknown) => void;
}): (stopping: AbortSignal) => Promise<void> {
  async function removeAllOf(workspaceId: string, stopping: AbortSignal): Promise<number> {
    let all = 0;
    // The same one where several processes share it.
    for (const one of new Set<Pick<Database, 'write'>>([database, momentary]))
      for (const table of Object.entries(TABLES))
        for (let removed = STEP; removed === STEP && !stopping.aborted; all += removed) {
          const [written] = await one.write(removeSome(table, workspaceId));
          removed = written?.changed ?? 0;
          if (removed > 0)
            await pause(BETWEEN_STEPS_MS, undefined, { signal: stopping }).catch(() => undefined);
        }
    return all;
  }

  return async function round(stopping) {
    try {
      for (const { id } of await database.read(sql`SELECT id FROM workspaces WHERE purging = 1`, Id)) {
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
