import { describe, expect, it } from 'vitest';
import { sql } from '../../src/database/database.ts';
import { createSweep } from '../../src/database/retention.ts';

const MINUTE_MS = 60_000;

function openSweep() {
  const clock = { time: 0, elapsed: 0 };
  const asked: number[] = [];
  const sweep = createSweep(
    (until) => {
      asked.push(until);
      return sql`DELETE`;
    },
    { now: () => clock.time, elapsed: () => clock.elapsed },
  );
  const look = () => {
    if (sweep.next() !== undefined) sweep.removed(0);
  };
  return { clock, asked, look };
}

describe('a sweep', () => {
  it('looks once in ten minutes if there is nothing to remove, however often it is called', () => {
    const { clock, asked, look } = openSweep();
    for (let second = 0; second <= 30 * 60; second += 1) {
      look();
      clock.time += 1_000;
      clock.elapsed += 1_000;
    }
    expect(asked).toEqual([0, 10 * MINUTE_MS, 20 * MINUTE_MS]);
  });

  it('doesn’t trust a clock that it sees for the first time', () => {
    const { clock, asked, look } = openSweep();
    clock.elapsed = 60 * MINUTE_MS;
    clock.time = 91 * 24 * 60 * MINUTE_MS;
    look();
    expect(asked).toEqual([0]);
  });
});
