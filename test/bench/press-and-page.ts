import { Pool } from 'undici';
import { POSTS, awaitAsked } from './asked.ts';
import type { Measured } from './child.ts';
import { serviceP50Ms } from './click.ts';
import type { LoadRequest } from './load-job.ts';
import { processesBeside } from './processes-beside.ts';
import { judged, section, sectionOf, table } from './report.ts';
import { each, inTurns, median } from './rounds.ts';
import { signedPresses } from './slack-requests.ts';
import { APP, variant, type Surroundings } from './surroundings.ts';
import { watchGrants, watchTicketsFor, type Side } from './tickets.ts';

const PROGRAMS = { raw: variant('raw-press.ts'), ours: APP };

/** So many at once, each so often; the most that may be added, itself and as a multiple of raw's, since machines differ. */
const LOADS = [
  { atOnce: 1, total: 100, atMost: 10, timesRaw: 5 },
  { atOnce: 32, total: 320, atMost: 60, timesRaw: 4.6 },
  { atOnce: 100, total: 500, atMost: 150, timesRaw: 4.4 },
] as const;
/** The service answers after 50 ms whatever is asked about them. */
const VISITORS = 'wait-50-together';
const ACROSS = { atOnce: 1, total: 100 } as const;
const ACROSS_ADDED_MS = 50;

interface Figures {
  readonly p50Ms: number;
  readonly p99Ms: number;
}

async function send(pool: Pool, { method, path, headers, body }: LoadRequest, status: number): Promise<void> {
  const answer = await pool.request({ method, path, headers, body });
  await answer.body.dump();
  if (answer.statusCode !== status) throw new Error(`${path} answered ${answer.statusCode}, not ${status}`);
}

/** Presses and pages that leave together, as a browser opens a button's page while Slack tells of its press. */
async function clickTogether(
  { upstream }: Surroundings,
  side: Exclude<Side, 'reference'>,
  told: { readonly press: Measured; readonly page: Measured },
  { atOnce, total }: { readonly atOnce: number; readonly total: number },
  visitors = 'together',
): Promise<Figures> {
  const toPress = new Pool(told.press.origin, { connections: atOnce });
  const toPage = new Pool(told.page.origin, { connections: atOnce });
  const took: number[] = [];
  while (took.length < total) {
    const grants = watchGrants(visitors, atOnce);
    const presses = signedPresses(grants);
    const tickets = watchTicketsFor(side, grants);
    // The bare program posts nothing.
    const arePosted = side === 'ours' ? await awaitAsked(upstream, POSTS, atOnce) : undefined;
    await Promise.all(
      presses.map(async (press, number) => {
        const startedAt = performance.now();
        const page = { method: 'GET', path: `/watch/${tickets[number]}`, headers: {}, body: null } as const;
        const pressed = send(toPress, press, 200);
        await send(toPage, page, 302);
        took.push(performance.now() - startedAt);
        await pressed;
      }),
    );
    // Their cards are not in the way of the next ones.
    await arePosted?.();
  }
  await Promise.all([toPress.close(), toPage.close()]);
  const sorted = took.toSorted((one, other) => one - other);
  const rank = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN;
  return { p50Ms: rank(0.5), p99Ms: rank(0.99) };
}

/** In one process on SQLite: on top of what the service takes. */
export async function benchPressAndPage(around: Surroundings): Promise<string> {
  const samples = await inTurns(['raw', 'ours'] as const, around.rounds, (side) =>
    around.measuring(PROGRAMS[side], async (measured) => {
      const told = { press: measured, page: measured };
      await clickTogether(around, side, told, { atOnce: 32, total: 320 }, VISITORS);
      const service = await serviceP50Ms(around, VISITORS);
      const added: number[] = [];
      for (const load of LOADS)
        added.push((await clickTogether(around, side, told, load, VISITORS)).p99Ms - service);
      return added;
    }),
  );
  return sectionOf({
    title: 'G16. A press and its page at once',
    sides: [
      ['raw', 'raw'],
      ['ours', 'ours'],
    ],
    figures: LOADS.map(({ atOnce, atMost, timesRaw }, index) => ({
      what: `${atOnce} at once, until the redirect, added p99`,
      unit: 'ms',
      samples: each(samples, (added) => added[index] ?? Number.NaN),
      itself: { atMost },
      times: { raw: { atMost: timesRaw } },
    })),
    how: 'On SQLite, on top of what the service itself takes, which makes a link in 50 ms. Slack is asked who presses and whether they are in the channel, which is in it. Raw asks the same of both, and keeps and posts nothing.',
  });
}

/** With the press at one process, and the page at another. */
export async function benchPressAcross(around: Surroundings): Promise<string> {
  const samples = await inTurns(['one', 'two'] as const, around.rounds, (side) =>
    processesBeside(around, 2, async ({ processes: [first, second] }) => {
      if (first === undefined || second === undefined) throw new Error('There are not two.');
      const told = { press: first, page: side === 'one' ? first : second };
      await clickTogether(around, 'ours', told, ACROSS);
      return clickTogether(around, 'ours', told, ACROSS);
    }),
  );
  const of = (side: 'one' | 'two', which: keyof Figures) =>
    median((samples.get(side) ?? []).map((figures) => figures[which]));
  const lines = (['p50Ms', 'p99Ms'] as const).map((which) => {
    const [one, two] = [of('one', which), of('two', which)];
    const goal = which === 'p99Ms' ? { atMost: ACROSS_ADDED_MS } : undefined;
    return [
      `until the redirect, ${which === 'p99Ms' ? 'p99' : 'p50'}`,
      `${one.toFixed(1)} ms`,
      `${two.toFixed(1)} ms`,
      judged(`${(two - one).toFixed(1)} ms`, two - one, goal),
    ];
  });
  return section(
    'G16. A press at one process, its page at another',
    table(['', 'both at one', 'at two', 'added'], lines),
    `Two processes on one PostgreSQL, ${ACROSS.total} one after the other, which leave at the same moment.`,
  );
}
