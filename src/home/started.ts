import type { KnownBlock } from '@slack/types';
import { LRUCache } from 'lru-cache';
import { hasCome } from '../database/database.ts';
import { context, lines, message } from '../messages/message.ts';
import { notAccepted } from '../messages/session-words.ts';
import { count } from '../messages/text.ts';
import type { StartedDay } from '../sessions/started-days.ts';
import type { UsedLinks, WatchLinks } from '../sessions/watch-links.ts';

/** Slack's limit is 2,000. */
const LONGEST_ALT_TEXT = 1_900;

/** The workspace's sessions started from Slack per day, today last, with a picture if possible. */
export interface StartedNow {
  readonly days: readonly StartedDay[];
  readonly picture: { readonly url: string; readonly altText: string } | undefined;
}

/** The numbers as words, without the days that have none, and the picture, which only repeats them. */
export function startedBlocks({ days, picture }: StartedNow): readonly KnownBlock[] {
  const total = days.reduce((sum, { sessions }) => sum + sessions, 0);
  const others = notAccepted(days.reduce((sum, { notAccepted: ofDay }) => sum + ofDay, 0));
  const period = `in the last ${count(days.length, 'day')}`;
  if (total === 0) return message(lines([`None ${period}.`], ...others)).blocks;
  const today = (days.at(-1)?.sessions ?? 0).toLocaleString('en-US');
  const each = days
    .filter(({ sessions }) => sessions > 0)
    .map(({ name, sessions }) => `${name}: ${sessions.toLocaleString('en-US')}`);
  const words = message(
    lines([`${total.toLocaleString('en-US')} ${period}, ${today} of them today.`], ...others),
    context(each.join(' · ')),
  );
  if (picture === undefined) return words.blocks;
  const altText = picture.altText.slice(0, LONGEST_ALT_TEXT);
  return [...words.blocks, { type: 'image', image_url: picture.url, alt_text: altText }];
}

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

export interface StartedSources {
  readonly usedPerDay: WatchLinks['usedPerDay'];
  readonly pictureOf: (workspaceId: string, days: readonly StartedDay[]) => Promise<StartedNow['picture']>;
  readonly now: () => number;
}

/**
 * A workspace's sessions started from Slack on each of a viewer's last 14 days. Days go by today's offset of the time zone:
 * before a clock change they begin an hour off.
 *
 * @param today the viewer's last midnight
 * @param utcOffsetSeconds of the viewer's time zone, east of UTC
 */
export function createStarted({ usedPerDay, pictureOf, now }: StartedSources) {
  const known = new LRUCache<string, { readonly before: readonly UsedLinks[]; readonly until: number }>({
    max: MOST_KNOWN,
  });

  async function counted(workspaceId: string, from: number): Promise<readonly UsedLinks[]> {
    const key = `${workspaceId} ${from}`;
    const last = known.get(key);
    if (last !== undefined && !hasCome(last.until, now(), KNOWN_MS))
      return [...last.before, ...(await usedPerDay(workspaceId, from + last.before.length * DAY_MS, 1))];
    const counts = await usedPerDay(workspaceId, from, DAYS);
    known.set(key, { before: counts.slice(0, -1), until: now() + KNOWN_MS });
    return counts;
  }

  return async function started(
    workspaceId: string,
    today: Date,
    utcOffsetSeconds: number,
  ): Promise<StartedNow> {
    const from = today.getTime() - (DAYS - 1) * DAY_MS;
    const counts = await counted(workspaceId, from);
    const days = counts.map((day, index) => {
      const name = nameOfDay(from + index * DAY_MS + utcOffsetSeconds * 1_000);
      return {
        name,
        label: index === DAYS - 1 ? 'Today' : (name.split(' ')[1] ?? ''),
        sessions: day.used,
        notAccepted: day.notAccepted,
      };
    });
    return { days, picture: await pictureOf(workspaceId, days) };
  };
}
