import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { sql } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';
import { createRetention } from '../../src/database/retention.ts';
import { idsFrom } from '../../src/outbox/delivery.ts';
import { deliveryRemovals } from '../../src/outbox/retention.ts';
import { removeOldSessionEnds } from '../../src/sessions/session-ends.ts';
import { engines } from '../support/engines.ts';
import { watch } from './stage.ts';

const DAY_MS = 24 * 60 * 60_000;
const NOW = Date.UTC(2026, 10, 22);

describe.each(engines)('expired rows in $engine', ({ newUrl }) => {
  it('are removed in small steps, and nothing else, even if the clock is ahead for a moment', async () => {
    const database = watch(await openDatabase(await newUrl()));
    onTestFinished(() => database.close());
    let number = 0;
    const delivery = (ageDays: number, isSettled: boolean) => {
      const at = NOW - ageDays * DAY_MS;
      const id = `${idsFrom(at)}${String((number += 1)).padStart(5, '0')}`;
      return sql`INSERT INTO deliveries (id, workspace_id, dedupe_key, kind, channel_id, state, due_at, attempts, deaths,
          is_short, accepted_at, settled_at)
        VALUES (${id}, 'T1', ${id}, 'summary', 'C1', ${isSettled ? 'posted' : 'waiting'}, ${at}, 0, 0, 0, ${at},
          ${isSettled ? at : null})`;
    };
    const sessionEnd = (ageDays: number) => {
      const at = NOW - ageDays * DAY_MS;
      const id = `${idsFrom(at)}${String((number += 1)).padStart(5, '0')}`;
      return sql`INSERT INTO session_ends (id, workspace_id, session_id, claimant, link_id, user_id, visitor_id, access,
          features, received_at, recovered, fanned_out_at, payload)
        VALUES (${id}, 'T1', ${id}, '', 'l', 'u', 'v', 'full', '[]', ${at}, 0, ${at}, '{}')`;
    };
    const many = Array.from({ length: 1_200 }, () => delivery(40, true));
    await database.write(...many, delivery(40, false), delivery(29, true), sessionEnd(91), sessionEnd(89));
    const clock = { time: NOW, elapsed: 0 };
    const retention = createRetention({
      of: [[database, ...deliveryRemovals, removeOldSessionEnds]],
      clocks: { now: () => clock.time, elapsed: () => clock.elapsed },
      report: (error: unknown) => expect(error).toBeUndefined(),
    });
    /** Eleven minutes later the job goes by what the clock said before. */
    const runLater = async () => {
      clock.elapsed += 11 * 60_000;
      await retention.run();
    };
    const count = async (table: 'deliveries' | 'session_ends') => {
      const [row] = await database.read(
        table === 'deliveries'
          ? sql`SELECT COUNT(*) AS count FROM deliveries`
          : sql`SELECT COUNT(*) AS count FROM session_ends`,
        z.object({ count: z.number() }),
      );
      return row?.count;
    };
    database.watched.statements.length = 0;
    await runLater();
    expect([await count('deliveries'), await count('session_ends')]).toEqual([2, 1]);
    expect(
      database.watched.statements.filter((statement) => statement.startsWith('DELETE FROM deliveries')),
    ).toHaveLength(3);
    // A year ahead at one look; the look before contradicts it.
    clock.time += 365 * DAY_MS;
    await runLater();
    clock.time -= 365 * DAY_MS;
    await runLater();
    expect([await count('deliveries'), await count('session_ends')]).toEqual([2, 1]);
    await retention.stop();
  });
});
