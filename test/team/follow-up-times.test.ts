import { describe, expect, it } from 'vitest';
import { dueAt, type When } from '../../src/team/follow-up-forms.ts';

const due = (when: When, now: string, zone = 'Europe/Amsterdam') => {
  const at = dueAt(when, zone, Date.parse(now));
  return at === undefined ? 'never' : new Date(at).toISOString().replace(':00.000Z', '');
};
const AFTERNOON: When = { when: 'today' };
const WORKDAY: When = { when: 'tomorrow' };
const on = (day: string, time = '09:00'): When => ({ when: 'day', day, time });
const [ANGELES, KIRITIMATI, SANTIAGO] = ['America/Los_Angeles', 'Pacific/Kiritimati', 'America/Santiago'];

describe('a follow-up is due', () => {
  it.each([
    ['this afternoon', AFTERNOON, '2026-11-25T09:15:00Z', '2026-11-25T14:00'],
    ['not this afternoon at three', AFTERNOON, '2026-11-25T14:00:00Z', 'never'],
    ['tomorrow, by the person’s clock', WORKDAY, '2026-11-25T23:30:00Z', '2026-11-27T08:00'],
    ['on Monday, of a Friday', WORKDAY, '2026-11-27T10:00:00Z', '2026-11-30T08:00'],
    ['on Monday, of a Sunday', WORKDAY, '2026-11-29T10:00:00Z', '2026-11-30T08:00'],
    ['on Monday, after a change of the clocks', WORKDAY, '2026-10-23T12:00:00Z', '2026-10-26T08:00'],
    ['on a day at a time', on('2026-11-26', '14:30'), '2026-11-25T12:00:00Z', '2026-11-26T13:30'],
    ['not earlier on the same day', on('2026-11-25'), '2026-11-25T12:00:00Z', 'never'],
    ['after a change of the clocks', on('2027-03-29'), '2027-03-01T12:00:00Z', '2027-03-29T07:00'],
    ['when skipped time ends', on('2027-03-28', '02:30'), '2027-03-01T12:00:00Z', '2027-03-28T01:00'],
    ['in 90 days', on('2027-02-23'), '2026-11-25T12:00:00Z', '2027-02-23T08:00'],
    ['not in 91 days', on('2027-02-24'), '2026-11-25T12:00:00Z', 'never'],
    ['not on a day that isn’t', on('2026-11-31'), '2026-11-25T12:00:00Z', 'never'],
    ['on Monday, in Los Angeles of a Friday', WORKDAY, '2026-11-28T01:30:00Z', '2026-11-30T17:00', ANGELES],
    [
      'on Monday, in Kiritimati of a Saturday',
      WORKDAY,
      '2026-11-27T10:00:00Z',
      '2026-11-29T19:00',
      KIRITIMATI,
    ],
    ['tomorrow, where a zone has no name', WORKDAY, '2026-11-25T12:00:00Z', '2026-11-26T03:15', '+05:45'],
    [
      'when a day begins after the jump',
      on('2026-09-06', '00:30'),
      '2026-09-01T12:00:00Z',
      '2026-09-06T04:00',
      SANTIAGO,
    ],
  ])('%s', (_what, when, now, at, zone?: string) => {
    expect(due(when, now, zone)).toBe(at);
  });
});
