import { describe, expect, it } from 'vitest';
import { startedDays } from '../../src/home/started.ts';
import { readFilter } from '../../src/admin/audit.ts';
import { dayOf, isDay, localTime, startOfDay, zoneOf } from '../../src/messages/days.ts';

/** The same place by its offset alone, where nobody knows the zone's name. */
const KATHMANDU = zoneOf({ timeZone: 'Nowhere/Land', utcOffsetSeconds: 20_700 });

/** Where the clocks are odd: when it is, the day there, and when the week, yesterday, today and tomorrow begin. */
const WORLD = `
  Los Angeles at half past five | America/Los_Angeles | 2026-11-28T01:30:00Z | 2026-11-27
    | 2026-11-23T08:00Z | 2026-11-26T08:00Z | 2026-11-27T08:00Z | 2026-11-28T08:00Z
  Cairo, whose Thursday has 25 hours | Africa/Cairo | 2026-10-29T21:30:00Z | 2026-10-29
    | 2026-10-25T21:00Z | 2026-10-27T21:00Z | 2026-10-28T21:00Z | 2026-10-29T22:00Z
  Santiago, whose day begins at one | America/Santiago | 2026-09-06T15:00:00Z | 2026-09-06
    | 2026-08-31T04:00Z | 2026-09-05T04:00Z | 2026-09-06T04:00Z | 2026-09-07T03:00Z
  Beirut, whose day begins at one | Asia/Beirut | 2026-03-28T22:00:00Z | 2026-03-29
    | 2026-03-22T22:00Z | 2026-03-27T22:00Z | 2026-03-28T22:00Z | 2026-03-29T21:00Z
  Amsterdam, the day after 23 hours | Europe/Amsterdam | 2026-03-30T00:30:00Z | 2026-03-30
    | 2026-03-29T22:00Z | 2026-03-28T23:00Z | 2026-03-29T22:00Z | 2026-03-30T22:00Z
  Kiritimati, a day ahead of Hawaii, at midnight | Pacific/Kiritimati | 2026-11-27T10:00:00Z | 2026-11-28
    | 2026-11-22T10:00Z | 2026-11-26T10:00Z | 2026-11-27T10:00Z | 2026-11-28T10:00Z
  Kathmandu, a second before midnight | Asia/Kathmandu | 2026-11-27T18:14:59Z | 2026-11-27
    | 2026-11-22T18:15Z | 2026-11-25T18:15Z | 2026-11-26T18:15Z | 2026-11-27T18:15Z
  the same by its offset alone, at midnight | ${KATHMANDU} | 2026-11-27T18:15:00Z | 2026-11-28
    | 2026-11-22T18:15Z | 2026-11-26T18:15Z | 2026-11-27T18:15Z | 2026-11-28T18:15Z
  Cairo, whose day begins at one | Africa/Cairo | 2026-04-24T10:00:00Z | 2026-04-24
    | 2026-04-19T22:00Z | 2026-04-22T22:00Z | 2026-04-23T22:00Z | 2026-04-24T21:00Z
  Amsterdam, at the end of 25 hours | Europe/Amsterdam | 2026-10-25T22:59:59Z | 2026-10-25
    | 2026-10-18T22:00Z | 2026-10-23T22:00Z | 2026-10-24T22:00Z | 2026-10-25T23:00Z
  Havana, in the second half past midnight | America/Havana | 2026-11-01T05:30:00Z | 2026-11-01
    | 2026-10-26T04:00Z | 2026-10-31T04:00Z | 2026-11-01T04:00Z | 2026-11-02T05:00Z
  Lord Howe, whose clocks go forward by half an hour | Australia/Lord_Howe | 2026-10-04T05:00:00Z | 2026-10-04
    | 2026-09-27T13:30Z | 2026-10-02T13:30Z | 2026-10-03T13:30Z | 2026-10-04T13:00Z
`
  .split(/\n  (?=\S)/)
  .slice(1)
  .map((row) => {
    const [place = '', zone = '', now = '', day = '', ...begins] = row.split('|').map((cell) => cell.trim());
    const [week = '', yesterday = '', today = '', tomorrow = ''] = begins;
    return { place, zone, now, day, week, yesterday, today, tomorrow };
  });

const at = (text: string) => new Date(text);

describe.each(WORLD)('a day in $place', ({ zone, now, day, week, yesterday, today, tomorrow }) => {
  const time = Date.parse(now);

  it('is the one on the calendar there, and begins and ends with its clocks', () => {
    expect(dayOf(time, zone)).toBe(day);
    expect(localTime(time, zone).slice(0, 10)).toBe(day);
    expect(at(today)).toEqual(new Date(startOfDay(day, zone)));
    expect(dayOf(Date.parse(today) - 1, zone) < day).toBe(true);
    expect(dayOf(Date.parse(tomorrow) - 1, zone)).toBe(day);
    expect(dayOf(Date.parse(tomorrow), zone) > day).toBe(true);
  });

  it.each([
    ['today', at(today), undefined],
    ['Yesterday', at(yesterday), at(today)],
    ['this week', at(week), undefined],
    ['since yesterday', at(yesterday), undefined],
    [`since ${day}`, at(today), undefined],
    ['last 2 days', new Date(time - 2 * 24 * 3_600_000), undefined],
  ])('is what a filter means by %j', (typed, since, until) => {
    expect(readFilter(typed, time, zone)).toMatchObject({ filter: { since, until } });
  });

  it('belongs to the seven of its week', () => {
    const read = readFilter('last week', time, zone);
    const { since, until } = typeof read === 'string' ? {} : read.filter;
    expect(until).toEqual(at(week));
    const [begin, end] = [since, until].map((moment) => dayOf(moment?.getTime() ?? 0, zone));
    expect(Date.parse(end ?? '') - Date.parse(begin ?? '')).toBe(7 * 24 * 3_600_000);
    expect(new Date(begin ?? '').getUTCDay()).toBe(1);
  });

  it('is the last of the fourteen that Home counts, each from its own midnight', async () => {
    let starts: readonly number[] = [];
    const usedPerDay = async (_workspaceId: string, asked: readonly number[]) => {
      starts = asked;
      return asked.slice(1).map(() => ({ used: 1, notAccepted: 0 }));
    };
    expect(await startedDays({ usedPerDay }, 'T1', zone, time)).toHaveLength(14);
    expect(starts.slice(-3)).toEqual([yesterday, today, tomorrow].map((moment) => Date.parse(moment)));
    expect(new Set(starts.map((start) => dayOf(start, zone))).size).toBe(15);
    for (const start of starts) expect(dayOf(start - 1, zone) < dayOf(start, zone)).toBe(true);
  });
});

describe('a day that somebody types', () => {
  it.each(['2026-02-31', '2026-02-29', '2100-02-29', '2026-13-01', '2026-00-10', '2026-04-00', '2026-11-31'])(
    'is said not to exist: %s',
    (day) => {
      expect(isDay(day)).toBe(false);
      expect(readFilter(`stop since ${day}`, 0, 'UTC')).toBe(`There’s no such day as ${day}.`);
    },
  );

  it.each(['since 2026-2-3', 'since 11/01/2026', 'since monday', 'since'])(
    'is asked for again where it’s none: %s',
    (typed) => {
      expect(readFilter(typed, 0, 'UTC')).toBe(
        `I didn’t understand “${typed}”. Write the day like since 2026-11-01.`,
      );
    },
  );

  it('is UTC’s where nobody knows whose it is, and says so', () => {
    const read = readFilter('today', Date.parse('2026-11-28T01:30:00Z'), undefined);
    expect(read).toMatchObject({ filter: { since: new Date('2026-11-28'), when: 'today (UTC)' } });
  });

  it('may be one that a zone skipped', () => {
    expect(new Date(startOfDay('2011-12-30', 'Pacific/Apia'))).toEqual(new Date('2011-12-30T10:00Z'));
  });
});
