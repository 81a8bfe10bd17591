import { z } from 'zod';
import type { Database } from '../database/database.ts';
import { sql } from '../database/sql.ts';
import type { Sql } from '../database/sql.ts';

/** Three times as long as a post can take; made to last anew before a post where a part of it is over. */
export const LEASE_MS = 30_000;
/** Nothing waits longer for anything: what is due later than that was reckoned by a clock that ran ahead. */
export const LONGEST_WAIT_MS = 15 * 60_000;

/** By which workers know that something may be due. */
export const DELIVERIES_TOPIC = 'deliveries';

/** Has the workers of all processes look for what's due: after a write that made something so. */
export const wakeWorkers = ({ notify }: Pick<Database, 'notify'>): void => notify(DELIVERIES_TOPIC, '');

/** A channel of a workspace, by the id it has now. */
export interface ChannelName {
  readonly workspaceId: string;
  readonly channelId: string;
}

/** Whether a time has come. */
export const hasCome = (column: Sql, time: number): Sql =>
  sql`(${column} <= ${time} OR ${column} > ${time + LONGEST_WAIT_MS})`;

type SteadyTime = Pick<Database, 'steadyTime'>;

/** Whether nobody has the channel's turn. */
const isFree = ({ steadyTime }: SteadyTime): Sql =>
  sql`(channels.claimed_until IS NULL OR channels.claimed_until <= ${steadyTime()})`;

/** Until when a claim of now lasts. */
const leaseEnd = ({ steadyTime }: SteadyTime): Sql => sql`${steadyTime()} + CAST(${LEASE_MS} AS BIGINT)`;

/** In how many milliseconds the first of the claims runs out; no row where there is none. */
export const firstLeaseEnd = ({ steadyTime }: SteadyTime): Sql =>
  sql`SELECT MIN(claimed_until) - ${steadyTime()} AS wait FROM channels WHERE claim IS NOT NULL
    HAVING MIN(claimed_until) IS NOT NULL`;

const isNamed = ({ workspaceId, channelId }: ChannelName): Sql =>
  sql`channels.workspace_id = ${workspaceId} AND channels.channel_id = ${channelId}`;

const isUnsettledThere = sql`waiting.workspace_id = channels.workspace_id AND waiting.channel_id = channels.channel_id
  AND waiting.state IN ('waiting', 'sending')`;

/** The sooner of what was planned and a time, but not before Slack takes a post there. */
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

/** The statement that has a channel's turn come for a delivery that was inserted before it, in the same write. */
export const wakeChannelOf = (deliveryId: string): Sql =>
  sql`INSERT INTO channels (workspace_id, channel_id, next_at, open_at)
    SELECT workspace_id, channel_id, due_at, 0 FROM deliveries WHERE id = ${deliveryId} AND state = 'waiting'
    ON CONFLICT (workspace_id, channel_id) DO UPDATE SET ${sooner} RETURNING ${wokenColumns}`;

/** The same, which also takes the channel's turn where it has come and nobody has it. */
export const wakeAndClaimChannelOf = (
  database: SteadyTime,
  deliveryId: string,
  { token, time }: { readonly token: string; readonly time: number },
): Sql => {
  const until = leaseEnd(database);
  const isItsTurn = sql`${isFree(database)} AND ${hasCome(sql`channels.open_at`, time)} AND NOT EXISTS (
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

export const ChannelNameRow = z
  .object({ workspace_id: z.string(), channel_id: z.string() })
  .transform(({ workspace_id, channel_id }): ChannelName => ({
    workspaceId: workspace_id,
    channelId: channel_id,
  }));

/**
 * The statement that takes the turns of channels whose time has come, the longest due first.
 *
 * @param of one workspace, whether or not it is held; else all that aren't held
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
      WHERE next_at IS NOT NULL AND ${hasCome(sql`next_at`, time)} AND ${isFree(database)} AND ${ofWorkspace}
      ORDER BY next_at LIMIT ${limit} ${database.skipLocked})
    UPDATE channels SET claim = ${token}, claimed_until = ${leaseEnd(database)}
    FROM picked WHERE channels.workspace_id = picked.workspace_id AND channels.channel_id = picked.channel_id
    RETURNING channels.workspace_id, channels.channel_id`;
}

/** The statement that makes a claim last from now on; changes nothing where it was lost. */
export const renewClaim = (database: SteadyTime, name: ChannelName, token: string): Sql =>
  sql`UPDATE channels SET claimed_until = ${leaseEnd(database)} WHERE ${isNamed(name)} AND claim = ${token}`;

export const ChannelNextRow = z.object({ next_at: z.number().nullable() });

/**
 * The statements that give a channel's turn back. Its next time is reckoned once its row is locked: what is accepted
 * meanwhile waits for that and then says itself when it's due. The second one returns it.
 *
 * @param openAt from when on Slack takes the next post there
 */
export const releaseChannel = (name: ChannelName, token: string, openAt: number): readonly [Sql, Sql] => [
  sql`UPDATE channels SET claim = NULL, claimed_until = NULL, open_at = ${openAt}
    WHERE ${isNamed(name)} AND claim = ${token}`,
  sql`UPDATE channels SET next_at = (
      SELECT CASE WHEN waiting.due_at < channels.open_at THEN channels.open_at ELSE waiting.due_at END
      FROM deliveries AS waiting WHERE ${isUnsettledThere} ORDER BY waiting.due_at, waiting.id LIMIT 1)
    WHERE ${isNamed(name)} AND claim IS NULL RETURNING next_at`,
];

/** The statement that ends a wait which Slack asked for in the channel of a delivery; its rest after a post stays. */
export const openChannelOf = (deliveryId: string, time: number, paceMs: number): Sql =>
  sql`UPDATE channels SET open_at = 0, next_at = ${time} WHERE open_at > ${time + paceMs} AND EXISTS (
    SELECT 1 FROM deliveries WHERE id = ${deliveryId} AND state = 'waiting'
      AND deliveries.workspace_id = channels.workspace_id AND deliveries.channel_id = channels.channel_id)`;

/** The statement that has the turn come of each channel in which something waits and that has no time. */
export const wakeForgotten = (time: number): Sql =>
  sql`UPDATE channels SET next_at = ${time} WHERE next_at IS NULL AND EXISTS (
    SELECT 1 FROM deliveries AS waiting WHERE ${isUnsettledThere})`;

/** The statement that takes every claim away: for the one process that serves a file, when it starts. */
export const clearClaims: Sql = sql`UPDATE channels SET claim = NULL, claimed_until = NULL WHERE claim IS NOT NULL`;

/** The statements that take what waits in a channel to the new id that Slack gave it. Again they change nothing. */
export function moveChannel(workspaceId: string, from: string, to: string, time: number): readonly Sql[] {
  const upsert = (channelId: string, movedTo: string | null, nextAt: number | null) =>
    sql`INSERT INTO channels (workspace_id, channel_id, next_at, open_at, moved_to)
      VALUES (${workspaceId}, ${channelId}, ${nextAt}, 0, ${movedTo})
      ON CONFLICT (workspace_id, channel_id) DO UPDATE SET moved_to = excluded.moved_to,
        next_at = COALESCE(excluded.next_at, channels.next_at)`;
  return [
    // A channel may get an id back that it had.
    upsert(to, null, time),
    sql`UPDATE channels SET moved_to = ${to} WHERE workspace_id = ${workspaceId} AND moved_to = ${from}
      AND channel_id <> ${to}`,
    upsert(from, to, null),
    sql`UPDATE deliveries SET channel_id = ${to}
      WHERE workspace_id = ${workspaceId} AND channel_id = ${from} AND state IN ('waiting', 'asking')`,
  ];
}

const MovedRow = z.object({ moved_to: z.string().nullable() });

/** The id that a channel has now. */
export async function channelNow(database: Pick<Database, 'read'>, name: ChannelName): Promise<string> {
  const [row] = await database.read(sql`SELECT moved_to FROM channels WHERE ${isNamed(name)}`, MovedRow);
  return row?.moved_to ?? name.channelId;
}
