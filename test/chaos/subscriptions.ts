import type { Fate } from './fate.ts';
import { ADMIN, SAM, SUBSCRIBED, type Stage } from './stage.ts';

const DAY_MS = 24 * 60 * 60 * 1_000;
/** 10:00 in the time zone of the one who asks for it, in milliseconds of a UTC day in winter. */
const DIGEST_AT_MS = 9 * 60 * 60 * 1_000;

/** Sets up all subscriptions of the run, before anything goes wrong. */
export async function subscribe({ slack, time }: Pick<Stage, 'slack' | 'time'>): Promise<void> {
  const typed = [
    [SUBSCRIBED.all, 'subscribe all'],
    [SUBSCRIBED.sams, 'subscribe @sam'],
    [SUBSCRIBED.digest, 'digest daily 10:00'],
  ] as const;
  for (const [channel, words] of typed) await time.slowly(() => setUp(slack, channel, words));
}

/**
 * Slack's answers may be late beside other work, and then nothing was set up, or what the app said of it went into a direct
 * message: asked until the app says that it's so.
 */
async function setUp(slack: Stage['slack'], channel: string, words: string): Promise<void> {
  const said = () => slack.snapshot(ADMIN).messages;
  while (!said().some((one) => one.channel === channel && one.text.includes('already gets'))) {
    const before = said().length;
    await slack.command({ as: ADMIN, channel, text: `/cobrowse ${words}` });
    await slack.until(ADMIN, () => said().length > before);
  }
}

/** The channels that are to get a copy of the session's summary. */
export const copiesOf = ({ userId }: Fate): readonly string[] =>
  userId === SAM ? [SUBSCRIBED.all, SUBSCRIBED.sams] : [SUBSCRIBED.all];

/** How many digests are due between two times. */
export const digestsDue = (from: number, to: number): number =>
  Math.floor((to - DIGEST_AT_MS) / DAY_MS) - Math.floor((from - DIGEST_AT_MS) / DAY_MS);

/** When the next one is due after a time. */
export const nextDigest = (after: number): number =>
  (Math.floor((after - DIGEST_AT_MS) / DAY_MS) + 1) * DAY_MS + DIGEST_AT_MS;
