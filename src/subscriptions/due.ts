import type { Schedule } from '../grants/schedule.ts';
import { instantOf, localTime } from './zones.ts';

/** A week, and the days that the clocks can be apart. */
const LONGEST_LOOK_BACK_DAYS = 9;

/** ISO's, of a date in the calendar. */
function weekdayOf(year: number, month: number, day: number): number {
  return new Date(Date.UTC(year, month - 1, day)).getUTCDay() || 7;
}

/** When it was due last, at this moment or before. Milliseconds since 1970. */
function latestDue({ weekday, hour, minute, zone }: Schedule, now: number): number {
  const { year, month, day: today } = localTime(now, zone);
  for (let back = 0; back <= LONGEST_LOOK_BACK_DAYS; back += 1) {
    const day = today - back;
    if (weekday !== undefined && weekdayOf(year, month, day) !== weekday) continue;
    const due = instantOf({ year, month, day, hour, minute }, zone);
    if (due <= now) return due;
  }
  throw new RangeError('A schedule without a time in the last nine days.');
}

/** From one time it is due to the next: `to` is not part of it. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** The period that ended last. */
export function latestPeriod(schedule: Schedule, now: number): Period {
  const to = latestDue(schedule, now);
  return { from: latestDue(schedule, to - 1), to };
}

/** The times at which the bars of a period begin: of a week its days, of a day eight parts as long as each other. */
export function barsOf(schedule: Schedule, { from, to }: Period): readonly number[] {
  if (schedule.weekday === undefined)
    return Array.from({ length: 8 }, (_, index) => from + ((to - from) / 8) * index);
  const { weekday: _, ...daily } = schedule;
  const starts: number[] = [];
  for (let at = latestDue(daily, to - 1); at >= from; at = latestDue(daily, at - 1)) starts.unshift(at);
  return starts;
}
