import { z } from 'zod';
import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import { hasChanged, isNoneOf, rowOf, rowsOf, sql, timeOf, type Sql } from '../database/database.ts';
import { createBackground, createSideBySide } from '../lifecycle/side-by-side.ts';
import { isWaiting } from '../messages/visitor-pieces.ts';
import { inOrderOfChannels } from '../outbox/channels.ts';
import type { App } from '../parts.ts';
import { isOnHold } from '../workspaces/holds.ts';
import { isSeenWithoutPost } from './pauses.ts';
import type { SubscriptionRepository } from './repository.ts';
import { kindOf, type Filters, type Subscription } from './subscription.ts';
import { MOST_MISSING, queuedChange, queuedPost, queuedReminder, Wait } from './wait-posts.ts';

const MINUTE_MS = 60_000;
/** Of the customers who are online. */
export const MOST_LISTED = 1_000;
/** A service that fails is asked again after as long as it has failed, and after this at most. */
const LONGEST_REST_MS = 15 * MINUTE_MS;
const NEXT_WAIT_AFTER_MS = 10 * MINUTE_MS;
/** Whoever was given a link has as long to open the screen as whoever is on it. */
const HELD_MS = 10 * MINUTE_MS;
const KEPT_MS = 24 * 60 * MINUTE_MS;
/** If none of those under way is done by then, it's looked again whether there's room. */
const LOOK_AGAIN_MS = 1_000;

export const removeOldWaits = (until: number, limit: number): Sql =>
  sql`DELETE FROM waits WHERE (workspace_id, visitor_id, channel_id) IN (
    SELECT workspace_id, visitor_id, channel_id FROM waits WHERE began_at <= ${until - KEPT_MS} LIMIT ${limit})`;

type Lists = Pick<CobrowseClient, 'listVisitors'>;

/** Who is online, or everybody where nobody says so. @throws CobrowseError; `not-understood` if nobody says whether they wait */
export async function listForWaits({ listVisitors }: Lists): Promise<readonly Visitor[]> {
  const limit = MOST_LISTED;
  const visitors = await listVisitors({ online: true, limit }).catch((error: unknown) => {
    if (error instanceof CobrowseError && error.code === 'presence-unknown') return listVisitors({ limit });
    throw error;
  });
  if (visitors.length > 0 && visitors.every((one) => one.is_waiting_for_call === undefined)) {
    const words = 'No visitor in the answer says whether they wait.';
    throw new CobrowseError('not-understood', words, { code: 'waiting-unknown' });
  }
  return visitors;
}

const isTagged = ({ tags }: Filters, visitor: Visitor): boolean =>
  tags.length === 0 ||
  tags.some((tag) => visitor.tags.some((own) => own.trim().toLowerCase() === tag.toLowerCase()));

/** Where the list doesn't say whether they still wait, they count as missing. */
function stateOf(visitor: Visitor | undefined): 'here' | 'over' | 'missing' {
  if (visitor === undefined) return 'missing';
  if (isWaiting(visitor)) return 'here';
  return visitor.is_in_session === true || visitor.is_waiting_for_call === false ? 'over' : 'missing';
}

const columns = sql`workspace_id, visitor_id, channel_id, id,
  (SELECT post_ts FROM deliveries WHERE deliveries.id = waits.id AND state = 'posted') AS post_ts`;

const isOpenIn = (workspaceId: string) => sql`workspace_id = ${workspaceId} AND ended_at IS NULL`;

/** Whoever is on it, or was given a link to the screen, since the wait began. */
const takenBy = (at: number): Sql => sql`COALESCE(
  (SELECT user_id FROM visitor_claims WHERE visitor_claims.workspace_id = waits.workspace_id
    AND visitor_claims.visitor_id = waits.visitor_id AND claimed_until > ${at}),
  (SELECT user_id FROM watch_links WHERE watch_links.workspace_id = waits.workspace_id
    AND watch_links.visitor_id = waits.visitor_id AND issued_at >= began_at AND issued_at > ${at - HELD_MS}
    ORDER BY issued_at DESC LIMIT 1))`;

const takenStatement = (workspaceId: string, at: number): Sql =>
  sql`UPDATE waits SET taken_by = ${takenBy(at)}
    WHERE ${isOpenIn(workspaceId)} AND COALESCE(taken_by, '') <> COALESCE(${takenBy(at)}, '') RETURNING ${columns}`;

/**
 * Tells channels of customers who wait for help. The service doesn't report it, so it's asked once a minute, by one of the
 * processes, for workspaces where a channel wants to know.
 * @param report called for what is tried again
 */
export function createWaits(
  {
    database: tables,
    outbox,
    cobrowseOf,
    now,
  }: Pick<App, 'database' | 'outbox' | 'now'> & {
    readonly cobrowseOf: (workspaceId: string) => Promise<Lists>;
  },
  repository: Pick<SubscriptionRepository, 'known'>,
  report: (error: unknown) => void,
) {
  const database = tables.inBackground();
  const sideBySide = createSideBySide();
  const following = createBackground(report);
  const time = () => Math.round(now());
  const newest = () => ({ id: outbox.newId(), acceptedAt: time() });

  /** Also where no channel wants to know any more, until what was posted there is over. */
  const due = () =>
    database.read(
      sql`SELECT workspace_id FROM (
          SELECT workspace_id FROM subscriptions WHERE remind_minutes IS NOT NULL
          UNION SELECT workspace_id FROM waits WHERE ended_at IS NULL) AS concerned
        WHERE NOT ${isOnHold(sql`concerned.workspace_id`)} AND NOT EXISTS (
          SELECT 1 FROM wait_looks WHERE wait_looks.workspace_id = concerned.workspace_id AND next_at > ${time()})`,
      rowOf({ workspaceId: z.string() }),
    );

  const openIn = (workspaceId: string) =>
    database.read(sql`SELECT ${columns} FROM waits WHERE ${isOpenIn(workspaceId)}`, Wait);

  /** True for one caller a minute, in any process. */
  async function claim(workspaceId: string): Promise<boolean> {
    const at = time();
    const [claimed] = await database.write(
      sql`INSERT INTO wait_looks (workspace_id, next_at) VALUES (${workspaceId}, ${at + MINUTE_MS})
        ON CONFLICT (workspace_id) DO UPDATE SET next_at = excluded.next_at WHERE wait_looks.next_at <= ${at}`,
    );
    return hasChanged(claimed);
  }

  async function rest(workspaceId: string): Promise<void> {
    const at = time();
    const hasFailedFor = sql`${at} - COALESCE(failing_since, ${at})`;
    await database.write(
      sql`UPDATE wait_looks SET failing_since = COALESCE(failing_since, ${at}), next_at = ${at} + CASE
          WHEN ${hasFailedFor} < ${MINUTE_MS} THEN ${MINUTE_MS}
          WHEN ${hasFailedFor} > ${LONGEST_REST_MS} THEN ${LONGEST_REST_MS} ELSE ${hasFailedFor} END
        WHERE workspace_id = ${workspaceId}`,
    );
  }

  function begun(visitorId: string, wanted: Subscription, at: number): Sql {
    const { workspaceId, channelId, remindMinutes = 0 } = wanted;
    const remindAt = remindMinutes === 0 ? null : at + remindMinutes * MINUTE_MS;
    return sql`INSERT INTO waits (workspace_id, visitor_id, channel_id, id, began_at, missing, remind_at)
      VALUES (${workspaceId}, ${visitorId}, ${channelId}, ${outbox.newId()}, ${at}, 0, ${remindAt})
      ON CONFLICT (workspace_id, visitor_id, channel_id) DO UPDATE SET id = excluded.id, began_at = excluded.began_at,
        missing = 0, remind_at = excluded.remind_at, taken_by = NULL, ended_at = NULL
      WHERE waits.ended_at <= ${at - NEXT_WAIT_AFTER_MS} RETURNING ${columns}`;
  }

  /** Writes what a list says, and queues what follows from it. */
  async function record(
    workspaceId: string,
    wanted: readonly Subscription[],
    visitors: readonly Visitor[],
  ): Promise<void> {
    const isOpen = isOpenIn(workspaceId);
    const at = time();
    const open = await openIn(workspaceId);
    const listed = new Map(visitors.map((visitor) => [visitor.short_id, visitor]));
    const idsOf = (state: ReturnType<typeof stateOf>) =>
      open.filter(({ visitorId }) => stateOf(listed.get(visitorId)) === state).map(({ id }) => id);
    const isKnown = new Set(open.map(({ visitorId, channelId }) => `${channelId} ${visitorId}`));
    const begins = wanted.flatMap((one) =>
      visitors
        .filter((visitor) => isWaiting(visitor) && isTagged(one.filters, visitor))
        .filter(({ short_id: id }) => !isKnown.has(`${one.channelId} ${id}`))
        .map(({ short_id: id }) => ({ subscription: one.id, statement: begun(id, one, at) })),
    );
    const isNotMissing = isNoneOf(sql`id`, idsOf('missing'));
    const isOver = sql`(missing >= ${MOST_MISSING} OR NOT (${isNoneOf(sql`id`, idsOf('over'))}))`;
    await database.writeThen(
      [
        sql`UPDATE wait_looks SET failing_since = NULL WHERE workspace_id = ${workspaceId}`,
        sql`UPDATE waits SET missing = CASE WHEN ${isNotMissing} THEN 0 ELSE missing + 1 END WHERE ${isOpen}`,
        sql`UPDATE waits SET ended_at = ${at}, taken_by = COALESCE(${takenBy(at)}, taken_by)
          WHERE ${isOpen} AND ${isOver} RETURNING ${columns}`,
        takenStatement(workspaceId, at),
        sql`UPDATE waits SET remind_at = NULL WHERE ${isOpen} AND missing = 0 AND taken_by IS NULL AND remind_at <= ${at}
          AND NOT (${isNoneOf(
            sql`channel_id`,
            wanted.map(({ channelId }) => channelId),
          )})
          AND EXISTS (SELECT 1 FROM deliveries WHERE deliveries.id = waits.id AND state = 'posted') RETURNING ${columns}`,
        ...begins.map(({ statement }) => statement),
      ],
      ([, , ended, taken, untaken, ...began]) =>
        inOrderOfChannels([
          ...[...rowsOf(ended, Wait), ...rowsOf(taken, Wait)].map((one) => queuedChange(one, newest())),
          ...rowsOf(untaken, Wait).map((one) => queuedReminder(one, newest())),
          ...began.flatMap((written, index) =>
            rowsOf(written, Wait).map((one) => queuedPost(one, begins[index]?.subscription ?? '', at)),
          ),
        ]),
    );
    outbox.wake();
  }

  async function look(workspaceId: string): Promise<void> {
    try {
      const wanted = (await repository.known(workspaceId)).filter(
        (one) => kindOf(one) === 'waits' && !isSeenWithoutPost(one.paused?.reason ?? ''),
      );
      const isConcerned = wanted.length > 0 || (await openIn(workspaceId)).length > 0;
      if (!isConcerned || !(await claim(workspaceId))) return;
      const visitors = await cobrowseOf(workspaceId)
        .then(listForWaits)
        .catch(async (error: unknown) => {
          await rest(workspaceId);
          throw error;
        });
      await record(workspaceId, wanted, visitors);
    } catch (error) {
      report(error);
    }
  }

  async function refresh(workspaceId: string): Promise<void> {
    await database.writeThen([takenStatement(workspaceId, time())], ([taken]) =>
      inOrderOfChannels(rowsOf(taken, Wait).map((one) => queuedChange(one, newest()))),
    );
    outbox.wake();
  }

  return {
    /** Begins with the workspaces where it's time, until it's told to stop. Never rejects. */
    async round(stopping?: AbortSignal): Promise<void> {
      try {
        for (const { workspaceId } of await due()) {
          while (sideBySide.isFull()) await sideBySide.oneIsDone(LOOK_AGAIN_MS);
          if (stopping?.aborted === true) return;
          if (!sideBySide.busy().includes(workspaceId))
            void sideBySide.start(workspaceId, () => look(workspaceId));
        }
      } catch (error) {
        report(error);
      }
    },
    /** Somebody may have taken a customer, or let them go: the posts say so in a moment. */
    taken: (workspaceId: string): void => following.start(() => refresh(workspaceId)),
    /** Since when the service hasn't said who waits; undefined while it does. */
    async failingSince(workspaceId: string): Promise<Date | undefined> {
      const [row] = await tables.read(
        sql`SELECT failing_since FROM wait_looks WHERE workspace_id = ${workspaceId} AND failing_since IS NOT NULL`,
        rowOf({ failingSince: timeOf }),
      );
      return row?.failingSince;
    },
    /** Resolves when what was begun is done. */
    async idle(): Promise<void> {
      await Promise.all([sideBySide.idle(), following.idle()]);
    },
  };
}

export type Waits = ReturnType<typeof createWaits>;
