import { expect, it } from 'vitest';
import { createSteadyClock } from '../../src/subscriptions/steady-clock.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

it('believes a leap ahead after ten minutes of it, and what goes back or runs on at once', () => {
  const machine = { elapsed: 0, ahead: DAY_MS };
  const time = createSteadyClock({
    now: () => machine.elapsed + machine.ahead,
    elapsed: () => machine.elapsed,
  });
  const after = (minutes: number) => {
    machine.elapsed += minutes * MINUTE_MS;
    return time() - machine.elapsed;
  };
  expect(after(60)).toBe(DAY_MS);
  machine.ahead += 30_000;
  expect(after(1)).toBe(DAY_MS + 30_000);
  machine.ahead += DAY_MS;
  expect([after(0), after(9)]).toEqual([DAY_MS + 30_000, DAY_MS + 30_000]);
  machine.ahead -= DAY_MS;
  expect(after(0)).toBe(DAY_MS + 30_000);
  machine.ahead += DAY_MS;
  expect([after(0), after(9.9), after(0.1)]).toEqual([DAY_MS + 30_000, DAY_MS + 30_000, 2 * DAY_MS + 30_000]);
  machine.ahead = 0;
  expect(after(1)).toBe(0);
});

it('tells whole milliseconds, even while it doesn’t believe a leap', () => {
  const machine = { elapsed: 0.25, leap: 0 };
  const time = createSteadyClock({
    now: () => DAY_MS + Math.floor(machine.elapsed) + machine.leap,
    elapsed: () => machine.elapsed,
  });
  expect(time()).toBe(DAY_MS);
  machine.leap = DAY_MS;
  machine.elapsed += MINUTE_MS + 0.5;
  expect(time()).toBe(DAY_MS + MINUTE_MS + 1);
});
