import { setTimeout as wait } from 'node:timers/promises';
import { POSTS, awaitAsked } from './asked.ts';
import { fillWith } from './history.ts';
import { sectionOf } from './report.ts';
import { inTurns } from './rounds.ts';
import { variant } from './surroundings.ts';
import type { Surroundings } from './surroundings.ts';
import { WORKSPACE } from './tickets.ts';

const SESSIONS = 20_000;
const DAY_MS = 24 * 3_600_000;
/** By then the start is over, and the first look at what is due is yet to come. */
const STARTED_MS = 2_000;
const SIDES = ['none', 'many'] as const;

/** The longest stall until a day's digest is posted. */
async function stallOf({ measuring, upstream }: Surroundings, side: (typeof SIDES)[number]): Promise<number> {
  const due = new Date(Date.now() - 60_000);
  const to = due.setUTCSeconds(0, 0);
  const subscription = {
    workspaceId: WORKSPACE,
    channelId: 'C0DIGEST001',
    filters: { agents: [], groups: [], tags: [] },
    form: 'full' as const,
    schedule: { hour: due.getUTCHours(), minute: due.getUTCMinutes(), zone: 'Etc/UTC' },
    setUpBy: 'U0BENCH0001',
    setUpAt: 0,
  };
  const sessions = { from: to - DAY_MS, to, count: SESSIONS, channels: 100, areWaiting: false };
  return measuring(
    variant('ours-looking-soon.ts'),
    async (measured) => {
      const isPosted = await awaitAsked(upstream, POSTS, 1);
      await wait(STARTED_MS);
      await measured.usage();
      await isPosted();
      return (await measured.usage()).longestStallMs;
    },
    {
      watch: 'stalls',
      fill: (url) => fillWith(url, side === 'none' ? undefined : sessions, [[subscription, to]]),
    },
  );
}

/** Work that comes by the clock: what else there is to do must not wait for it. */
export async function benchDigest(around: Surroundings): Promise<string> {
  const samples = await inTurns(SIDES, around.rounds, (side) => stallOf(around, side));
  return sectionOf({
    title: 'G7. A digest',
    sides: [
      ['none', 'no session'],
      ['many', `${SESSIONS.toLocaleString('en-US')} sessions`],
    ],
    figures: [{ what: 'longest stall of the event loop', unit: 'ms', samples, itself: { atMost: 50 } }],
    how: 'From a moment before the digest of a day is due until it is in its channel.',
  });
}
