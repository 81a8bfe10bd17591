import { setTimeout as wait } from 'node:timers/promises';
import type { WatchRequest } from '../../src/messages/link-request.ts';
import { MEMBERS, POSTS, awaitAsked } from './asked.ts';
import type { Measured } from './child.ts';
import type { Load, Loaded, Loader } from './loader.ts';
import { sectionOf } from './report.ts';
import { each, inTurns, median } from './rounds.ts';
import { signedPresses } from './slack-requests.ts';
import { APP, variant, type Surroundings } from './surroundings.ts';
import { SIDES, watchGrants, watchTicketsFor, type Side } from './tickets.ts';

const PROGRAMS = { raw: variant('raw-click.ts'), reference: variant('bolt-click.ts'), ours: APP };
/** Few enough that a slow machine opens each page while its press still counts. */
const BURST = 100;
const AT_A_TIME = 50;
/** Long enough that the memory of a whole burst can be read while it waits. */
const LONG_WAIT_MS = 2_500;
/** From Slack's answer about a presser until their press is kept, and more. */
const PRESSES_SETTLE_MS = 300;

interface Click {
  readonly memoryKib: number;
  readonly cpuUs: number;
  /** On top of what the service takes. */
  readonly addedP50Ms: number;
  readonly burstP99Ms: number;
  readonly burstLastMs: number;
}

/** Each is for a visitor of its own, since a press pays for one link. */
export function createClicks({ loader, upstream }: Surroundings, side: Side, measured: Measured) {
  /** Slack's word of each press, taken in before anything is measured: the other sides ask for none. */
  async function press(grants: readonly WatchRequest[]): Promise<void> {
    const judged = await awaitAsked(upstream, MEMBERS, grants.length);
    const load = { requests: signedPresses(grants), total: grants.length, atOnce: 16, status: 200 };
    await loader.put(load, measured, judged);
    await wait(PRESSES_SETTLE_MS);
  }

  /** @returns a load of that many clicks, which is to be put within seconds */
  return async function clicks(delayMs: number, total: number, atOnce: number): Promise<Load> {
    const grants = watchGrants(delayMs === 0 ? 'visitor' : `wait-${delayMs}-visitor`, total);
    if (side === 'ours') await press(grants);
    const requests = watchTicketsFor(side, grants).map((ticket) => ({
      method: 'GET' as const,
      path: `/watch/${ticket}`,
      headers: {},
      body: null,
    }));
    return { requests, total, atOnce, status: 302 };
  };
}

/** Memory of one click that waits for the service. */
async function memoryOfPending(loader: Loader, measured: Measured, burst: Load): Promise<number> {
  const before = await measured.usage();
  const served = loader.put(burst, measured);
  await wait(LONG_WAIT_MS * 0.8);
  const during = await measured.usage();
  await served;
  return (during.rssKib - before.rssKib) / BURST;
}

/** What the service itself takes, asked without anything in between: the rest of a click is what was added. */
export async function serviceP50Ms(
  { loader, upstream }: Surroundings,
  visitorId = 'visitor',
): Promise<number> {
  const request = {
    method: 'POST' as const,
    path: `/v1.3/visitors/${visitorId}/watch_url`,
    headers: { 'content-type': 'application/json' },
    body: '{}',
  };
  const direct = await loader.put(
    { requests: [request], total: AT_A_TIME, atOnce: 1, status: 200 },
    upstream,
  );
  return direct.p50Ms;
}

async function measure(around: Surroundings, side: Side, measured: Measured): Promise<Click> {
  const { loader, upstream } = around;
  const clicks = createClicks(around, side, measured);

  async function put(times: number, atOnce: number): Promise<readonly Loaded[]> {
    const loads: Loaded[] = [];
    for (let time = 0; time < times; time += 1) {
      const load = await clicks(0, AT_A_TIME, atOnce);
      // The other sides post nothing.
      const settled = side === 'ours' ? await awaitAsked(upstream, POSTS, AT_A_TIME) : undefined;
      loads.push(await loader.put(load, measured, settled));
    }
    return loads;
  }
  await put(10, 8);
  const memoryKib = await memoryOfPending(loader, measured, await clicks(LONG_WAIT_MS, BURST, BURST));
  await put(6, 32);
  const many = await put(10, 32);
  const oneByOne = await put(6, 1);
  const service = await serviceP50Ms(around);
  const together = await loader.put(await clicks(50, BURST, BURST), measured);
  return {
    memoryKib,
    cpuUs: median(many.map(({ cpuUs }) => cpuUs)),
    addedP50Ms: median(oneByOne.map(({ p50Ms }) => p50Ms)) - service,
    burstP99Ms: together.p99Ms,
    burstLastMs: together.lastMs,
  };
}

/** From the opening of a Watch address to the redirect, the service on the same machine. */
export async function benchClick(around: Surroundings): Promise<string> {
  const samples = await inTurns(SIDES, around.rounds, (side) =>
    around.measuring(PROGRAMS[side], (measured) => measure(around, side, measured)),
  );
  return sectionOf({
    title: 'G5. A click',
    sides: [
      ['raw', 'raw'],
      ['reference', 'Bolt'],
      ['ours', 'ours'],
    ],
    figures: [
      {
        what: 'click to redirect and what follows, CPU',
        unit: 'us',
        samples: each(samples, ({ cpuUs }) => cpuUs),
        times: { raw: { atMost: 4 }, reference: { atMost: 1.2 } },
      },
      {
        what: 'one by one, service at 0 ms, added p50',
        unit: 'ms',
        samples: each(samples, ({ addedP50Ms }) => addedP50Ms),
      },
      {
        what: `${BURST} at once, service at 50 ms, p99`,
        unit: 'ms',
        samples: each(samples, ({ burstP99Ms }) => burstP99Ms),
      },
      {
        what: 'the same, the last one',
        unit: 'ms',
        samples: each(samples, ({ burstLastMs }) => burstLastMs),
      },
      {
        what: 'memory of a pending click',
        unit: 'KiB',
        samples: each(samples, ({ memoryKib }) => memoryKib),
        itself: { atMost: 32 },
      },
    ],
    how: 'Bolt is a custom route with `fetch`. All sides open a sealed ticket, seal another for the webhook, ask the service and redirect. Ours also takes the press that Slack told of just before (its cost is with the acknowledgements), looks up who clicks and what the workspace allows, keeps on disk what was granted, writes the audit entry, posts a card, counts, and logs.',
  });
}
