import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import {
  hasChanged,
  isNoneOf,
  rowsOf,
  sql,
  steadyTimeIn,
  type Database,
  type Sql,
} from '../database/database.ts';
import { isOnHold } from '../workspaces/holds.ts';
import { isNamed, type ChannelName } from './channels.ts';
import { DeliveryRow, deliveryColumns, type Delivery } from './delivery.ts';

/** How long a channel's turn is nobody else's: three times as long as a post can take. Renewed while it's under way. */
export const LEASE_MS = 30_000;
/** After this, whoever posts makes sure first that the turn is still theirs. */
export const RENEW_AFTER_MS = LEASE_MS / 3;

/** A channel whose turn is claimed, with its next delivery. */
export interface Turn {
  /** Marks the channel and the delivery as claimed by this turn. */
  readonly token: string;
  readonly channel: ChannelName;
  readonly delivery: Delivery;
  /** Milliseconds since 1970. */
  readonly claimedAt: number;
}

/** Another process has the turn, so this one posts and records nothing more. */
export class LostTurnError extends Error {
  override readonly name = 'LostTurnError';
}

type Tables = Pick<Database, 'steadyTime'>;

const leaseEnd = (database: Tables): Sql => steadyTimeIn(database, LEASE_MS);

const isHeld = isOnHold(sql`channels.workspace_id`);

/** Nobody has its turn, and its workspace isn't on hold. */
const isFree = (database: Tables): Sql =>
  sql`next_at IS NOT NULL AND (claimed_until IS NULL OR claimed_until <= ${database.steadyTime()}) AND NOT ${isHeld}`;

/** When the first channel is due. @param full the workspaces that may have no more turns */
export const firstChannelDue = (database: Tables, full: readonly string[]): Sql =>
  sql`SELECT next_at AS at FROM channels WHERE ${isFree(database)} AND ${isNoneOf(sql`workspace_id`, full)}
    ORDER BY next_at LIMIT 1`;

const Claimed = z.object({ workspace_id: z.string(), channel_id: z.string() });

/**
 * Takes the turns of due channels, the longest due first, with the delivery of each that's due first. A delivery in state
 * `sending` there belongs to an attempt that ended with its process, since a channel has one turn at a time.
 *
 * @param full the workspaces that may have no more turns
 * @returns also in how many channels
 */
export async function claimTurns(
  database: Database,
  { limit, full, time }: { readonly limit: number; readonly full: readonly string[]; readonly time: number },
): Promise<{ readonly turns: readonly Turn[]; readonly count: number }> {
  const token = randomUUID();
  const [channels, deliveries] = await database.write(
    sql`WITH picked AS MATERIALIZED (SELECT workspace_id, channel_id FROM channels
        WHERE next_at <= ${time} AND ${isFree(database)} AND ${isNoneOf(sql`workspace_id`, full)}
        ORDER BY next_at LIMIT ${limit} ${database.skipLocked})
      UPDATE channels SET claim = ${token}, claimed_until = ${leaseEnd(database)}
      FROM picked WHERE channels.workspace_id = picked.workspace_id AND channels.channel_id = picked.channel_id
      RETURNING channels.workspace_id, channels.channel_id`,
    sql`UPDATE deliveries SET state = 'sending', claim = ${token}, attempts = attempts + 1,
        deaths = CASE WHEN state = 'sending' THEN deaths + 1 ELSE deaths END,
        attempted_at = COALESCE(attempted_at, ${time})
      WHERE id IN (SELECT (SELECT first.id FROM deliveries AS first
          WHERE first.workspace_id = channels.workspace_id AND first.channel_id = channels.channel_id
            AND first.state IN ('waiting', 'sending') AND first.due_at <= ${time}
          ORDER BY first.due_at, first.id LIMIT 1)
        FROM channels WHERE channels.claim = ${token})
      RETURNING ${deliveryColumns}`,
  );
  const turns = rowsOf(deliveries, DeliveryRow).map((delivery): Turn => {
    const { workspaceId, channelId } = delivery;
    return { token, channel: { workspaceId, channelId }, delivery, claimedAt: time };
  });
  const claimed = rowsOf(channels, Claimed);
  // Nothing is due there any more, after a Discard for example.
  const empty = claimed
    .map(({ workspace_id: workspaceId, channel_id: channelId }): ChannelName => ({ workspaceId, channelId }))
    .filter(({ workspaceId: of, channelId: there }) =>
      turns.every(({ channel: { workspaceId, channelId } }) => workspaceId !== of || channelId !== there),
    );
  if (empty.length > 0)
    await database.write(...empty.flatMap((channel) => releaseTurn({ channel, token }, 0)));
  return { turns, count: claimed.length };
}

/** Renews a turn's lease. @returns false if another process has it by now */
export async function renewTurn(
  database: Pick<Database, 'write' | 'steadyTime'>,
  { channel, token }: Pick<Turn, 'channel' | 'token'>,
): Promise<boolean> {
  const [renewed] = await database.write(
    sql`UPDATE channels SET claimed_until = ${leaseEnd(database)} WHERE ${isNamed(channel)} AND claim = ${token}`,
  );
  return hasChanged(renewed);
}

/**
 * Gives a channel's turn back; changes nothing if another process has it. When its next turn is gets computed once the row is
 * locked: deliveries accepted meanwhile wait for that, then set the time themselves.
 *
 * @param openAt when Slack accepts the next post there
 */
export const releaseTurn = (
  { channel, token }: Pick<Turn, 'channel' | 'token'>,
  openAt: number,
): readonly [Sql, Sql] => [
  sql`UPDATE channels SET claim = NULL, claimed_until = NULL, open_at = ${openAt}
    WHERE ${isNamed(channel)} AND claim = ${token}`,
  sql`UPDATE channels SET next_at = (
      SELECT CASE WHEN waiting.due_at < channels.open_at THEN channels.open_at ELSE waiting.due_at END
      FROM deliveries AS waiting WHERE waiting.workspace_id = channels.workspace_id
        AND waiting.channel_id = channels.channel_id AND waiting.state IN ('waiting', 'sending')
      ORDER BY waiting.due_at, waiting.id LIMIT 1)
    WHERE ${isNamed(channel)} AND claim IS NULL`,
];

/** Removes every claim: for the one process that serves a file, when it starts. */
export const clearClaims: Sql = sql`UPDATE channels SET claim = NULL, claimed_until = NULL WHERE claim IS NOT NULL`;
