import { describe, expect, it } from 'vitest';
import { barsOf, latestPeriod } from '../../src/subscriptions/due.ts';
import { instantOf, isZone, localTime } from '../../src/subscriptions/zones.ts';

const at = (text: string) => Date.parse(text);
const shown = (ms: number) => new Date(ms).toISOString();
const period = (schedule: Parameters<typeof latestPeriod>[0], now: string) => {
  const { from, to } = latestPeriod(schedule, at(now));
  return [shown(from), shown(to)];
};

const daily = (zone: string, hour = 9, minute = 0) => ({ hour, minute, zone });

describe('the clocks of a zone', () => {
  it.each([
    ['Europe/Amsterdam', '2026-07-01T07:00:00Z', { hour: 9, minute: 0, day: 1 }],
    ['Asia/Kathmandu', '2026-07-01T07:00:00Z', { hour: 12, minute: 45, day: 1 }],
    ['Asia/Kolkata', '2026-12-31T19:00:00Z', { year: 2027, month: 1, day: 1, hour: 0, minute: 30 }],
    ['America/St_Johns', '2026-01-01T03:00:00Z', { year: 2025, month: 12, day: 31, hour: 23, minute: 30 }],
    ['UTC', '2026-07-01T00:00:00Z', { hour: 0, minute: 0 }],
  ])('in %s at %s show %j', (zone, moment, reading) => {
    expect(localTime(at(moment), zone)).toMatchObject(reading);
  });

  it.each([
    ['the usual', [2026, 6, 1, 9, 0], '2026-06-01T07:00:00.000Z'],
    ['put forward over it', [2026, 3, 29, 2, 30], '2026-03-29T01:30:00.000Z'],
    ['shortly before they are put forward', [2026, 3, 29, 1, 59], '2026-03-29T00:59:00.000Z'],
    ['shortly after they were put forward', [2026, 3, 29, 3, 0], '2026-03-29T01:00:00.000Z'],
    ['twice: the first counts', [2026, 10, 25, 2, 30], '2026-10-25T00:30:00.000Z'],
    ['after they were put back', [2026, 10, 25, 3, 0], '2026-10-25T02:00:00.000Z'],
  ] as const)('show a time, %s', (_case, [year, month, day, hour, minute], moment) => {
    expect(shown(instantOf({ year, month, day, hour, minute }, 'Europe/Amsterdam'))).toBe(moment);
  });

  it('are known by name, or not', () => {
    expect(isZone('Asia/Kathmandu')).toBe(true);
    expect(isZone('Mars/Olympus')).toBe(false);
    expect(isZone('')).toBe(false);
  });
});

describe('when a digest is due', () => {
  it.each([
    ['after the time', '2026-06-10T07:00:00Z', ['2026-06-09T07:00:00.000Z', '2026-06-10T07:00:00.000Z']],
    ['a moment before', '2026-06-10T06:59:59Z', ['2026-06-08T07:00:00.000Z', '2026-06-09T07:00:00.000Z']],
    [
      'over the clocks put forward',
      '2026-03-29T12:00:00Z',
      ['2026-03-28T08:00:00.000Z', '2026-03-29T07:00:00.000Z'],
    ],
    [
      'over the clocks put back',
      '2026-10-25T12:00:00Z',
      ['2026-10-24T07:00:00.000Z', '2026-10-25T08:00:00.000Z'],
    ],
    [
      'on the first of the year',
      '2027-01-01T09:00:00Z',
      ['2026-12-31T08:00:00.000Z', '2027-01-01T08:00:00.000Z'],
    ],
  ])('daily, %s', (_case, now, expected) => {
    expect(period(daily('Europe/Amsterdam'), now)).toEqual(expected);
  });

  it('daily, in a zone of quarter hours', () => {
    expect(period(daily('Asia/Kathmandu', 9, 30), '2026-06-10T03:45:00Z')).toEqual([
      '2026-06-09T03:45:00.000Z',
      '2026-06-10T03:45:00.000Z',
    ]);
  });

  it('daily, at a time that the clocks jump over: once that day', () => {
    const schedule = daily('Europe/Amsterdam', 2, 30);
    expect(period(schedule, '2026-03-29T01:29:59Z')[1]).toBe('2026-03-28T01:30:00.000Z');
    expect(period(schedule, '2026-03-29T01:30:00Z')[1]).toBe('2026-03-29T01:30:00.000Z');
    expect(period(schedule, '2026-03-29T23:00:00Z')[1]).toBe('2026-03-29T01:30:00.000Z');
  });

  it('daily, at a time that comes twice: once that day', () => {
    const schedule = daily('Europe/Amsterdam', 2, 30);
    expect(period(schedule, '2026-10-25T00:30:00Z')[1]).toBe('2026-10-25T00:30:00.000Z');
    expect(period(schedule, '2026-10-25T01:30:00Z')[1]).toBe('2026-10-25T00:30:00.000Z');
  });

  it('weekly, on its day, over a change of the clocks', () => {
    const schedule = { ...daily('America/New_York'), weekday: 1 };
    expect(period(schedule, '2026-11-05T00:00:00Z')).toEqual([
      '2026-10-26T13:00:00.000Z',
      '2026-11-02T14:00:00.000Z',
    ]);
  });

  it('has a bar for each day of a week, whose days are 23 to 25 hours long', () => {
    const schedule = { ...daily('America/New_York'), weekday: 1 };
    const latest = latestPeriod(schedule, at('2026-11-05T00:00:00Z'));
    const starts = barsOf(schedule, latest).map(shown);
    expect(starts).toHaveLength(7);
    expect([starts[0], starts[5], starts[6]]).toEqual([
      '2026-10-26T13:00:00.000Z',
      '2026-10-31T13:00:00.000Z',
      '2026-11-01T14:00:00.000Z',
    ]);
  });
});
