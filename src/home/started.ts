import type { WatchLinks } from '../links/watch-links.ts';
import type { StartedDay } from '../model/started-days.ts';

const DAYS = 14;
const DAY_MS = 24 * 60 * 60 * 1_000;

/** The time is shifted, so that the clock of UTC shows the viewer's. */
const written = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' });

/**
 * A workspace's sessions started from Slack on each of the last 14 days of a viewer. Days are told by the time zone's offset
 * of today: across a change of the clocks those before it begin an hour off.
 *
 * @param today the viewer's last midnight
 * @param utcOffsetSeconds of the viewer's time zone, east of UTC
 */
export function createStarted(usedPerDay: WatchLinks['usedPerDay']) {
  return async function started(
    workspaceId: string,
    today: Date,
    utcOffsetSeconds: number,
  ): Promise<readonly StartedDay[]> {
    const from = today.getTime() - (DAYS - 1) * DAY_MS;
    const counts = await usedPerDay(workspaceId, from, DAYS);
    return counts.map((sessions, index) => {
      const name = written.format(from + index * DAY_MS + utcOffsetSeconds * 1_000);
      return { name, label: index === DAYS - 1 ? 'Today' : (name.split(' ')[1] ?? ''), sessions };
    });
  };
}
