import { LRUCache } from 'lru-cache';
import { dayAfter, dayOf, startOfDay } from '../messages/days.ts';
import { context, lines, type Part } from '../messages/message.ts';
import { notAccepted } from '../messages/session-words.ts';
import { count } from '../messages/text.ts';
import type { UsedLinks, WatchLinks } from '../sessions/watch-links.ts';

interface StartedDay {
  /** "Nov 9". */
  readonly label: string;
  readonly sessions: number;
  /** Not among `sessions`. */
  readonly notAccepted: number;
}

/** The numbers as words, without the days that have none. */
export function startedParts(days: readonly StartedDay[]): readonly Part[] {
  const total = days.reduce((sum, { sessions }) => sum + sessions, 0);
  const others = notAccepted(days.reduce((sum, { notAccepted: ofDay }) => sum + ofDay, 0));
  const period = `in the last ${count(days.length, 'day')}`;
  if (total === 0) return [lines([`None ${period}.`], others)];
  const today = (days.at(-1)?.sessions ?? 0).toLocaleString('en-US');
  const each = days
    .filter(({ sessions }) => sessions > 0)
    .map(({ label, sessions }) => `${label}: ${sessions.toLocaleString('en-US')}`);
  return [
    lines([`${total.toLocaleString('en-US')} ${period}, ${today} of them today.`], others),
    context(each.join(' · ')),
  ];
}

const DAYS = 14;
/** A past day hardly changes, but a link may still turn out unused. */
const KNOWN_MS = 10 * 60 * 1_000;
/** Each workspace has as many midnights as its people have time zones. */
const MOST_KNOWN = 1_000;

/** A workspace's sessions started from Slack on each of a viewer's last 14 days, by the clocks of their zone. */
export function createStarted(usedPerDay: WatchLinks['usedPerDay'], now: () => number) {
  const known = new LRUCache<string, readonly UsedLinks[]>({
    max: MOST_KNOWN,
    ttl: KNOWN_MS,
    ttlResolution: 0,
    perf: { now },
  });

  /** @param starts of the days, and of the one after them */
  async function counted(workspaceId: string, starts: readonly number[]): Promise<readonly UsedLinks[]> {
    const key = `${workspaceId} ${starts.join(' ')}`;
    const before = known.get(key);
    if (before !== undefined) return [...before, ...(await usedPerDay(workspaceId, starts.slice(-2)))];
    const counts = await usedPerDay(workspaceId, starts);
    known.set(key, counts.slice(0, -1));
    return counts;
  }

  return async function started(workspaceId: string, zone: string): Promise<readonly StartedDay[]> {
    const today = dayOf(now(), zone);
    const days = Array.from({ length: DAYS + 1 }, (_nothing, index) => dayAfter(today, index + 1 - DAYS));
    const starts = days.map((day) => startOfDay(day, zone));
    const counts = await counted(workspaceId, starts);
    const calendar = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' });
    return counts.map(({ used: sessions, notAccepted: others }, index) => ({
      label: calendar.format(new Date(days[index] ?? today)),
      sessions,
      notAccepted: others,
    }));
  };
}
