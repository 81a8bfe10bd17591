import { z } from 'zod';
import { sql, type Database, type Sql, type SteadyTime } from '../database/database.ts';
import { waitsFor } from './addresses.ts';

/** What has waited for longer is set aside. */
const LONGEST_WAITING_MS = 7 * 24 * 60 * 60_000;
/** Of what waits for an address: the oldest beyond it are set aside. */
const MOST_WAITING = 10_000;
/** Few enough that other writers don't notice. */
const STEP = 500;

const Busy = z.object({ workspace_id: z.string(), id: z.string(), waiting: z.number() });

const setAside = (reason: string, time: number, which: Sql): Sql =>
  sql`UPDATE deliveries SET state = 'failed', reason = ${reason}, settled_at = ${time}
    WHERE state = 'waiting' AND id IN (${which})`;

const hasNoAddress = sql`substr(channels.channel_id, 1, 1) >= 'a' AND NOT EXISTS (SELECT 1 FROM webhook_addresses AS address
  WHERE address.workspace_id = channels.workspace_id AND address.id = substr(channels.channel_id, 1, 16)
    AND address.off_at IS NULL)`;

/** A process that died in a turn has left its claim, and nobody takes another turn there. */
const freeUnaddressed = (database: SteadyTime): Sql =>
  sql`UPDATE channels SET claim = NULL, claimed_until = NULL
    WHERE claim IS NOT NULL AND claimed_until <= ${database.steadyTime()} AND ${hasNoAddress}`;

/** What was queued, or under way, while its address was being removed or switched off waits for nothing. */
const dropUnaddressed = (time: number): Sql =>
  sql`UPDATE deliveries SET state = 'skipped', reason = 'address_removed', settled_at = ${time}, claim = NULL
    WHERE state IN ('waiting', 'sending') AND id IN (SELECT waiting.id FROM channels JOIN deliveries AS waiting
        ON waiting.workspace_id = channels.workspace_id AND waiting.channel_id = channels.channel_id
      WHERE channels.next_at IS NOT NULL AND ${hasNoAddress}
        AND (waiting.state = 'waiting' OR (waiting.state = 'sending' AND channels.claim IS NULL))
      LIMIT ${STEP})`;

/**
 * Sets aside what has waited for an address for too long, or is too much: it's counted, and can be sent or discarded, like what
 * failed by itself.
 *
 * @param report called with what failed; it's tried again in the next round
 */
export function createWebhookLimits({
  database,
  mostWaiting = MOST_WAITING,
  now,
  report,
}: {
  readonly database: Pick<Database, 'read' | 'write' | 'steadyTime'>;
  readonly mostWaiting?: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly report: (error: unknown) => void;
}): (stopping: AbortSignal) => Promise<void> {
  async function setAsideAll(statement: () => Sql, stopping: AbortSignal): Promise<void> {
    for (let changed = STEP; changed === STEP && !stopping.aborted;) {
      const [written] = await database.write(statement());
      changed = written?.changed ?? 0;
    }
  }

  return async function round(stopping) {
    try {
      await database.write(freeUnaddressed(database));
      await setAsideAll(() => dropUnaddressed(now()), stopping);
      const busy = await database.read(
        sql`SELECT workspace_id, id, waiting FROM (SELECT address.workspace_id AS workspace_id, address.id AS id,
            (SELECT COUNT(*) FROM deliveries WHERE deliveries.workspace_id = address.workspace_id
              AND deliveries.channel_id > address.id AND deliveries.channel_id < address.id || '~'
              AND deliveries.state IN ('waiting', 'sending')) AS waiting
            FROM webhook_addresses AS address) AS counted
          WHERE waiting > 0`,
        Busy,
      );
      for (const { workspace_id: workspaceId, id, waiting } of busy) {
        const isIts = sql`${waitsFor({ workspaceId, id })} AND state = 'waiting'`;
        await setAsideAll(
          () =>
            setAside(
              'waited_too_long',
              now(),
              sql`SELECT id FROM deliveries WHERE ${isIts} AND accepted_at <= ${now() - LONGEST_WAITING_MS} LIMIT ${STEP}`,
            ),
          stopping,
        );
        if (waiting > mostWaiting)
          await setAsideAll(
            () =>
              setAside(
                'too_many_waiting',
                now(),
                sql`SELECT id FROM deliveries WHERE ${isIts} ORDER BY id DESC LIMIT ${STEP} OFFSET ${mostWaiting}`,
              ),
            stopping,
          );
      }
    } catch (error) {
      report(error);
    }
  };
}
