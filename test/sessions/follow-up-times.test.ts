import { describe, expect, it } from 'vitest';
import { dueAt, laterToday } from '../../src/sessions/follow-up-times.ts';
import type { When } from '../../src/sessions/follow-up-times.ts';

const AMSTERDAM = { timeZone: 'Europe/Amsterdam', utcOffsetSeconds: 3_600 };
const shown = (at: number | undefined) => (at === undefined ? 'never' : new Date(at).toISOString());
const due = (when: When, now: string, zone: Parameters<typeof dueAt>[1] = AMSTERDAM) =>
  shown(dueAt(when, zone, Date.parse(now)));
const day = (date: string): When => ({ is: 'day', day: date });

describe('later today', () => {
  it.each([
    ['in three hours', '2026-11-25T09:15:00Z', '2026-11-25T12:15:00.000Z'],
    ['at 17:30 at the latest', '2026-11-25T15:00:00Z', '2026-11-25T16:30:00.000Z'],
    ['not after 17:30', '2026-11-25T16:30:00Z', 'never'],
    ['not late in the evening', '2026-11-25T22:59:59Z', 'never'],
    ['again after midnight', '2026-11-25T23:00:00Z', '2026-11-26T02:00:00.000Z'],
  ])('is %s', (_what, now, at) => {
    expect(shown(laterToday(AMSTERDAM, Date.parse(now)))).toBe(at);
  });
});

describe('another day', () => {
  it.each([
    [
      'tomorrow, by the person’s own clock',
      { is: 'tomorrow' },
      '2026-11-25T23:30:00Z',
      '2026-11-27T08:00:00.000Z',
    ],
    [
      'tomorrow, over a change of the clocks',
      { is: 'tomorrow' },
      '2026-10-24T12:00:00Z',
      '2026-10-25T08:00:00.000Z',
    ],
    [
      'on a day, after a change of the clocks',
      day('2027-03-29'),
      '2027-03-01T12:00:00Z',
      '2027-03-29T07:00:00.000Z',
    ],
    ['on a day of the next year', day('2027-01-04'), '2026-12-20T12:00:00Z', '2027-01-04T08:00:00.000Z'],
    ['tomorrow as a day', day('2026-11-26'), '2026-11-25T12:00:00Z', '2026-11-26T08:00:00.000Z'],
    ['never: today', day('2026-11-25'), '2026-11-25T05:00:00Z', 'never'],
    ['never: yesterday', day('2026-11-24'), '2026-11-25T12:00:00Z', 'never'],
    ['never: a year ahead', day('2027-11-26'), '2026-11-25T12:00:00Z', 'never'],
    ['never: too far ahead', day('2027-02-25'), '2026-11-25T12:00:00Z', 'never'],
    ['never: no such day', day('2026-11-31'), '2026-11-25T12:00:00Z', 'never'],
    ['never: no date at all', day('soon'), '2026-11-25T12:00:00Z', 'never'],
  ] as const)('is at 9:00: %s', (_what, when, now, at) => {
    expect(due(when, now)).toBe(at);
  });

  it('goes by the offset where Slack names no zone, or one that nobody knows', () => {
    for (const timeZone of [undefined, 'Mars/Olympus'])
      expect(due({ is: 'tomorrow' }, '2026-11-25T12:00:00Z', { timeZone, utcOffsetSeconds: 20_700 })).toBe(
        '2026-11-26T03:15:00.000Z',
      );
  });
});
