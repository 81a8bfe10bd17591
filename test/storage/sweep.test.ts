import { describe, expect, it } from 'vitest';
import { createSweep } from '../../src/storage/sweep.ts';

const MINUTE_MS = 60_000;

function openSweep() {
  const clock = { time: 0, elapsed: 0 };
  const asked: number[] = [];
  const sweep = createSweep(
    (until) => {
      asked.push(until);
      return 0;
    },
    { now: () => clock.time, elapsed: () => clock.elapsed },
  );
  return { clock, asked, sweep };
}

describe('a sweep', () => {
  it('looks once in ten minutes where there is nothing to remove, however often it is called', () => {
    const { clock, asked, sweep } = openSweep();
    for (let second = 0; second <= 30 * 60; second += 1) {
      sweep();
      clock.time += 1_000;
      clock.elapsed += 1_000;
    }
    expect(asked).toEqual([0, 10 * MINUTE_MS, 20 * MINUTE_MS]);
  });

  it('does not go by a clock that it sees for the first time', () => {
    const { clock, asked, sweep } = openSweep();
    clock.elapsed = 60 * MINUTE_MS;
    clock.time = 91 * 24 * 60 * MINUTE_MS;
    sweep();
    expect(asked).toEqual([0]);
  });
});
