import { sql, type Database, type Sql } from '../database/database.ts';
import { wakeChannelOf } from './channels.ts';
import { DeliveryRow, deliveryColumns, insertDelivery, type Delivery, type NewId } from './delivery.ts';
import type { KindSent, Kinds } from './kind.ts';
import { doubtSettled } from './rechecks.ts';

/** What is in a message's place by now, or is about to be: the latest change of whatever has taken that place. */
const latestThere = ({ workspaceId, replacesId = '' }: Delivery): Sql => {
  const taker = sql`(SELECT taken_by FROM deliveries WHERE id = ${replacesId})`;
  return sql`SELECT ${deliveryColumns} FROM deliveries WHERE workspace_id = ${workspaceId}
    AND (id = ${taker} OR replaces_id = COALESCE(${taker}, ${replacesId}))
    AND state IN ('waiting', 'sending', 'posted') ORDER BY id DESC LIMIT 1`;
};

/**
 * For a process that slept, lost its turn by that, and then sent what it had all the same. A message that's there twice is
 * removed. One that was changed to what was true before is drawn again, in its channel's turn.
 */
export function createAfterLostTurn({
  database,
  kinds,
  newId,
  now,
}: {
  readonly database: Pick<Database, 'read' | 'write'>;
  readonly kinds: Kinds<KindSent>;
  readonly newId: NewId;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}) {
  async function redrawn(changed: Delivery): Promise<readonly Sql[]> {
    if (changed.replacesId === undefined) return [];
    const [last] = await database.read(latestThere(changed), DeliveryRow);
    if (last === undefined) return [];
    const { workspaceId, channelId, threadTs, sessionEndId, payload } = last;
    const redrawnBy = kinds.get(last.kind)?.redrawnBy;
    const id = newId();
    const again = {
      id,
      workspaceId,
      key: `again ${id}`,
      kind: redrawnBy ?? last.kind,
      channelId,
      threadTs,
      sessionEndId,
      acceptedAt: now(),
      replaces: sql`CAST(${(redrawnBy === undefined ? last.replacesId : last.id) ?? null} AS TEXT)`,
      payload,
    };
    return [insertDelivery(again), wakeChannelOf(id)];
  }

  return async function afterLostTurn(sent: Delivery): Promise<void> {
    await database.write(doubtSettled(sent.id, now()), ...(await redrawn(sent)));
  };
}
