import { describe, expect, it, onTestFinished } from 'vitest';
import { deliveriesCheck, readUndelivered } from '../../src/admin/check-summaries.ts';
import { sql } from '../../src/database/database.ts';
import { openDatabase } from '../../src/database/open.ts';

const NOON = Date.UTC(2026, 2, 1, 12);
const MINUTE_MS = 60_000;

const insert = (id: string, state: string, age: number) => {
  const settledAt = state === 'failed' ? NOON - age : null;
  return sql`INSERT INTO deliveries (id, workspace_id, dedupe_key, kind, channel_id, state, due_at, attempts, deaths,
      is_short, accepted_at, settled_at)
    VALUES (${id}, 'T1', ${id}, 'summary', 'C1', ${state}, 0, 0, 0, 0, ${NOON - age}, ${settledAt})`;
};

describe('the summaries', () => {
  it.each([
    [0, 0, 'ok', 'All summaries delivered.'],
    [1, 0, 'warning', '1 summary waiting for more than a minute.'],
    [
      1_200,
      1,
      'warning',
      '1,200 summaries waiting for more than a minute. Couldn’t deliver 1 summary in the last 30 days.',
    ],
    [0, 2, 'warning', 'Couldn’t deliver 2 summaries in the last 30 days.'],
  ])('of which %i wait and %i have failed are %s', async (late, failed, state, says) => {
    const check = deliveriesCheck(async () => ({ late, failed }));
    expect(await check.run()).toMatchObject([{ about: 'Summaries', state, says }]);
  });

  it('that wait are counted after a minute, including those being asked about and those on their way', async () => {
    const database = await openDatabase('memory:');
    onTestFinished(() => database.close());
    await database.write(
      insert('new', 'waiting', 0),
      insert('young', 'waiting', MINUTE_MS - 1),
      insert('late', 'waiting', MINUTE_MS),
      insert('asking', 'asking', MINUTE_MS + 1),
      insert('sending', 'sending', MINUTE_MS + 1),
      insert('failed', 'failed', MINUTE_MS),
      insert('failed-long-ago', 'failed', 31 * 24 * 60 * MINUTE_MS),
    );
    expect(await readUndelivered(database, () => NOON)).toEqual({ late: 3, failed: 1 });
  });
});
