import { Cron } from 'croner';
import { dayAfter, dayOf, isDay, startOfDay, weekdayOf } from '../messages/days.ts';

const HOUR_MS = 60 * 60_000;
const FRIDAY = 5;
/** The furthest day that can be chosen. */
export const MOST_DAYS = 90;

/** When to follow up: `day` is a date like 2026-11-03, `time` one like 14:30. */
export type When =
  | { readonly is: 'hour' | 'afternoon' | 'workday' }
  | { readonly is: 'day'; readonly day: string; readonly time: string };

/** That time on a day, or the first moment after it where the clocks skip it. Milliseconds since 1970, like all times here. */
function timeOn(day: string, [hour = 0, minute = 0]: readonly number[], zone: string): number {
  const clock = new Cron(`0 ${minute} ${hour} * * *`, { timezone: zone, paused: true });
  return clock.nextRun(new Date(startOfDay(day, zone) - 1))?.getTime() ?? Number.NaN;
}

/** At 3:00 PM; undefined once that is over. */
export function thisAfternoon(zone: string, now: number): number | undefined {
  const at = timeOn(dayOf(now, zone), [15], zone);
  return at > now ? at : undefined;
}

/** From Monday to Friday. */
export function nextWorkday(zone: string, now: number): string {
  const today = dayOf(now, zone);
  const weekday = weekdayOf(today);
  return dayAfter(today, weekday < FRIDAY ? 1 : 8 - weekday);
}

/** At a time that is still to come, at most {@link MOST_DAYS} from now; undefined for any other. */
function onDay(day: string, time: string, zone: string, now: number): number | undefined {
  if (!isDay(day) || !/^\d{2}:\d{2}$/.test(time) || day > dayAfter(dayOf(now, zone), MOST_DAYS))
    return undefined;
  const at = timeOn(day, time.split(':').map(Number), zone);
  return at > now ? at : undefined;
}

/** When that is by the clocks of a zone; undefined where it's over, or too far away. */
export function dueAt(when: When, zone: string, now: number): number | undefined {
  switch (when.is) {
    case 'hour':
      return now + HOUR_MS;
    case 'afternoon':
      return thisAfternoon(zone, now);
    case 'workday':
      return timeOn(nextWorkday(zone, now), [9], zone);
    case 'day':
      return onDay(when.day, when.time, zone, now);
    default:
      return when satisfies never;
  }
}
