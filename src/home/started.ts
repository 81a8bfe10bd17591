import { dayAfter, dayOf, startOfDay } from '../messages/days.ts';
import { context, lines, type Part } from '../messages/message.ts';
import { notAccepted } from '../messages/session-words.ts';
import { count } from '../messages/text.ts';
import type { WatchLinks } from '../sessions/watch-links.ts';

interface StartedDay {
  readonly label: string;
  readonly sessions: number;
  /** Not among `sessions`. */
  readonly notAccepted: number;
}

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

/** A workspace's sessions started from Slack on each of a viewer's last 14 days, by the clocks of their zone. */
export async function startedDays(
  { usedPerDay }: Pick<WatchLinks, 'usedPerDay'>,
  workspaceId: string,
  zone: string,
  now: number,
): Promise<readonly StartedDay[]> {
  const today = dayOf(now, zone);
  const days = Array.from({ length: DAYS + 1 }, (_nothing, index) => dayAfter(today, index + 1 - DAYS));
  const counts = await usedPerDay(
    workspaceId,
    days.map((day) => startOfDay(day, zone)),
  );
  const calendar = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric', timeZone: 'UTC' });
  return counts.map(({ used: sessions, notAccepted: others }, index) => ({
    label: calendar.format(new Date(days[index] ?? today)),
    sessions,
    notAccepted: others,
  }));
}
