import { z } from 'zod';
import { isNoneOf, rowsOf, sql, type Database, type Sql } from '../database/database.ts';
import { LONGEST_FAILING_MS, isDue, isInSlack } from './channels.ts';
import { DeliveryRow, deliveryColumns, type Delivery } from './delivery.ts';
import type { Kinds, KindSent } from './kind.ts';
import { todoAbout } from '../messages/slack-codes.ts';
import { createSideBySide } from '../lifecycle/side-by-side.ts';
import { holdWorkspace, isOnHold } from '../workspaces/holds.ts';
import type { Transport } from './transport.ts';

/** By then a post whose answer was lost has arrived, if it ever will. */
export const RECHECK_AFTER_MS = 60_000;
const AGAIN_AFTER_MS = 5 * 60_000;
/** While some are looked for, others may become due. */
const LOOK_AGAIN_MS = 1_000;
/** Stop looking after this long: whatever is doubled then stays doubled. */
const GIVE_UP_AFTER_MS = 100 * 60_000;

const SettledRow = z.object({
  state: z.string(),
  attempted_at: z.number().nullable(),
  settled_at: z.number(),
});

interface Suspect {
  readonly delivery: Delivery;
  /** How many of its messages should be there: none for a card that was replaced. */
  readonly belong: 0 | 1;
  readonly since: number;
  readonly settledAt: number;
}

/** When the next one is due. See `Job.due`. */
export const firstRecheck: Sql = sql`SELECT recheck_at AS at FROM deliveries
  WHERE recheck_at IS NOT NULL AND NOT ${isOnHold(sql`deliveries.workspace_id`)} ORDER BY recheck_at LIMIT 1`;

/**
 * Makes a delivery that's settled due to be looked for: a process that slept, and lost its turn by that, has posted it
 * beside the one that settled it. What isn't sent to Slack can't be looked for.
 */
export const doubtSettled = (id: string, time: number): Sql =>
  sql`UPDATE deliveries SET recheck_at = ${time} WHERE id = ${id} AND state IN ('posted', 'skipped')
    AND ${isInSlack(sql`channel_id`)}`;

/**
 * Looks again for deliveries whose earlier post got no answer, a minute after the later one, in each workspace one after
 * the other: Slack lets a history be read about once a second. If both arrived, the later one is removed, and the first one is
 * the delivery's post from then on.
 */
export function createRechecks({
  database,
  kinds,
  transport: { find, unpost },
  report,
  now,
}: {
  readonly database: Database;
  readonly kinds: Kinds<KindSent>;
  readonly transport: Pick<Transport, 'find' | 'unpost'>;
  /** Called for each message that was removed, each look that was given up or couldn't see everything, and each failure. */
  readonly report: (outcome: 'removed' | 'unknown' | 'broken', id: string, error?: unknown) => void;
  readonly now: () => number;
}): (isStopped: () => boolean) => Promise<void> {
  async function claim(busy: readonly string[]): Promise<Suspect | undefined> {
    const time = now();
    const mustLook = isDue(sql`recheck_at`, time);
    const [written] = await database.write(
      sql`UPDATE deliveries SET recheck_at = ${time + AGAIN_AFTER_MS}
        WHERE id = (SELECT id FROM deliveries WHERE recheck_at IS NOT NULL AND ${mustLook}
            AND NOT ${isOnHold(sql`deliveries.workspace_id`)} AND ${isNoneOf(sql`workspace_id`, busy)}
          ORDER BY recheck_at LIMIT 1 ${database.skipLocked})
        RETURNING ${deliveryColumns}, state, settled_at`,
    );
    const [delivery] = rowsOf(written, DeliveryRow);
    const [row] = rowsOf(written, SettledRow);
    if (delivery === undefined || row === undefined) return undefined;
    const { state, attempted_at: attemptedAt, settled_at: settledAt } = row;
    return { delivery, belong: state === 'posted' ? 1 : 0, since: attemptedAt ?? settledAt, settledAt };
  }

  async function remove({ delivery, belong }: Suspect, channelId: string, found: readonly string[]) {
    const { id, workspaceId, kind } = delivery;
    // The first one stays: somebody may have replied to it.
    const removals = await Promise.all(
      found.slice(belong).map((ts) => unpost({ workspaceId, channelId }, ts)),
    );
    for (const removal of removals) if (removal === 'gone') report('removed', id);
    const [ts] = found;
    if (belong === 1 && removals.length > 0)
      await database.write(
        sql`UPDATE deliveries SET post_ts = ${ts ?? null}, post_channel_id = ${channelId} WHERE id = ${id}`,
        ...(kinds.get(kind)?.recorded?.(delivery, { channelId, ts }) ?? []),
      );
    return removals.includes('later') ? 'again' : 'done';
  }

  /** @returns how long to wait before looking again, milliseconds; undefined if we're done */
  async function look(suspect: Suspect): Promise<number | undefined> {
    const { delivery, since, settledAt, belong } = suspect;
    const { id, messageId: knownAs, workspaceId, channelId: to, threadTs } = delivery;
    const seen = await find({ workspaceId, to, threadTs }, knownAs, since);
    if ('found' in seen && (await remove(suspect, seen.channelId, seen.found)) === 'done') {
      if (seen.isPartial === true && seen.found.length <= belong) report('unknown', id);
      return undefined;
    }
    const isRefused = 'outcome' in seen && todoAbout(seen.reason) === 'hold-workspace';
    if (isRefused && now() - settledAt < LONGEST_FAILING_MS) {
      // That says nothing about the post, so it's looked for again once Slack accepts the token, for as long as posts wait.
      await database.write(holdWorkspace(workspaceId, seen.reason, now()));
      return AGAIN_AFTER_MS;
    }
    if (('found' in seen || seen.outcome === 'later') && now() - settledAt < GIVE_UP_AFTER_MS)
      return Math.max(AGAIN_AFTER_MS, ('found' in seen ? undefined : seen.afterMs) ?? 0);
    report('unknown', id);
    return undefined;
  }

  async function recheck(suspect: Suspect): Promise<void> {
    const { id } = suspect.delivery;
    try {
      const afterMs = await look(suspect);
      const next = afterMs === undefined ? null : now() + afterMs;
      await database.write(sql`UPDATE deliveries SET recheck_at = ${next} WHERE id = ${id}`);
    } catch (error) {
      report('broken', id, error);
    }
  }

  return async function recheckAll(isStopped) {
    const sideBySide = createSideBySide();
    do {
      const suspect = await claim(sideBySide.busy());
      if (suspect === undefined) await sideBySide.oneIsDone(LOOK_AGAIN_MS);
      else void sideBySide.start(suspect.delivery.workspaceId, () => recheck(suspect));
    } while (sideBySide.busy().length > 0 && !isStopped());
    await sideBySide.idle();
  };
}
