import { expect, it } from 'vitest';
import { z } from 'zod';
import { sql } from '../../src/database/database.ts';
import { createRetention } from '../../src/database/retention.ts';
import { openUntilTestEnds } from '../support/engines.ts';

const HOUR_MS = 60 * 60_000;

it('removes rows in small steps, a day after they expired', async () => {
  const database = await openUntilTestEnds('memory:');
  let time = 0;
  const statements: number[] = [];
  const removal = (until: number, limit: number) => {
    statements.push(limit);
    return sql`DELETE FROM presses WHERE (workspace_id, id) IN (
      SELECT workspace_id, id FROM presses WHERE expires_at <= ${until} LIMIT ${limit})`;
  };
  const retention = createRetention({ database, now: () => time }, [removal], () => undefined);
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
  // The clock may be ahead by a day.
  time = 24 * HOUR_MS;
  await retention.run();
  expect(await left()).toBe(1_200);
  time = 25 * HOUR_MS;
  statements.length = 0;
  await retention.run();
  expect(await left()).toBe(0);
  expect(statements).toEqual(Array(13).fill(100));
});
