import { Cron } from 'croner';
import { isZone } from '../days.ts';

const HOUR_MS = 60 * 60_000;
const LATER_TODAY_MS = 3 * HOUR_MS;
const DAY_MS = 24 * HOUR_MS;
/** The furthest day that can be chosen. */
export const MOST_DAYS = 90;
/** A day of 25 hours among them. */
export const LONGEST_MS = (MOST_DAYS + 2) * DAY_MS;

/** Where somebody's clock is, as their Slack profile says. */
export interface PersonalZone {
  /** An IANA name, if Slack says. */
  readonly timeZone?: string | undefined;
  /** Seconds east of UTC. */
  readonly utcOffsetSeconds: number;
}

/** When to follow up: `day` is a date like 2026-11-03. */
export type When = { readonly is: 'today' | 'tomorrow' } | { readonly is: 'day'; readonly day: string };

/** The next time after a moment that fits a pattern of minute, hour, day and month, by a person's clock. Milliseconds. */
function next(pattern: string, { timeZone, utcOffsetSeconds }: PersonalZone, after: number): number {
  const clock =
    timeZone !== undefined && isZone(timeZone)
      ? { timezone: timeZone }
      : { utcOffset: Math.round(utcOffsetSeconds / 60) };
  const found = new Cron(`0 ${pattern}`, { ...clock, paused: true }).nextRun(new Date(after));
  return found?.getTime() ?? Number.POSITIVE_INFINITY;
}

const nextMidnight = (zone: PersonalZone, now: number): number => next('0 0 * * *', zone, now);

/** In three hours, 17:30 at the latest; undefined once that is over. Milliseconds since 1970, like all times here. */
export function laterToday(zone: PersonalZone, now: number): number | undefined {
  const latest = next('30 17 * * *', zone, now);
  return latest < nextMidnight(zone, now) ? Math.min(now + LATER_TODAY_MS, latest) : undefined;
}

/** On a day between tomorrow and {@link MOST_DAYS} from now, at 9:00; undefined for any other. */
function onDay(day: string, zone: PersonalZone, now: number): number | undefined {
  const [, year, month, date] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? [];
  const midnight = nextMidnight(zone, now);
  const far = Math.abs(Date.parse(day) - midnight);
  if (year === undefined || !(far <= (MOST_DAYS + 1) * DAY_MS)) return undefined;
  const at = next(`0 9 ${Number(date)} ${Number(month)} *`, zone, midnight - 1);
  return at <= midnight + MOST_DAYS * DAY_MS ? at : undefined;
}

/** When that is by a person's clock; undefined where it's over, or too far away. */
export function dueAt(when: When, zone: PersonalZone, now: number): number | undefined {
  switch (when.is) {
    case 'today':
      return laterToday(zone, now);
    case 'tomorrow':
      return next('0 9 * * *', zone, nextMidnight(zone, now) - 1);
    case 'day':
      return onDay(when.day, zone, now);
    default:
      return when satisfies never;
  }
}
