import { z } from 'zod';
import { sql } from '../database/database.ts';
import type { Database, Sql } from '../database/database.ts';
import { hasComeIn, steadyTimeIn } from '../database/row-times.ts';
import type { SteadyTime } from '../database/row-times.ts';

/** Three times as long as a post can take. Renewed before a post if part of it has passed. */
export const LEASE_MS = 30_000;
/** Nothing ever waits longer. */
export const LONGEST_WAIT_MS = 15 * 60_000;

/** The topic that tells workers something may be due. */
export const DELIVERIES_TOPIC = 'deliveries';

/** Makes the workers of all processes look for due work. Call it after a write that made something due. */
export const wakeWorkers = ({ notify }: Pick<Database, 'notify'>): void => notify(DELIVERIES_TOPIC, '');

/** A channel of a workspace, by its current id. */
export interface ChannelName {
  readonly workspaceId: string;
  readonly channelId: string;
}

/** Whether what waits is due. */
export const isDue = (column: Sql, time: number): Sql => hasComeIn(column, time, LONGEST_WAIT_MS);

const isFree = ({ steadyTime }: SteadyTime): Sql =>
  sql`(channels.claimed_until IS NULL OR channels.claimed_until <= ${steadyTime()})`;

/** When a claim made now expires. */
const leaseEnd = (database: SteadyTime): Sql => steadyTimeIn(database, LEASE_MS);

/** Milliseconds until the first claim expires; no row if there is none. */
export const firstLeaseEnd = ({ steadyTime }: SteadyTime): Sql =>
  sql`SELECT MIN(claimed_until) - ${steadyTime()} AS wait FROM channels WHERE claim IS NOT NULL
    HAVING MIN(claimed_until) IS NOT NULL`;

const isNamed = ({ workspaceId, channelId }: ChannelName): Sql =>
  sql`channels.workspace_id = ${workspaceId} AND channels.channel_id = ${channelId}`;

const isUnsettledThere = sql`waiting.workspace_id = channels.workspace_id AND waiting.channel_id = channels.channel_id
  AND waiting.state IN ('waiting', 'sending')`;

/** The earlier of the planned time and this one, but not before Slack accepts a post there. */
const sooner = sql`next_at = CASE
    WHEN channels.next_at <= excluded.next_at THEN channels.next_at
    WHEN excluded.next_at < channels.open_at THEN channels.open_at
    ELSE excluded.next_at END`;

const wokenColumns = sql`channel_id, claim, next_at`;

/** What the statements that wake a channel return. */
export const WokenChannel = z.object({
  channel_id: z.string(),
  claim: z.string().nullable(),
  next_at: z.number().nullable(),
});

/** Makes a channel due for a delivery inserted earlier in the same write. */
export const wakeChannelOf = (deliveryId: string): Sql =>
  sql`INSERT INTO channels (workspace_id, channel_id, next_at, open_at)
    SELECT workspace_id, channel_id, due_at, 0 FROM deliveries WHERE id = ${deliveryId} AND state = 'waiting'
    ON CONFLICT (workspace_id, channel_id) DO UPDATE SET ${sooner} RETURNING ${wokenColumns}`;

/** The same, and takes the channel's turn if it's due and free. */
export const wakeAndClaimChannelOf = (
  database: SteadyTime,
  deliveryId: string,
  { token, time }: { readonly token: string; readonly time: number },
): Sql => {
  const until = leaseEnd(database);
  const isItsTurn = sql`${isFree(database)} AND ${isDue(sql`channels.open_at`, time)} AND NOT EXISTS (
    SELECT 1 FROM workspaces WHERE id = channels.workspace_id AND held_until IS NOT NULL)`;
  return sql`INSERT INTO channels (workspace_id, channel_id, next_at, open_at, claim, claimed_until)
    SELECT workspace_id, channel_id, due_at, 0,
      CASE WHEN held.id IS NULL THEN ${token} END, CASE WHEN held.id IS NULL THEN ${until} END
    FROM (SELECT workspace_id, channel_id, due_at, (SELECT workspaces.id FROM workspaces
        WHERE workspaces.id = deliveries.workspace_id AND held_until IS NOT NULL) AS id
      FROM deliveries WHERE deliveries.id = ${deliveryId} AND state = 'waiting') AS held
    WHERE 1 = 1
    ON CONFLICT (workspace_id, channel_id) DO UPDATE SET ${sooner},
      claim = CASE WHEN ${isItsTurn} THEN ${token} ELSE channels.claim END,
      claimed_until = CASE WHEN ${isItsTurn} THEN ${until} ELSE channels.claimed_until END
    RETURNING ${wokenColumns}`;
};

/** Locks a channel's row until the transaction ends: two that need what the other adds run one after the other. */
export const lockChannel = ({ workspaceId, channelId }: ChannelName): Sql =>
  sql`INSERT INTO channels (workspace_id, channel_id, open_at) VALUES (${workspaceId}, ${channelId}, 0)
    ON CONFLICT (workspace_id, channel_id) DO UPDATE SET open_at = channels.open_at`;

export const ChannelNameRow = z
  .object({ workspace_id: z.string(), channel_id: z.string() })
  .transform(({ workspace_id, channel_id }): ChannelName => ({
    workspaceId: workspace_id,
    channelId: channel_id,
  }));

/**
 * Takes the turns of due channels, the longest due first.
 *
 * @param of this workspace only, even if it's on hold; otherwise all that aren't
 */
export function claimChannels(
  database: Pick<Database, 'skipLocked' | 'steadyTime'>,
  {
    token,
    time,
    limit,
    of,
  }: { readonly token: string; readonly time: number; readonly limit: number; readonly of?: string },
): Sql {
  const ofWorkspace =
    of === undefined
      ? sql`NOT EXISTS (SELECT 1 FROM workspaces WHERE id = channels.workspace_id AND held_until IS NOT NULL)`
      : sql`channels.workspace_id = ${of}`;
  return sql`WITH picked AS MATERIALIZED (
      SELECT workspace_id, channel_id FROM channels
      WHERE next_at IS NOT NULL AND ${isDue(sql`next_at`, time)} AND ${isFree(database)} AND ${ofWorkspace}
      ORDER BY next_at LIMIT ${limit} ${database.skipLocked})
    UPDATE channels SET claim = ${token}, claimed_until = ${leaseEnd(database)}
    FROM picked WHERE channels.workspace_id = picked.workspace_id AND channels.channel_id = picked.channel_id
    RETURNING channels.workspace_id, channels.channel_id`;
}

/** Renews a claim; changes nothing if it was lost. */
export const renewClaim = (database: SteadyTime, name: ChannelName, token: string): Sql =>
  sql`UPDATE channels SET claimed_until = ${leaseEnd(database)} WHERE ${isNamed(name)} AND claim = ${token}`;

export const ChannelNextRow = z.object({ next_at: z.number().nullable() });

/**
 * Gives a channel's turn back. When it's next due is computed once its row is locked: deliveries accepted meanwhile
 * wait for that, then set the time themselves. The second statement returns it.
 *
 * @param openAt when Slack accepts the next post there
 */
export const releaseChannel = (name: ChannelName, token: string, openAt: number): readonly [Sql, Sql] => [
  sql`UPDATE channels SET claim = NULL, claimed_until = NULL, open_at = ${openAt}
    WHERE ${isNamed(name)} AND claim = ${token}`,
  sql`UPDATE channels SET next_at = (
      SELECT CASE WHEN waiting.due_at < channels.open_at THEN channels.open_at ELSE waiting.due_at END
      FROM deliveries AS waiting WHERE ${isUnsettledThere} ORDER BY waiting.due_at, waiting.id LIMIT 1)
    WHERE ${isNamed(name)} AND claim IS NULL RETURNING next_at`,
];

/** Ends a wait that Slack asked for in a delivery's channel; the pause after a post remains. */
export const openChannelOf = (deliveryId: string, time: number, paceMs: number): Sql =>
  sql`UPDATE channels SET open_at = 0, next_at = ${time} WHERE open_at > ${time + paceMs} AND EXISTS (
    SELECT 1 FROM deliveries WHERE id = ${deliveryId} AND state = 'waiting'
      AND deliveries.workspace_id = channels.workspace_id AND deliveries.channel_id = channels.channel_id)`;

/** Makes every channel due that has something waiting but no time set. */
export const wakeForgotten = (time: number): Sql =>
  sql`UPDATE channels SET next_at = ${time} WHERE next_at IS NULL AND EXISTS (
    SELECT 1 FROM deliveries AS waiting WHERE ${isUnsettledThere})`;

/** Removes every claim: for the one process that serves a file, when it starts. */
export const clearClaims: Sql = sql`UPDATE channels SET claim = NULL, claimed_until = NULL WHERE claim IS NOT NULL`;

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

const MovedChannel = z
  .object({ workspace_id: z.string(), channel_id: z.string(), moved_to: z.string() })
  .transform((row) => ({ workspaceId: row.workspace_id, from: row.channel_id, to: row.moved_to }));

/** The channels that Slack ever gave another id. */
export const movedChannels = (database: Pick<Database, 'read'>) =>
  database.read(
    sql`SELECT workspace_id, channel_id, moved_to FROM channels WHERE moved_to IS NOT NULL`,
    MovedChannel,
  );

/** The id a channel has now, in a statement. */
export const idNow = (name: ChannelName): Sql =>
  sql`COALESCE((SELECT moved_to FROM channels WHERE ${isNamed(name)}), ${name.channelId})`;

const IdNow = z.object({ id: z.string() });

/** The id a channel has now. */
export async function channelNow(database: Pick<Database, 'read'>, name: ChannelName): Promise<string> {
  const [row] = await database.read(sql`SELECT ${idNow(name)} AS id`, IdNow);
  return row?.id ?? name.channelId;
}
