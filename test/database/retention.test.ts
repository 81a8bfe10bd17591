import { expect, it } from 'vitest';
import { z } from 'zod';
import { sql } from '../../src/database/database.ts';
import { createRetention, createSweep } from '../../src/database/retention.ts';
import { openUntilTestEnds } from '../support/engines.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

it('removes expired rows in small steps, and nothing because a clock was ahead for a while', async () => {
  const database = await openUntilTestEnds('memory:');
  const clock = { time: 0, elapsed: 0 };
  const statements: number[] = [];
  const retention = createRetention({
    of: [
      [
        database,
        (until, limit) => {
          statements.push(limit);
          return sql`DELETE FROM presses WHERE (workspace_id, id) IN (
          SELECT workspace_id, id FROM presses WHERE expires_at <= ${until} LIMIT ${limit})`;
        },
      ],
    ],
    clocks: { now: () => clock.time, elapsed: () => clock.elapsed },
    report: () => undefined,
  });
  await database.write(
    sql`WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 1200)
      INSERT INTO presses (workspace_id, id, expires_at) SELECT 'T1', n, ${HOUR_MS} FROM numbers`,
  );
  const left = async () => {
    const [row] = await database.read(
      sql`SELECT count(*) AS rows FROM presses`,
      z.object({ rows: z.number() }),
    );
    return row?.rows;
  };
  // Once ahead by a day, and right again within ten minutes.
  clock.time = 24 * HOUR_MS;
  await retention.run();
  clock.time = 0;
  clock.elapsed += HOUR_MS;
  await retention.run();
  expect(await left()).toBe(1_200);
  clock.time = 2 * HOUR_MS;
  clock.elapsed += HOUR_MS;
  await retention.run();
  clock.elapsed += HOUR_MS;
  statements.length = 0;
  await retention.run();
  expect(await left()).toBe(0);
  expect(statements).toEqual(Array(13).fill(100));
});

it('looks once in ten minutes if there is nothing to remove, however often it is called', () => {
  const asked: number[] = [];
  let time = 0;
  const clock = () => time;
  const remove = (until: number) => {
    asked.push(until);
    return sql`DELETE`;
  };
  const sweep = createSweep(remove, { now: clock, elapsed: clock });
  for (; time <= 30 * MINUTE_MS; time += 1_000) if (sweep.next() !== undefined) sweep.removed(0);

  expect(asked).toEqual([0, 10 * MINUTE_MS, 20 * MINUTE_MS]);
});
