/** A moment by the clocks of a place. */
export interface LocalTime {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
  readonly hour: number;
  readonly minute: number;
}

const DAY_MS = 24 * 60 * 60 * 1_000;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  formats.set(zone, made);
  return made;
}

/** Whether this is the name of a time zone that this machine knows. */
export function isZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

/** @param at milliseconds since 1970 */
export function localTime(at: number, zone: string): LocalTime {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
  const [year, month, day] = [part('year'), part('month'), part('day')];
  return { year, month, day, hour: part('hour'), minute: part('minute') };
}

/** The clocks' reading as if it were UTC's; a day or month beyond the last runs over into the next. */
function asUtc({ year, month, day, hour, minute }: LocalTime): number {
  return Date.UTC(year, month - 1, day, hour, minute);
}

/** How far the zone's clocks are ahead of UTC, in whole minutes. */
function aheadMs(at: number, zone: string): number {
  const wholeMinute = Math.floor(at / 60_000) * 60_000;
  return asUtc(localTime(at, zone)) - wholeMinute;
}

/**
 * When the clocks of a zone show a time: the first of both where they are put back over it; where they are put forward
 * over it, as much later as they are put forward. Milliseconds since 1970.
 */
export function instantOf(local: LocalTime, zone: string): number {
  const reading = asUtc(local);
  const [before, after] = [aheadMs(reading - DAY_MS, zone), aheadMs(reading + DAY_MS, zone)];
  const shows = (at: number) => asUtc(localTime(at, zone)) === reading;
  return !shows(reading - before) && shows(reading - after) ? reading - after : reading - before;
}
