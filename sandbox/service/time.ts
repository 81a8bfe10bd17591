/** A time as the service writes it: ISO 8601 with an offset, so that clients also meet times without a `Z`. */
export function isoTime(date: Date): string {
  return date.toISOString().replace('Z', '+00:00');
}

/** Whole seconds from `start` to `end`, never negative. */
export function secondsBetween(start: Date, end: Date): number {
  return Math.max(0, Math.round((end.getTime() - start.getTime()) / 1000));
}

/** A number of seconds as `m:ss`, or `h:mm:ss` from an hour on. */
export function formatSeconds(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const minutes = Math.floor(seconds / 60) % 60;
  const rest = twoDigits(seconds % 60);
  return hours > 0 ? `${hours}:${twoDigits(minutes)}:${rest}` : `${minutes}:${rest}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
