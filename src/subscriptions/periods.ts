import { Cron } from 'croner';
import type { Schedule } from './subscription.ts';

/** A time that the clocks skip becomes the first moment after it; of a time that comes twice, the first counts. */
const timesOf = ({ weekday, onWeekdays, hour, minute, zone }: Schedule) =>
  new Cron(`0 ${minute} ${hour} * * ${weekday ?? (onWeekdays ? '1-5' : '*')}`, {
    timezone: zone,
    paused: true,
  });

/** A schedule always has a next time, and one before. */
const timeOf = (date: Date | null | undefined): number => date?.getTime() ?? NaN;

/** The next time after a moment. Milliseconds since 1970. */
export const nextDue = (schedule: Schedule, after: number): number =>
  timeOf(timesOf(schedule).nextRun(new Date(after)));

/** When it was last due, at this moment or before. The search is for times before a whole second. */
const latestDue = (schedule: Schedule, now: number): number =>
  timeOf(timesOf(schedule).previousRuns(1, new Date((Math.floor(now / 1_000) + 1) * 1_000))[0]);

/** From one due time to the next; `to` isn't part of it. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

export function latestPeriod(schedule: Schedule, now: number): Period {
  const to = latestDue(schedule, now);
  return { from: latestDue(schedule, to - 1), to };
}

/** Over a weekend, or a week: not a day, which may have 25 hours. */
const isLong = ({ from, to }: Period) => to - from > 36 * 60 * 60_000;

/** The times at which the bars of a period begin: of several days each, of a day eight parts as long as each other. */
export function barsOf(schedule: Schedule, period: Period): readonly number[] {
  const { from, to } = period;
  if (!isLong(period)) return Array.from({ length: 8 }, (_, index) => from + ((to - from) / 8) * index);
  const { hour, minute, zone } = schedule;
  const daily = { hour, minute, zone };
  const starts: number[] = [];
  for (let at = latestDue(daily, to - 1); at >= from; at = latestDue(daily, at - 1)) starts.unshift(at);
  return starts;
}

const DAY = { weekday: 'short' } as const;
const TIME = { hourCycle: 'h23', hour: '2-digit', minute: '2-digit' } as const;

/** What a bar of a period is called that begins then: its day, or its time. */
export const barLabel = (at: number, { zone: timeZone }: Schedule, period: Period): string =>
  new Intl.DateTimeFormat('en-US', { timeZone, ...(isLong(period) ? DAY : TIME) }).format(at);
