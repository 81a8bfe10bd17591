import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sql } from '../../../src/database/database.ts';
import { idsFrom } from '../../../src/outbox/delivery.ts';
import { deliveryRemovals } from '../../../src/outbox/retention.ts';
import { removeOldSessionEnds } from '../../../src/sessions/session-ends.ts';
import { engines, openUntilTestEnds } from '../../support/engines.ts';
import { DAY_MS } from '../../outbox/stage.ts';

const NOW = Date.UTC(2026, 10, 22);
const Count = z.object({ deliveries: z.number(), ends: z.number() });

let number = 0;
const idAt = (at: number) => `${idsFrom(at)}${String((number += 1)).padStart(5, '0')}`;

function delivery(ageDays: number, isSettled: boolean, endId: string | null = null) {
  const at = NOW - ageDays * DAY_MS;
  const id = idAt(at);
  return sql`INSERT INTO deliveries (id, workspace_id, dedupe_key, kind, channel_id, state, due_at, attempts, deaths,
      is_short, accepted_at, settled_at, session_end_id)
    VALUES (${id}, 'T1', ${id}, 'summary', 'C1', ${isSettled ? 'posted' : 'waiting'}, ${at}, 0, 0, 0, ${at},
      ${isSettled ? at : null}, ${endId})`;
}

function sessionEnd(ageDays: number, id = idAt(NOW - ageDays * DAY_MS)) {
  const at = NOW - ageDays * DAY_MS;
  return sql`INSERT INTO session_ends (id, workspace_id, session_id, claimant, link_id, user_id, visitor_id, access,
      features, received_at, recovered, fanned_out_at, payload)
    VALUES (${id}, 'T1', ${id}, '', 'l', 'u', 'v', 'full', '[]', ${at}, 0, ${at}, '{}')`;
}

describe.each(engines)('expired rows in $engine', ({ newUrl }) => {
  it('are removed, a few at a time, and nothing else', async () => {
    const database = await openUntilTestEnds(await newUrl());
    const expired = Array.from({ length: 5 }, () => delivery(40, true));
    await database.write(...expired, delivery(40, false), delivery(29, true), sessionEnd(91), sessionEnd(89));
    const leftAfterOne = async () => {
      for (const removal of [...deliveryRemovals, removeOldSessionEnds(90)])
        await database.write(removal(NOW, 3));
      return database.read(
        sql`SELECT (SELECT COUNT(*) FROM deliveries) AS deliveries, (SELECT COUNT(*) FROM session_ends) AS ends`,
        Count,
      );
    };
    expect(await leftAfterOne()).toEqual([{ deliveries: 4, ends: 1 }]);
    expect(await leftAfterOne()).toEqual([{ deliveries: 2, ends: 1 }]);
    expect(await leftAfterOne()).toEqual([{ deliveries: 2, ends: 1 }]);
  });

  it('spares a session end with a delivery that isn’t settled, for as long as there is one', async () => {
    const database = await openUntilTestEnds(await newUrl());
    const [waiting, posted] = [idAt(NOW - 50 * DAY_MS), idAt(NOW - 50 * DAY_MS)];
    await database.write(sessionEnd(50, waiting), delivery(50, false, waiting), delivery(50, true, waiting));
    await database.write(sessionEnd(50, posted), delivery(50, true, posted));
    const left = async (days: number) => {
      await database.write(removeOldSessionEnds(days)(NOW, 3));
      return database.read(sql`SELECT id FROM session_ends ORDER BY id`, z.object({ id: z.string() }));
    };
    expect(await left(51)).toHaveLength(2);
    expect(await left(49)).toEqual([{ id: waiting }]);
    await database.write(sql`UPDATE deliveries SET settled_at = ${NOW} WHERE settled_at IS NULL`);
    expect(await left(49)).toEqual([]);
  });
});
