import { setTimeout as wait } from 'node:timers/promises';
import { POSTS, awaitAsked, pathsAskedSoFar } from './asked.ts';
import { fillWith } from './history.ts';
import { sectionOf } from './report.ts';
import { each, inTurns } from './rounds.ts';
import { APP, variant, type Surroundings } from './surroundings.ts';
import { WORKSPACE } from './tickets.ts';
import { OAUTH, idsOf, installIn } from './workspaces.ts';

const SESSIONS = 20_000;
const DAY_MS = 24 * 3_600_000;
/** By then the start is over, and the first look at what is due is yet to come. */
const STARTED_MS = 2_000;
const SIDES = ['none', 'many'] as const;
/** In so many workspaces they are due at the same minute. */
const SAME_MINUTE = { few: 100, many: 1_000 } as const;
const PEOPLE = 10;
const LONGEST_S = 300;

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
async function benchOne(around: Surroundings): Promise<string> {
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

/** How long the digests of so many workspaces take that were due at the same minute, from the start of the app. */
async function timeOf(
  { measuring, upstream }: Surroundings,
  workspaces: number,
): Promise<{ readonly allS: number; readonly stallMs: number }> {
  const to = new Date().setUTCSeconds(0, 0);
  const due = new Date(to);
  const subscriptions = idsOf(workspaces).map((workspaceId) => ({
    workspaceId,
    channelId: `C0DIGEST${workspaceId}`,
    filters: { agents: [], groups: [], tags: [] },
    form: 'full' as const,
    schedule: { hour: due.getUTCHours(), minute: due.getUTCMinutes(), zone: 'Etc/UTC' },
    setUpBy: 'U0BENCH0001',
    setUpAt: 0,
  }));
  const sessions = {
    from: to - DAY_MS,
    to,
    count: workspaces * PEOPLE,
    channels: 1,
    areWaiting: false,
    workspaces,
  };
  const postsSoFar = async () => (await pathsAskedSoFar(upstream)).get(POSTS) ?? 0;
  const before = await postsSoFar();
  return measuring(
    APP,
    async (measured) => {
      const startedAt = performance.now();
      await measured.usage();
      while ((await postsSoFar()) < before + workspaces) {
        if (performance.now() - startedAt > 2 * LONGEST_S * 1_000) throw new Error('Digests are missing.');
        await wait(500);
      }
      const allS = (performance.now() - startedAt) / 1_000;
      return { allS, stallMs: (await measured.usage()).longestStallMs };
    },
    {
      watch: 'stalls',
      async fill(url) {
        await fillWith(
          url,
          sessions,
          subscriptions.map((subscription) => [subscription, to] as const),
        );
        await installIn(url, workspaces);
      },
      settings: { ...OAUTH, ALLOWED_WORKSPACES: 'T000000000' },
    },
  );
}

async function benchMany(around: Surroundings): Promise<string> {
  const samples = await inTurns(['few', 'many'] as const, around.rounds, (side) =>
    timeOf(around, SAME_MINUTE[side]),
  );
  return sectionOf({
    title: 'G7. Digests of the same minute',
    sides: [
      ['few', '100 workspaces'],
      ['many', '1,000 workspaces'],
    ],
    figures: [
      {
        what: 'all are posted after',
        unit: 's',
        samples: each(samples, ({ allS }) => allS),
        itself: { atMost: LONGEST_S },
      },
      {
        what: 'longest stall of the event loop',
        unit: 'ms',
        samples: each(samples, ({ stallMs }) => stallMs),
      },
    ],
    how: `From the start of the app, which looks for what is due after 30 seconds. Each names ${PEOPLE} people.`,
  });
}

export const benchDigest = async (around: Surroundings): Promise<string> =>
  `${await benchOne(around)}\n\n${await benchMany(around)}`;
