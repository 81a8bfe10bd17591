import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import {
  hasChanged,
  isNoneOf,
  rowOf,
  rowsOf,
  sql,
  steadyTimeIn,
  type Database,
  type Sql,
} from '../database/database.ts';
import { createLastRead } from '../database/last-read.ts';
import { isOnHold } from '../workspaces/holds.ts';
import { DeliveryRow, deliveryColumns, insertDelivery, type Delivery, type NewDelivery } from './delivery.ts';

/** Nothing ever waits longer. */
export const LONGEST_WAIT_MS = 15 * 60_000;
/** What has failed for this long is given up. */
export const LONGEST_FAILING_MS = 3 * 24 * 60 * 60_000;
const LONGEST_BACKOFF_MS = 5 * 60_000;

/** Milliseconds to wait: a second at first, twice as long each time. */
export const backoff = (attempts: number): number =>
  Math.min(LONGEST_BACKOFF_MS, 1_000 * 2 ** Math.min(30, Math.max(0, attempts - 1)));

export const DELIVERIES_TOPIC = 'deliveries';

/** Makes the workers of all processes look. Call it after a write that made something due. */
export const wakeWorkers = ({ notify }: Pick<Database, 'notify'>): void => notify(DELIVERIES_TOPIC, '');

/** A channel of a workspace, by an id that it has or had. */
export interface ChannelKey {
  readonly workspaceId: string;
  readonly channelId: string;
}

const isNamed = ({ workspaceId, channelId }: ChannelKey): Sql =>
  sql`channels.workspace_id = ${workspaceId} AND channels.channel_id = ${channelId}`;

/** The earlier of the planned time and this one, but not before Slack accepts a post there. */
const sooner = sql`next_at = CASE
    WHEN channels.next_at <= excluded.next_at THEN channels.next_at
    WHEN excluded.next_at < channels.open_at THEN channels.open_at
    ELSE excluded.next_at END`;

/** Makes a channel due for a delivery inserted earlier in the same write. */
export const wakeChannelOf = (deliveryId: string): Sql =>
  sql`INSERT INTO channels (workspace_id, channel_id, next_at, open_at)
    SELECT workspace_id, channel_id, due_at, 0 FROM deliveries WHERE id = ${deliveryId} AND state = 'waiting'
    ON CONFLICT (workspace_id, channel_id) DO UPDATE SET ${sooner}`;

/** Makes a channel due before its delivery is inserted, if that is at all: until the transaction ends, others that wake it wait. */
export const wakeChannel = (channel: ChannelKey, dueAt: number): Sql =>
  sql`INSERT INTO channels (workspace_id, channel_id, next_at, open_at)
    VALUES (${channel.workspaceId}, ${idNow(channel)}, ${dueAt}, 0)
    ON CONFLICT (workspace_id, channel_id) DO UPDATE SET ${sooner}`;

/** A new delivery, and its channel due for it. */
export const queued = (delivery: NewDelivery): readonly Sql[] => [
  insertDelivery(delivery),
  wakeChannelOf(delivery.id),
];

/** Several, always in the order of their channels: two writes that wait for each other's cost PostgreSQL a second. */
export const queuedAll = (deliveries: readonly NewDelivery[]): readonly Sql[] =>
  deliveries.toSorted((one, other) => (one.channelId < other.channelId ? -1 : 1)).flatMap(queued);

/** Moves what waits in a channel to the new id that Slack gave it. Repeating it changes nothing. */
export function moveChannel(workspaceId: string, from: string, to: string, time: number): readonly Sql[] {
  const upsert = (channelId: string, movedTo: string | null, nextAt: number | null) =>
    sql`INSERT INTO channels (workspace_id, channel_id, next_at, open_at, moved_to)
      VALUES (${workspaceId}, ${channelId}, ${nextAt}, 0, ${movedTo})
      ON CONFLICT (workspace_id, channel_id) DO UPDATE SET moved_to = excluded.moved_to,
        next_at = COALESCE(excluded.next_at, channels.next_at)`;
  return [
    // A channel can get back an id it had before.
    upsert(to, null, time),
    sql`UPDATE channels SET moved_to = ${to} WHERE workspace_id = ${workspaceId} AND moved_to = ${from}
      AND channel_id <> ${to}`,
    upsert(from, to, null),
    sql`UPDATE deliveries SET channel_id = ${to}
      WHERE workspace_id = ${workspaceId} AND channel_id = ${from} AND state IN ('waiting', 'asking')`,
  ];
}

/** An earlier version found out before the turn whether a post is wanted, in the state `asking`. Now that waits like all. */
export const firstAsking: Sql = sql`SELECT due_at AS at FROM deliveries WHERE state = 'asking' ORDER BY due_at LIMIT 1`;
export const endAsking = ({ writeIf }: Pick<Database, 'writeIf'>, time: number) =>
  writeIf(
    sql`UPDATE deliveries SET state = 'waiting', claim = NULL WHERE state = 'asking' AND due_at <= ${time}`,
    sql`INSERT INTO channels (workspace_id, channel_id, next_at, open_at)
      SELECT DISTINCT workspace_id, channel_id, CAST(${time} AS BIGINT), 0 FROM deliveries
        WHERE state = 'waiting' AND due_at <= ${time}
      ON CONFLICT (workspace_id, channel_id) DO UPDATE SET ${sooner}`,
  );

export const movedChannels = (database: Pick<Database, 'read'>) =>
  database.read(
    sql`SELECT workspace_id, channel_id, moved_to FROM channels WHERE moved_to IS NOT NULL`,
    rowOf({ workspaceId: z.string(), channelId: z.string(), movedTo: z.string() }),
  );

/** The id a channel has now, in a statement. */
const idNow = (name: ChannelKey): Sql =>
  sql`COALESCE((SELECT moved_to FROM channels WHERE ${isNamed(name)}), ${name.channelId})`;

/** The id a channel has now. */
export async function channelNow(database: Pick<Database, 'read'>, name: ChannelKey): Promise<string> {
  const [row] = await database.read(sql`SELECT ${idNow(name)} AS id`, z.object({ id: z.string() }));
  return row?.id ?? name.channelId;
}

/**
 * The same where the database can't be read: as it was last read here, at most an hour ago, or as Slack says it. Slack says
 * the current id, except in buttons from before the channel got that.
 */
export const createCurrentChannelId = (database: Pick<Database, 'read'>, elapsed: () => number) =>
  createLastRead({
    read: (workspaceId, channelId) => channelNow(database, { workspaceId, channelId }),
    otherwise: (channelId) => channelId,
    elapsed,
  });

/** Three times as long as a post can take. Renewed while it's under way. */
export const LEASE_MS = 30_000;

/** A channel whose turn is claimed, with its next delivery. */
export interface Turn {
  /** Marks the channel and the delivery as claimed. */
  readonly token: string;
  readonly delivery: Delivery;
  /** Milliseconds since 1970. */
  readonly claimedAt: number;
}

/** Nobody has its turn, and its workspace isn't on hold. */
const isFree = (steadyTime: Sql): Sql =>
  sql`next_at IS NOT NULL AND (claimed_until IS NULL OR claimed_until <= ${steadyTime})
    AND NOT ${isOnHold(sql`channels.workspace_id`)}`;

/** @param full the workspaces that may have no more turns */
export const firstChannelDue = (steadyTime: Sql, full: readonly string[]): Sql =>
  sql`SELECT next_at AS at FROM channels WHERE ${isFree(steadyTime)} AND ${isNoneOf(sql`workspace_id`, full)}
    ORDER BY next_at LIMIT 1`;

/**
 * Takes the turns of due channels, the longest due first, each with its first due delivery. One in state `sending` belongs to
 * an attempt that ended with its process, since a channel has one turn at a time.
 *
 * @returns also how many channels were claimed: those where nothing is due are given back at once
 */
export async function claimTurns(database: Database, limit: number, full: readonly string[], time: number) {
  const token = randomUUID();
  const [channels, deliveries] = await database.write(
    sql`WITH picked AS MATERIALIZED (SELECT workspace_id, channel_id FROM channels
        WHERE next_at <= ${time} AND ${isFree(database.steadyTime())} AND ${isNoneOf(sql`workspace_id`, full)}
        ORDER BY next_at LIMIT ${limit} ${database.skipLocked})
      UPDATE channels SET claim = ${token}, claimed_until = ${steadyTimeIn(database, LEASE_MS)}
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
  const due = rowsOf(deliveries, DeliveryRow);
  const claimed = rowsOf(channels, rowOf({ workspaceId: z.string(), channelId: z.string() }));
  // Nothing is due there, as after a Discard.
  const empty = claimed.filter(({ workspaceId, channelId }) =>
    due.every((one) => one.workspaceId !== workspaceId || one.channelId !== channelId),
  );
  if (empty.length > 0) await database.write(...empty.flatMap((channel) => releaseTurn(channel, token, 0)));
  const turns: readonly Turn[] = due.map((delivery) => ({ token, delivery, claimedAt: time }));
  return { turns, count: claimed.length };
}

/** @returns false if another process has it by now */
export async function renewTurn(database: Database, { delivery, token }: Turn): Promise<boolean> {
  const [renewed] = await database.write(
    sql`UPDATE channels SET claimed_until = ${steadyTimeIn(database, LEASE_MS)}
      WHERE ${isNamed(delivery)} AND claim = ${token}`,
  );
  return hasChanged(renewed);
}

/**
 * Gives a turn back, unless another process has it. The channel's next one is computed once the row is locked: deliveries
 * accepted meanwhile wait for that, then set the time themselves.
 *
 * @param openAt when Slack accepts the next post there
 */
export const releaseTurn = (channel: ChannelKey, token: string, openAt: number): readonly [Sql, Sql] => [
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
