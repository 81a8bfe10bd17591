import { LRUCache } from 'lru-cache';
import type { UsedLinks, WatchLinks } from '../links/watch-links.ts';
import type { StartedDay } from '../model/started-days.ts';

const DAYS = 14;
const DAY_MS = 24 * 60 * 60 * 1_000;
/** A past day hardly changes, but a link may still turn out unused. */
const KNOWN_MS = 10 * 60 * 1_000;
/** Each workspace has as many midnights as its people have time zones. */
const MOST_KNOWN = 1_000;

/** Made when a Home tab is first drawn: the language's rules take 20 ms to load. */
let written: Intl.DateTimeFormat | undefined;

/** @param shifted the time, so that UTC shows the viewer's clock */
function nameOfDay(shifted: number): string {
  written ??= new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' });
  return written.format(shifted);
}

/**
 * A workspace's sessions started from Slack on each of a viewer's last 14 days. Days go by today's offset of the time zone:
 * before a clock change they begin an hour off.
 *
 * @param today the viewer's last midnight
 * @param utcOffsetSeconds of the viewer's time zone, east of UTC
 */
export function createStarted(usedPerDay: WatchLinks['usedPerDay'], now: () => number) {
  const known = new LRUCache<string, { readonly before: readonly UsedLinks[]; readonly at: number }>({
    max: MOST_KNOWN,
  });

  async function counted(workspaceId: string, from: number): Promise<readonly UsedLinks[]> {
    const key = `${workspaceId} ${from}`;
    const last = known.get(key);
    if (last !== undefined && now() - last.at < KNOWN_MS)
      return [...last.before, ...(await usedPerDay(workspaceId, from + last.before.length * DAY_MS, 1))];
    const counts = await usedPerDay(workspaceId, from, DAYS);
    known.set(key, { before: counts.slice(0, -1), at: now() });
    return counts;
  }

  return async function started(
    workspaceId: string,
    today: Date,
    utcOffsetSeconds: number,
  ): Promise<readonly StartedDay[]> {
    const from = today.getTime() - (DAYS - 1) * DAY_MS;
    const counts = await counted(workspaceId, from);
    return counts.map(({ used: sessions, notAccepted }, index) => {
      const name = nameOfDay(from + index * DAY_MS + utcOffsetSeconds * 1_000);
      return {
        name,
        label: index === DAYS - 1 ? 'Today' : (name.split(' ')[1] ?? ''),
        sessions,
        notAccepted,
      };
    });
  };
}
