import { isNoneOf, sql, CLOCKS_APART_MS, hasComeIn, type Database, type Sql } from '../database/database.ts';
import { LONGEST_WAIT_MS, isFreeFor, type Places } from '../outbox/channels.ts';
import { isOnHold } from '../workspaces/holds.ts';
import { PAUSED_AFTER_MS, type AddressName } from './addresses.ts';

/** Messages under way to an address at once, of all processes together. */
const MOST_AT_ONCE = 5;
/** No address is held for longer. */
export const LONGEST_HOLD_MS = 24 * 60 * 60_000;
/** Of ids of addresses. */
const ID_LENGTH = 16;

/** Where events of a link are told to an address, one after the other. */
export const placeOf = (addressId: string, linkId: string): string => `${addressId}/${linkId}`;

export const addressOf = ({
  workspaceId,
  channelId,
}: {
  readonly workspaceId: string;
  readonly channelId: string;
}): AddressName => ({ workspaceId, id: channelId.slice(0, ID_LENGTH) });

// As the indexes have it: with parameters in it, or without its first letter, an engine wouldn't see that they're the ones. Nor
// would SQLite if what the id is compared with weren't an expression, too.
const isOfAddress = sql`substr(channels.channel_id, 1, 1) >= 'a' AND channels.workspace_id = address.workspace_id
  AND substr(channels.channel_id, 1, 16) = substr(address.id, 1, 16)`;

/** Nothing is told to an address that is gone, or where the app is. */
const isOn = sql`address.off_at IS NULL AND NOT ${isOnHold(sql`address.workspace_id`)}`;

const isPausedAt = (time: Sql): Sql =>
  sql`COALESCE(address.failing_since <= ${time} - ${PAUSED_AFTER_MS}, FALSE)`;

/** One that's paused is tried with one message at a time. */
const hasRoom = (steady: Sql, time: Sql): Sql =>
  sql`(SELECT COUNT(*) FROM channels WHERE ${isOfAddress} AND claim IS NOT NULL AND claimed_until > ${steady})
    < CASE WHEN ${isPausedAt(time)} THEN 1 ELSE ${MOST_AT_ONCE} END`;

/** Something of the first place of an address that is due; one that was reckoned by a clock that ran ahead is, too. */
function firstThatIs(
  { time, free, order = sql`next_at` }: { time: Sql; free: Sql; order?: Sql },
  column: Sql,
): Sql {
  const first = (condition: Sql) =>
    sql`(SELECT ${column} FROM channels WHERE ${isOfAddress} AND next_at IS NOT NULL AND ${condition} AND ${free}
      ORDER BY ${order} LIMIT 1)`;
  const ahead = sql`${time} + ${LONGEST_WAIT_MS + CLOCKS_APART_MS}`;
  return sql`COALESCE(${first(sql`next_at <= ${time}`)}, ${first(sql`next_at > ${ahead}`)})`;
}

const isUnclaimed = (steady: Sql): Sql => sql`(claim IS NULL OR claimed_until <= ${steady})`;

/** When the first of an address's places is due that nobody's turn it is, and the address isn't held. See `Job.due`. */
const firstDue = sql`SELECT MIN(CASE WHEN held <= due OR held > time + ${LONGEST_HOLD_MS + CLOCKS_APART_MS} THEN due
    WHEN held > time + ${LONGEST_WAIT_MS} THEN time + ${LONGEST_WAIT_MS} ELSE held END) AS at
  FROM (SELECT clock.time AS time, COALESCE(address.held_until, 0) AS held,
      (SELECT next_at FROM channels WHERE ${isOfAddress} AND next_at IS NOT NULL AND ${isUnclaimed(sql`clock.steady`)}
        ORDER BY next_at LIMIT 1) AS due
    FROM clock, webhook_addresses AS address
    WHERE ${isOn} AND ${hasRoom(sql`clock.steady`, sql`clock.time`)}) AS each_one
  WHERE due IS NOT NULL HAVING COUNT(*) > 0`;

/**
 * The places of webhooks, which share the room of their address: five turns at once, whichever processes take them. Whoever
 * claims places of an address locks it first, and takes one at a time.
 */
export const createWebhookPlaces = (database: Pick<Database, 'skipLocked' | 'steadyTime'>): Places => ({
  // Once an address is locked, the next statement sees what everybody who had the lock before has claimed.
  before({ token, time, full }, limit) {
    const at = sql`CAST(${time} AS BIGINT)`;
    const steady = database.steadyTime();
    const due = firstThatIs({ time: at, free: isUnclaimed(steady) }, sql`next_at`);
    return [
      sql`UPDATE webhook_addresses SET claim = ${token} WHERE (workspace_id, id) IN (
        SELECT workspace_id, id FROM webhook_addresses AS address
        WHERE ${isOn} AND ${isNoneOf(sql`address.workspace_id`, full)} AND ${due} IS NOT NULL
          AND (held_until IS NULL OR ${hasComeIn(sql`held_until`, time, LONGEST_HOLD_MS)}) AND ${hasRoom(steady, at)}
        ORDER BY ${due} LIMIT ${limit} ${database.skipLocked})`,
    ];
  },
  takeable({ token, time, isKnown }) {
    const at = sql`CAST(${time} AS BIGINT)`;
    const free = isFreeFor(database, isKnown, time);
    const next = (order?: Sql) => firstThatIs({ time: at, free, order }, sql`channel_id`);
    // Where it's paused, first what was never tried: one that fails by itself can't keep the address paused.
    return sql`SELECT workspace_id, channel_id FROM channels WHERE (workspace_id, channel_id) IN (
      SELECT workspace_id, CASE WHEN ${isPausedAt(at)} THEN ${next(sql`open_at, next_at`)} ELSE ${next()} END
      FROM webhook_addresses AS address
      WHERE address.claim = ${token} AND ${hasRoom(database.steadyTime(), at)}) ${database.skipLocked}`;
  },
  firstDue: () => [firstDue],
  after: ({ workspaceId, channelId }) =>
    sql`DELETE FROM channels WHERE workspace_id = ${workspaceId} AND channel_id = ${channelId} AND next_at IS NULL
      AND claim IS NULL`,
  shareRoom: true,
});
