import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { sql } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { idsFrom } from '../../src/outbox/delivery.ts';
import { deliveryRemovals } from '../../src/outbox/retention.ts';
import { removeOldSessionEnds } from '../../src/sessions/session-ends.ts';
import { engines } from '../support/engines.ts';
import { DAY_MS } from './stage.ts';

const NOW = Date.UTC(2026, 10, 22);
const Count = z.object({ deliveries: z.number(), ends: z.number() });

let number = 0;
const idAt = (at: number) => `${idsFrom(at)}${String((number += 1)).padStart(5, '0')}`;

function delivery(ageDays: number, isSettled: boolean) {
  const at = NOW - ageDays * DAY_MS;
  const id = idAt(at);
  return sql`INSERT INTO deliveries (id, workspace_id, dedupe_key, kind, channel_id, state, due_at, attempts, deaths,
      is_short, accepted_at, settled_at)
    VALUES (${id}, 'T1', ${id}, 'summary', 'C1', ${isSettled ? 'posted' : 'waiting'}, ${at}, 0, 0, 0, ${at},
      ${isSettled ? at : null})`;
}

function sessionEnd(ageDays: number) {
  const at = NOW - ageDays * DAY_MS;
  const id = idAt(at);
  return sql`INSERT INTO session_ends (id, workspace_id, session_id, claimant, link_id, user_id, visitor_id, access,
      features, received_at, recovered, fanned_out_at, payload)
    VALUES (${id}, 'T1', ${id}, '', 'l', 'u', 'v', 'full', '[]', ${at}, 0, ${at}, '{}')`;
}

describe.each(engines)('expired rows in $engine', ({ newUrl }) => {
  it('are removed, a few at a time, and nothing else', async () => {
    const database = await openDatabase(await newUrl());
    onTestFinished(() => database.close());
    const expired = Array.from({ length: 5 }, () => delivery(40, true));
    await database.write(...expired, delivery(40, false), delivery(29, true), sessionEnd(91), sessionEnd(89));
    const leftAfterOne = async () => {
      for (const removal of [...deliveryRemovals, removeOldSessionEnds])
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
});
