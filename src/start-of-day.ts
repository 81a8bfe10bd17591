/** The midnight before a time, in a time zone given in seconds east of UTC. */
export function startOfDay(at: Date, utcOffsetSeconds: number): Date {
  const offsetMs = utcOffsetSeconds * 1_000;
  const local = new Date(at.getTime() + offsetMs);
  return new Date(local.setUTCHours(0, 0, 0, 0) - offsetMs);
}
