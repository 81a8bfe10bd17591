import { DatabaseSync } from 'node:sqlite';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import { sqliteFile } from '../../src/database/open.ts';
import { POSTS, awaitAsked } from './asked.ts';
import type { Measured } from './child.ts';
import { createClicks } from './click.ts';
import { OLD_UNTIL, fillOld } from './history.ts';
import { sectionOf } from './report.ts';
import { each, inTurns, median } from './rounds.ts';
import { variant, type Surroundings } from './surroundings.ts';

const ROWS = 200_000;
const SIDES = ['none', 'many'] as const;
/** As long as the program's clock is behind. */
const FIRST_MS = 20_000;
/** Few enough that a slow machine opens each page while its press still counts. */
const AT_A_TIME = 50;
/** By then the removal has begun: once a minute it's looked for what is old. */
const BEGUN_MS = 61_000;
/** As many times clicks are measured at least, and where there's nothing to remove. */
const LEAST_TIMES = 15;

const Left = z.object({ left: z.number() });

/** How many rows there are still to remove. */
function countLeft(url: string): number {
  using connection = new DatabaseSync(sqliteFile(url) ?? '', { readOnly: true });
  const tables = [
    ['audit', 'at'],
    ['session_ends', 'received_at'],
    ['watch_links', 'issued_at'],
    ['deliveries', 'accepted_at'],
  ].map(([table, time]) => `(SELECT count(*) FROM ${table} WHERE ${time} < ${OLD_UNTIL})`);
  return Left.parse(connection.prepare(`SELECT ${tables.join(' + ')} AS left`).get()).left;
}

interface Found {
  readonly slowestMs: number;
  readonly longestStallMs: number;
}

async function clickMeanwhile(around: Surroundings, given: Measured, url: string): Promise<Found> {
  let longestStallMs = 0;
  // Each look at it begins anew, and a load looks twice.
  const measured: Measured = {
    ...given,
    async usage() {
      const usage = await given.usage();
      longestStallMs = Math.max(longestStallMs, usage.longestStallMs);
      return usage;
    },
  };
  const startedAt = performance.now();
  const clicks = createClicks(around, 'ours', measured);
  async function slowest(): Promise<number> {
    const load = await clicks(0, AT_A_TIME, 1);
    const arePosted = await awaitAsked(around.upstream, POSTS, AT_A_TIME);
    return (await around.loader.put(load, measured, arePosted)).lastMs;
  }
  // The clock is right by then.
  await wait(FIRST_MS);
  for (let warming = 0; warming < 5; warming += 1) await slowest();
  await wait(Math.max(0, startedAt + BEGUN_MS - performance.now()));
  await measured.usage();
  longestStallMs = 0;
  const found: number[] = [];
  const before = countLeft(url);
  while (found.length < LEAST_TIMES || countLeft(url) > 0) {
    found.push(await slowest());
    if (found.length === LEAST_TIMES && before > 0 && countLeft(url) === before)
      throw new Error('Nothing is removed.');
  }
  return { slowestMs: median(found), longestStallMs };
}

/** What people notice while much that is old is removed. */
export async function benchRetention(around: Surroundings): Promise<string> {
  const samples = await inTurns(SIDES, around.rounds, async (side) => {
    let filled = '';
    return around.measuring(
      variant('ours-removing-soon.ts'),
      (measured) => clickMeanwhile(around, measured, filled),
      {
        watch: 'stalls',
        async fill(url) {
          filled = url;
          if (side === 'many') await fillOld(url, ROWS);
        },
      },
    );
  });
  return sectionOf({
    title: 'G14. Removing what is old',
    sides: [
      ['none', 'nothing is old'],
      ['many', `${ROWS.toLocaleString('en-US')} rows are`],
    ],
    figures: [
      {
        what: `a click, the slowest of ${AT_A_TIME} one after the other`,
        unit: 'ms',
        samples: each(samples, ({ slowestMs }) => slowestMs),
        times: { none: { atMost: 2 } },
      },
      {
        what: 'longest stall of the event loop',
        unit: 'ms',
        samples: each(samples, ({ longestStallMs }) => longestStallMs),
        itself: { atMost: 50 },
      },
    ],
    how: 'On SQLite, until all of it is gone: sessions with their links, cards and summaries, and audit entries.',
  });
}
