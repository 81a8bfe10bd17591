import { z } from 'zod';
import { sql, type Database, type Sql } from '../database/database.ts';
import { waitsFor } from './addresses.ts';

/** What has waited for longer is set aside. */
const LONGEST_WAITING_MS = 7 * 24 * 60 * 60_000;
/** Of what waits for an address: the oldest beyond it are set aside. */
const MOST_WAITING = 10_000;
/** Few enough that other writers don't notice. */
const STEP = 500;

const Crowded = z.object({ workspace_id: z.string(), address_id: z.string() });

const settled = (state: 'failed' | 'skipped', reason: string, time: number, which: Sql): Sql =>
  sql`UPDATE webhook_messages SET state = ${state}, reason = ${reason}, settled_at = ${time}, claimed_until = NULL
    WHERE (workspace_id, id) IN (SELECT workspace_id, id FROM webhook_messages WHERE state = 'waiting' AND ${which})`;

/** What was queued, or under way, while its address was being removed or switched off waits for nothing. */
const hasNoAddress = sql`NOT EXISTS (SELECT 1 FROM webhook_addresses
  WHERE webhook_addresses.workspace_id = webhook_messages.workspace_id AND webhook_addresses.id = address_id
    AND off_at IS NULL)`;

/**
 * Sets aside what has waited for an address for too long, or is too much: it's counted, and can be sent or discarded, like what
 * failed by itself. And drops what waits for an address that's gone. Rejects with a DatabaseError.
 */
export function createWebhookLimits({
  database,
  mostWaiting = MOST_WAITING,
  now,
}: {
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly mostWaiting?: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}): (stopping: AbortSignal) => Promise<void> {
  return async function round(stopping) {
    async function repeated(statement: Sql): Promise<void> {
      for (let changed = STEP; changed === STEP && !stopping.aborted;) {
        const [written] = await database.write(statement);
        changed = written?.changed ?? 0;
      }
    }

    const time = now();
    await repeated(settled('skipped', 'address_removed', time, sql`${hasNoAddress} LIMIT ${STEP}`));
    const isOld = sql`queued_at <= ${time - LONGEST_WAITING_MS}`;
    await repeated(settled('failed', 'waited_too_long', time, sql`${isOld} LIMIT ${STEP}`));
    const crowded = await database.read(
      sql`SELECT workspace_id, address_id FROM webhook_messages WHERE state = 'waiting'
        GROUP BY workspace_id, address_id HAVING COUNT(*) > ${mostWaiting}`,
      Crowded,
    );
    for (const { workspace_id: workspaceId, address_id: id } of crowded) {
      const beyond = sql`${waitsFor({ workspaceId, id })}
        ORDER BY queued_at DESC, number DESC LIMIT ${STEP} OFFSET ${mostWaiting}`;
      await repeated(settled('failed', 'too_many_waiting', time, beyond));
    }
  };
}
