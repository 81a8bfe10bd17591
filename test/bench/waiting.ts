import { setTimeout as wait } from 'node:timers/promises';
import { request } from 'undici';
import { fillWith } from './history.ts';
import { sectionOf } from './report.ts';
import { each, inTurns } from './rounds.ts';
import { APP, type Surroundings } from './surroundings.ts';

const WAITING = 100_000;
const CHANNELS = 100;
const HOUR_MS = 3_600_000;
const WATCHED_MS = 8_000;
const SIDES = ['none', 'many'] as const;

interface Started {
  readonly startMs: number;
  readonly rssMib: number;
  readonly longestStallMs: number;
}

async function watch({ measuring }: Surroundings, side: (typeof SIDES)[number]): Promise<Started> {
  const now = Date.now();
  const waiting = { from: now - HOUR_MS, to: now, count: WAITING, channels: CHANNELS, areWaiting: true };
  return measuring(
    APP,
    async (measured) => {
      // As whoever watches over the app does every few seconds.
      const looked = (async () => {
        for (let looks = 0; looks < 3; looks += 1) {
          await wait(WATCHED_MS / 4);
          await (await request(`${measured.origin}/metrics`)).body.dump();
        }
      })();
      await Promise.all([wait(WATCHED_MS), looked]);
      const { rssKib, longestStallMs } = await measured.usage();
      return { startMs: measured.startMs, rssMib: rssKib / 1_024, longestStallMs };
    },
    { watch: 'stalls', fill: (url) => fillWith(url, side === 'none' ? undefined : waiting) },
  );
}

/** A start after an outage, when much waits to be posted. */
export async function benchWaiting(around: Surroundings): Promise<string> {
  const samples = await inTurns(SIDES, around.rounds, (side) => watch(around, side));
  return sectionOf({
    title: 'G6. A start with much to post',
    sides: [
      ['none', 'nothing waits'],
      ['many', `${WAITING.toLocaleString('en-US')} wait`],
    ],
    figures: [
      {
        what: 'start to listening',
        unit: 'ms',
        samples: each(samples, ({ startMs }) => startMs),
        times: { none: { atMost: 1.2 } },
      },
      {
        what: 'memory',
        unit: 'MiB',
        samples: each(samples, ({ rssMib }) => rssMib),
        times: { none: { atMost: 1.3 } },
      },
      {
        what: 'longest stall of the event loop',
        unit: 'ms',
        samples: each(samples, ({ longestStallMs }) => longestStallMs),
        itself: { atMost: 50 },
      },
    ],
    how: `Over ${CHANNELS} channels. Memory and stalls are those of the first ${WATCHED_MS / 1_000} seconds after it listens, with \`/metrics\` read every ${WATCHED_MS / 4_000}.`,
  });
}
