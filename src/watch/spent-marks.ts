import { sql } from '../database/sql.ts';
import type { Sql } from '../database/sql.ts';
import { steadyTimeIn } from '../database/steady-time.ts';
import type { SteadyTime } from '../database/steady-time.ts';

/** Further than a clock is set back by mistake. */
const KEPT_MS = 24 * 60 * 60 * 1_000;

/** For a mark's `expires_at`; `good_until` has the time when what is marked as spent has expired by the clock. */
export const keptUntil = (database: SteadyTime): Sql => steadyTimeIn(database, KEPT_MS);

/**
 * Whether a mark can be removed. What it marks goes by the clock, so it's over by the clock; and 24 hours have passed by
 * the time that nobody sets, since after a clock is set back the same press or ticket may be good again. One from before
 * the machine was restarted, where that time begins anew, goes by the clock alone: it would be kept for as long as the
 * machine ran before.
 *
 * @param until the lowest time that the clock has shown for minutes
 */
export const isOver = (steady: SteadyTime, until: number): Sql =>
  sql`good_until <= ${until}
    AND (expires_at <= ${steady.steadyTime()} OR expires_at > ${steadyTimeIn(steady, 2 * KEPT_MS)})`;
