import { LRUCache } from 'lru-cache';

/** From their Slack profile: an IANA name, if Slack says. */
export interface PersonalZone {
  readonly timeZone?: string;
  /** Seconds east of UTC. */
  readonly utcOffsetSeconds: number;
}

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** A clock takes 20 µs to make, and there are some 600 zones. The Swedish write dates as ISO 8601 does. */
const clocks = new LRUCache<string, Intl.DateTimeFormat>({
  max: 1_000,
  memoMethod: (timeZone) =>
    new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' }),
});

export function isZone(zone: string): boolean {
  try {
    return zone !== '' && clocks.memo(zone).format(0) !== '';
  } catch {
    return false;
  }
}

/** For Intl and croner: an IANA name where this machine knows it, otherwise an offset such as "+05:45". */
export function zoneOf({ timeZone, utcOffsetSeconds }: PersonalZone): string {
  if (timeZone !== undefined && isZone(timeZone)) return timeZone;
  const offset = new Date(Math.abs(utcOffsetSeconds) * 1_000).toISOString().slice(11, 16);
  return `${utcOffsetSeconds < 0 ? '-' : '+'}${offset}`;
}

/** Of a person; undefined where Slack can't be asked. Never rejects. @param profileOf rejects then */
export const createZoneOf =
  (profileOf: (workspaceId: string, userId: string) => Promise<PersonalZone>) =>
  (who: { readonly workspaceId: string; readonly userId: string }): Promise<string | undefined> =>
    profileOf(who.workspaceId, who.userId).then(zoneOf, () => undefined);

/**
 * "2026-11-27 17:30:05", in a zone. @param at milliseconds since 1970, like all times here
 * @throws RangeError for a zone that this machine doesn't know
 */
export const localTime = (at: number, zone: string): string => clocks.memo(zone).format(at);

export const dayOf = (at: number, zone: string): string => localTime(at, zone).slice(0, 10);

export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && dayAfter(text, 0) === text;

/** `days` may be negative. */
export function dayAfter(day: string, days: number): string {
  const at = Date.parse(day) + days * DAY_MS;
  return Number.isNaN(at) ? '' : new Date(at).toISOString().slice(0, 10);
}

/** Monday is 1, as in ISO 8601. */
export const weekdayOf = (day: string): number => new Date(day).getUTCDay() || 7;

/** The day's first moment, even if the clocks skip midnight; if they skip the whole day, the next one's. */
export function startOfDay(day: string, zone: string): number {
  // From 14 hours before UTC's midnight to 12 hours after it.
  let [before, from] = [Date.parse(day) / MINUTE_MS - 15 * 60, Date.parse(day) / MINUTE_MS + 13 * 60];
  while (before + 1 < from) {
    const middle = Math.floor((before + from) / 2);
    if (dayOf(middle * MINUTE_MS, zone) < day) before = middle;
    else from = middle;
  }
  return from * MINUTE_MS;
}
