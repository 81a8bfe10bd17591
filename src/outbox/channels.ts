import { z } from 'zod';
import {
  isNoneOf,
  join,
  sql,
  hasComeIn,
  steadyTimeIn,
  type Database,
  type Sql,
  type SteadyTime,
} from '../database/database.ts';
import { createLastRead } from '../database/last-read.ts';
import { deliveryColumns } from './delivery.ts';
import { isOnHold } from '../workspaces/holds.ts';

/** Three times as long as a post can take. Renewed before a post if part of it has passed. */
export const LEASE_MS = 30_000;
/** Nothing ever waits longer. */
export const LONGEST_WAIT_MS = 15 * 60_000;
/** What has failed for this long is given up. */
export const LONGEST_FAILING_MS = 3 * 24 * 60 * 60_000;
const LONGEST_BACKOFF_MS = 5 * 60_000;

/** How long to wait after this many failed attempts, milliseconds: a second at first, twice as long each time. */
export const backoff = (attempts: number): number =>
  Math.min(LONGEST_BACKOFF_MS, 1_000 * 2 ** Math.min(30, Math.max(0, attempts - 1)));

/** The topic that tells workers something may be due. */
export const DELIVERIES_TOPIC = 'deliveries';

/** Makes the workers of all processes look for due work. Call it after a write that made something due. */
export const wakeWorkers = ({ notify }: Pick<Database, 'notify'>, topic = DELIVERIES_TOPIC): void =>
  notify(topic, '');

/** A channel of a workspace, by its current id. */
export interface ChannelName {
  readonly workspaceId: string;
  readonly channelId: string;
}

/** Whether what waits is due. */
export const isDue = (column: Sql, time: number): Sql => hasComeIn(column, time, LONGEST_WAIT_MS);

/** When a claim made now expires. */
const leaseEnd = (database: SteadyTime): Sql => steadyTimeIn(database, LEASE_MS);

/** When the first claim expires. See `Job.due`. */
export const firstLeaseEnd: Sql = sql`SELECT time + MIN(claimed_until) - steady AS at FROM clock, channels
  WHERE claim IS NOT NULL GROUP BY time, steady HAVING MIN(claimed_until) IS NOT NULL`;

const isNamed = ({ workspaceId, channelId }: ChannelName): Sql =>
  sql`channels.workspace_id = ${workspaceId} AND channels.channel_id = ${channelId}`;

const isUnsettledThere = sql`waiting.workspace_id = channels.workspace_id AND waiting.channel_id = channels.channel_id
  AND waiting.state IN ('waiting', 'sending')`;

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

/** Statements for several channels, always in the same order, so that no two writes wait for each other's channels. */
export const inOrderOfChannels = (
  all: readonly { readonly in: string | undefined; readonly statements: readonly Sql[] }[],
): readonly Sql[] =>
  all
    .toSorted((one, other) => ((one.in ?? '') < (other.in ?? '') ? -1 : 1))
    .flatMap(({ statements }) => statements);

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

/** Of deliveries whose kind this program knows; others are left to the program that does. @param kind the column */
export type IsKnown = (kind: Sql) => Sql;

/** @param kinds all of them, once it's asked for the first time */
export function isKnownOf(kinds: ReadonlyMap<string, unknown>): IsKnown {
  let names: Sql | undefined;
  return (kind) => {
    names ??= join([...kinds.keys()]);
    return sql`${kind} IN (${names})`;
  };
}

const isHeld = isOnHold(sql`channels.workspace_id`);

/** What has a turn coming that this program can take: nobody else has it, and its workspace isn't on hold. */
export const isFreeFor = (database: SteadyTime, isKnown: IsKnown, time: number): Sql =>
  sql`(channels.claimed_until IS NULL OR channels.claimed_until <= ${database.steadyTime()})
    AND NOT ${isHeld} AND EXISTS (SELECT 1 FROM deliveries AS waiting
      WHERE ${isUnsettledThere} AND ${isDue(sql`waiting.due_at`, time)} AND ${isKnown(sql`waiting.kind`)})`;

/** What is sent elsewhere has places whose names begin with a small letter, unlike any id of Slack's. */
export const isInSlack = (channelId: Sql): Sql => sql`${channelId} < 'a'`;

/**
 * When the first of the channels is due that nobody's turn it is, and when the first of those that aren't due yet is. See
 * `Job.due`.
 */
const firstChannelsDue = (isKnown: IsKnown): readonly [Sql, Sql] => {
  const first = (condition: Sql) =>
    sql`SELECT next_at AS at FROM clock, channels WHERE ${condition} AND ${isInSlack(sql`channel_id`)} AND claim IS NULL
        AND NOT ${isHeld} AND EXISTS (SELECT 1 FROM deliveries AS waiting
          WHERE ${isUnsettledThere} AND ${isKnown(sql`waiting.kind`)})
      ORDER BY next_at LIMIT 1`;
  return [first(sql`next_at IS NOT NULL`), first(sql`next_at > time`)];
};

export interface Claim {
  /** Marks what is claimed. */
  readonly token: string;
  readonly time: number;
  readonly isKnown: IsKnown;
  /** Workspaces that have as many turns as one may have. */
  readonly full: readonly string[];
}

const isRoomFor = ({ full }: Claim): Sql => isNoneOf(sql`channels.workspace_id`, full);

/** Which of the channels in the table a sender has, and which of them can have a turn. */
export interface Places {
  /** What comes before a claim, in the same write. */
  readonly before: (claim: Claim, limit: number) => readonly Sql[];
  /** The channels whose turns can be claimed, by `workspace_id` and `channel_id`, as many as there may be. */
  readonly takeable: (claim: Claim, limit: number) => Sql;
  /** When the next of them is due. See `Job.due`. */
  readonly firstDue: (isKnown: IsKnown) => readonly Sql[];
  /** Those of a place that has nothing more to do are done without: what follows when a turn is given back. */
  readonly after?: (place: ChannelName) => Sql;
  /** Whether the end of a turn can make room for that of another place. */
  readonly shareRoom?: true;
}

/** Slack's channels, the longest due first. */
export const placesInSlack = (database: Pick<Database, 'skipLocked' | 'steadyTime'>): Places => ({
  before: () => [],
  takeable: (claim, limit) => {
    const { time, isKnown } = claim;
    return sql`SELECT workspace_id, channel_id FROM channels
      WHERE next_at IS NOT NULL AND ${isInSlack(sql`channel_id`)} AND ${isDue(sql`next_at`, time)} AND ${isRoomFor(claim)}
        AND ${isFreeFor(database, isKnown, time)}
      ORDER BY next_at LIMIT ${limit} ${database.skipLocked}`;
  },
  firstDue: firstChannelsDue,
});

/** Takes the turns of due channels. */
export const claimChannels = (
  database: SteadyTime,
  { takeable }: Pick<Places, 'takeable'>,
  claim: Claim,
  limit: number,
): Sql => {
  const { token } = claim;
  return sql`WITH picked AS MATERIALIZED (${takeable(claim, limit)})
    UPDATE channels SET claim = ${token}, claimed_until = ${leaseEnd(database)}
    FROM picked WHERE channels.workspace_id = picked.workspace_id AND channels.channel_id = picked.channel_id
    RETURNING channels.workspace_id, channels.channel_id`;
};

/** Takes the turn of a delivery's channel, if it's due and free. */
export const claimChannelOf = (database: SteadyTime, deliveryId: string, claim: Claim): Sql => {
  const { token, time, isKnown } = claim;
  return sql`UPDATE channels SET claim = ${token}, claimed_until = ${leaseEnd(database)}
    WHERE (workspace_id, channel_id) = (SELECT workspace_id, channel_id FROM deliveries WHERE id = ${deliveryId})
      AND next_at IS NOT NULL AND ${isDue(sql`next_at`, time)} AND ${isRoomFor(claim)}
      AND ${isFreeFor(database, isKnown, time)}`;
};

/**
 * In each channel that a token holds, takes the delivery that's due first. A delivery in state `sending` there belongs
 * to an attempt that ended with its process, since a channel has one turn at a time.
 *
 * @param which of the channels, if not all
 */
export const claimDeliveries = (
  { token, time, isKnown }: Pick<Claim, 'token' | 'time' | 'isKnown'>,
  which: Sql = sql`1 = 1`,
): Sql =>
  sql`UPDATE deliveries SET state = 'sending', claim = ${token}, attempts = attempts + 1,
      deaths = CASE WHEN state = 'sending' THEN deaths + 1 ELSE deaths END,
      attempted_at = COALESCE(attempted_at, ${time})
    WHERE id IN (SELECT (SELECT first.id FROM deliveries AS first
        WHERE first.workspace_id = channels.workspace_id AND first.channel_id = channels.channel_id
          AND first.state IN ('waiting', 'sending') AND ${isDue(sql`first.due_at`, time)}
          AND ${isKnown(sql`first.kind`)}
        ORDER BY first.due_at, first.id LIMIT 1)
      FROM channels WHERE channels.claim = ${token} AND ${which})
    RETURNING ${deliveryColumns}`;

/** Renews a claim; changes nothing if it was lost. */
export const renewClaim = (database: SteadyTime, name: ChannelName, token: string): Sql =>
  sql`UPDATE channels SET claimed_until = ${leaseEnd(database)} WHERE ${isNamed(name)} AND claim = ${token}`;

/** Where a channel's turn was kept, what is next there; nothing while its workspace is on hold. */
export const claimNext = (name: ChannelName, claim: Pick<Claim, 'token' | 'time' | 'isKnown'>): Sql =>
  claimDeliveries(claim, sql`${isNamed(name)} AND NOT ${isHeld}`);

export const ChannelNextRow = z.object({ next_at: z.number().nullable(), claim: z.string().nullable() });

/** For how long after Slack accepts the next post a turn that was kept is nobody else's: its process may have ended. */
const KEPT_MS = 1_000;

/**
 * Gives a channel's turn back, or keeps it for what is due there next. When that is gets computed once the row is locked:
 * deliveries accepted meanwhile wait for that, then set the time themselves. The second statement returns it, and the claim.
 *
 * @param openAt when Slack accepts the next post there
 * @param keeping where the turn may go on: it's kept if more is due by this `time` of day
 */
export function releaseChannel(
  name: ChannelName,
  token: string,
  openAt: number,
  keeping?: SteadyTime & { readonly time: number },
): readonly [Sql, Sql] {
  const isKept = keeping === undefined ? sql`1 = 0` : sql`waiting.due_at <= ${keeping.time}`;
  const keptUntil =
    keeping === undefined
      ? sql`CAST(NULL AS BIGINT)`
      : steadyTimeIn(keeping, Math.max(0, openAt - keeping.time) + KEPT_MS);
  return [
    sql`UPDATE channels SET claim = NULL, claimed_until = NULL, open_at = ${openAt}
      WHERE ${isNamed(name)} AND claim = ${token}`,
    sql`UPDATE channels SET (next_at, claim, claimed_until) = (
        SELECT CASE WHEN waiting.due_at < channels.open_at THEN channels.open_at ELSE waiting.due_at END,
          CASE WHEN ${isKept} THEN ${token} END, CASE WHEN ${isKept} THEN ${keptUntil} END
        FROM deliveries AS waiting WHERE ${isUnsettledThere} ORDER BY waiting.due_at, waiting.id LIMIT 1)
      WHERE ${isNamed(name)} AND claim IS NULL RETURNING next_at, claim`,
  ];
}

/** Ends a wait that Slack asked for in a delivery's channel; the pause after a post remains. */
export const openChannelOf = (deliveryId: string, time: number, paceMs: number): Sql =>
  sql`UPDATE channels SET open_at = 0, next_at = ${time} WHERE open_at > ${time + paceMs} AND EXISTS (
    SELECT 1 FROM deliveries WHERE id = ${deliveryId} AND state = 'waiting'
      AND deliveries.workspace_id = channels.workspace_id AND deliveries.channel_id = channels.channel_id)`;

/** Makes every channel due that has something waiting but no time set. */
export const wakeForgotten = (time: number): Sql =>
  sql`UPDATE channels SET next_at = ${time} WHERE next_at IS NULL AND EXISTS (
    SELECT 1 FROM deliveries AS waiting WHERE ${isUnsettledThere})`;

/** Unsets the time of every channel in which nothing waits any more. {@link wakeForgotten} follows in the same write. */
export const forgetEmpty = (time: number): Sql =>
  sql`UPDATE channels SET next_at = NULL WHERE next_at <= ${time} AND claim IS NULL AND NOT EXISTS (
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

/**
 * The same where the database can't be read: as it was last read here, at most an hour ago, or as Slack says it. Slack says
 * the id that a channel has now, except in buttons from before it got that.
 */
export const createCurrentChannelId = (database: Pick<Database, 'read'>, elapsed: () => number) =>
  createLastRead({
    read: (workspaceId, channelId) => channelNow(database, { workspaceId, channelId }),
    otherwise: (channelId) => channelId,
    elapsed,
  });
