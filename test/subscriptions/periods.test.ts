import { describe, expect, it } from 'vitest';
import { barsOf, latestPeriod, nextDue } from '../../src/subscriptions/digest-numbers.ts';

const at = (text: string) => Date.parse(text);
const shown = (ms: number) => new Date(ms).toISOString();
const period = (schedule: Parameters<typeof latestPeriod>[0], now: string) => {
  const { from, to } = latestPeriod(schedule, at(now));
  return [shown(from), shown(to)];
};

const daily = (zone: string, hour = 9, minute = 0) => ({ hour, minute, zone });

describe('when a digest is due', () => {
  const AMSTERDAM = daily('Europe/Amsterdam');
  const KATHMANDU = daily('Asia/Kathmandu', 9, 30);
  // When the clocks jump over it, and then when it comes twice.
  const AT_NIGHT = daily('Europe/Amsterdam', 2, 30);
  const WEEKLY = { ...daily('America/New_York'), weekday: 1 };
  const WEEKDAYS = { ...daily('Asia/Kathmandu', 9, 0), onWeekdays: true } as const;
  it.each([
    ['after the time', AMSTERDAM, '2026-06-10T07:00:00Z', '2026-06-09T07:00', '2026-06-10T07:00'],
    ['a moment before', AMSTERDAM, '2026-06-10T06:59:59Z', '2026-06-08T07:00', '2026-06-09T07:00'],
    ['over clocks put forward', AMSTERDAM, '2026-03-29T12:00:00Z', '2026-03-28T08:00', '2026-03-29T07:00'],
    ['over clocks put back', AMSTERDAM, '2026-10-25T12:00:00Z', '2026-10-24T07:00', '2026-10-25T08:00'],
    ['in quarter hours', KATHMANDU, '2026-06-10T03:45:00Z', '2026-06-09T03:45', '2026-06-10T03:45'],
    ['at the jump', AT_NIGHT, '2026-03-29T01:00:00Z', '2026-03-28T01:30', '2026-03-29T01:00'],
    ['the first of two', AT_NIGHT, '2026-10-25T00:30:00Z', '2026-10-24T00:30', '2026-10-25T00:30'],
    ['weekly, over clocks put back', WEEKLY, '2026-11-05T00:00:00Z', '2026-10-26T13:00', '2026-11-02T14:00'],
    ['not on a weekend', WEEKDAYS, '2026-11-30T03:15:00Z', '2026-11-27T03:15', '2026-11-30T03:15'],
    ['not the second', AT_NIGHT, '2026-10-25T01:30:00Z', '2026-10-24T00:30', '2026-10-25T00:30'],
  ])('%s', (_case, schedule, now, from, to) => {
    expect(period(schedule, now)).toEqual([`${from}:00.000Z`, `${to}:00.000Z`]);
  });

  it('on a Monday after a Friday where it is for weekdays', () => {
    const friday = at('2026-11-27T03:15:00Z');
    expect(shown(nextDue(WEEKDAYS, friday - 1))).toBe('2026-11-27T03:15:00.000Z');
    expect(shown(nextDue(WEEKDAYS, friday))).toBe('2026-11-30T03:15:00.000Z');
  });

  it.each([
    ['Europe/Amsterdam', 2, 30, '2026-03-28', '2026-04-01'],
    ['Australia/Lord_Howe', 2, 15, '2026-10-02', '2026-10-06'],
    ['America/Santiago', 0, 0, '2026-09-04', '2026-09-09'],
  ])(
    'follows period on period without a gap where the clocks of %s change',
    (zone, hour, minute, start, end) => {
      const schedule = daily(zone, hour, minute);
      const last = at(`${end}T12:00:00Z`);
      const times: number[] = [];
      for (let due = nextDue(schedule, at(`${start}T00:00:00Z`)); due <= last; due = nextDue(schedule, due)) {
        expect(latestPeriod(schedule, due)).toEqual({
          from: times.at(-1) ?? latestPeriod(schedule, due - 1).to,
          to: due,
        });
        expect(latestPeriod(schedule, due - 1).to).toBeLessThan(due);
        times.push(due);
      }
      expect(times.length).toBe(Math.floor((last - (times[0] ?? 0)) / 86_400_000 + 1.1));
    },
  );

  it('names its bars by day or time, by the clocks of its zone', () => {
    const schedule = daily('Asia/Kathmandu', 0, 15);
    const labels = (days: object, now: string) => {
      const latest = latestPeriod({ ...schedule, ...days }, at(now));
      return barsOf({ ...schedule, ...days }, latest).map(({ label }) => label);
    };
    expect(labels({}, '2026-06-10T03:45:00Z').slice(0, 3)).toEqual(['00:15', '03:15', '06:15']);
    expect(labels({ weekday: 1 }, '2026-06-10T03:45:00Z').slice(0, 3)).toEqual(['Mon', 'Tue', 'Wed']);
    // From Friday's to Monday's, and from Monday's to Tuesday's.
    expect(labels({ onWeekdays: true }, '2026-06-08T03:45:00Z')).toEqual(['Fri', 'Sat', 'Sun']);
    expect(labels({ onWeekdays: true }, '2026-06-09T03:45:00Z')).toHaveLength(8);
  });
});
