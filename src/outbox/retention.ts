import { sql, type Sql } from '../database/database.ts';
import { idsFrom } from './delivery.ts';
import { FAILED_KEPT_MS } from './overview.ts';
import { removeOldRestores } from './restored.ts';

/** Longer than anyone asks about a summary. */
const DELIVERIES_KEPT_MS = FAILED_KEPT_MS;
/** A channel without a post for this long is simply added again with its next delivery. */
const CHANNELS_KEPT_MS = 90 * 24 * 60 * 60_000;

/** Statements that each remove a few expired rows, for the job that runs them. */
export const deliveryRemovals: readonly ((until: number, limit: number) => Sql)[] = [
  (until, limit) => sql`DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries
    WHERE id < ${idsFrom(until - DELIVERIES_KEPT_MS)} AND settled_at <= ${until - DELIVERIES_KEPT_MS}
    LIMIT ${limit})`,
  (until, limit) => sql`DELETE FROM channels WHERE (workspace_id, channel_id) IN (
    SELECT workspace_id, channel_id FROM channels
    WHERE next_at IS NULL AND claim IS NULL AND moved_to IS NULL
      AND open_at <= ${until - CHANNELS_KEPT_MS}
    LIMIT ${limit})`,
  removeOldRestores,
];
