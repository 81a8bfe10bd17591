import { setTimeout as wait } from 'node:timers/promises';
import { POSTS, awaitAsked } from './asked.ts';
import { reportOf, share, shareOfPace } from './backlog.ts';
import { startLoader } from './loader.ts';
import { processesBeside, type Beside } from './processes-beside.ts';
import { judged, section, sectionOf, table } from './report.ts';
import { each, inTurns, median } from './rounds.ts';
import { type Surroundings, inBuilt } from './surroundings.ts';
import { linksIn } from './tickets.ts';
import { webhookOf } from './webhook-request.ts';
import { OAUTH, idsOf, installIn } from './workspaces.ts';

const PROCESSES = { one: 1, three: 3 } as const;
/** One process has so many at once in turn with the others, several times. */
const EVENTS = 60;
const TURNS = 10;
const WORKSPACES = 20;
const CHANNELS = 100;
const BACKLOG = 20_000;
/**
 * As in deploy/kubernetes: the image sets a third of what V8 lets new objects grow to by itself, and of a container's 512 MiB
 * V8 keeps to half.
 */
const LIMITS = '--max-semi-space-size=16 --max-old-space-size=256';

/** What a webhook costs app and server together until its summary is posted, microseconds. */
async function costIn(around: Surroundings, { processes, serverUs }: Beside): Promise<number> {
  const used = async () => {
    const ofAll = await Promise.all(processes.map((measured) => measured.usage()));
    return ofAll.reduce((sum, { cpuUs }) => sum + cpuUs, serverUs());
  };
  let sent = 0;
  async function send(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn += 1) {
      const measured = processes[turn % processes.length];
      if (measured === undefined) throw new Error('There is no process.');
      const channels = Array.from({ length: EVENTS }, (_, number) => `C0EACH${sent + number}`);
      const requests = linksIn(channels, EVENTS, `each-${sent}`).map(webhookOf);
      const arePosted = await awaitAsked(around.upstream, POSTS, EVENTS);
      const load = { requests, total: EVENTS, atOnce: 16, status: 200, from: sent };
      await around.loader.put(load, measured, arePosted);
      sent += EVENTS;
    }
  }
  // Each has had as many before: what V8 has compiled costs less.
  for (const _ of processes) await send();
  const before = await used();
  await send();
  return ((await used()) - before) / EVENTS / TURNS;
}

async function benchCost(around: Surroundings): Promise<string> {
  const samples = await inTurns(['one', 'three'] as const, around.rounds, (side) =>
    processesBeside(around, PROCESSES[side], (beside) => costIn(around, beside)),
  );
  return sectionOf({
    title: 'G17. Three processes',
    sides: [
      ['one', 'one process'],
      ['three', 'three processes'],
    ],
    figures: [
      {
        what: 'a webhook, until its summary is posted, CPU of app and server',
        unit: 'us',
        samples: each(samples, (us) => us),
        times: { one: { atMost: 1.2 } },
      },
    ],
    how: `On one PostgreSQL: ${EVENTS * TURNS} webhooks of channels of their own, ${EVENTS} at a time to one process after another, 16 at once.`,
  });
}

interface Drained {
  /** While it's taken in, and then: each channel's share of the pace that Slack allows. */
  readonly meanwhile: readonly number[];
  readonly after: readonly number[];
  readonly waiting: number;
  readonly done: number;
  readonly refused: number;
  readonly rssMib: readonly number[];
}

/** What reached each channel over some reports. */
function createTally() {
  const channels = new Map<string, { count: number; firstAt: number; lastAt: number }>();
  let [done, refused] = [0, 0];
  return {
    add(report: Awaited<ReturnType<typeof reportOf>>): void {
      refused += report.refused;
      for (const { channel, count, firstAt, lastAt } of report.channels) {
        const before = channels.get(channel) ?? { count: 0, firstAt };
        channels.set(channel, { count: before.count + count, firstAt: before.firstAt, lastAt });
        done += count;
      }
    },
    done: () => done,
    refused: () => refused,
    shares: () => [...channels.values()].map(shareOfPace),
  };
}

/** Takes everything in at all processes at the same time, and waits for the last summary. */
async function drain({ upstream }: Surroundings, { processes }: Beside): Promise<Drained> {
  const channels = Array.from({ length: CHANNELS }, (_, number) => `C0SHARED${number}`);
  const requests = linksIn(channels, BACKLOG, 'shared', idsOf(WORKSPACES)).map(webhookOf);
  const most = processes.map(() => 0);
  const [meanwhile, after] = [createTally(), createTally()];
  // What other benchmarks posted is none of it.
  await reportOf(upstream.origin);
  const total = Math.ceil(BACKLOG / processes.length);
  await Promise.all(
    processes.map(async (measured, index) => {
      const loader = startLoader();
      const from = index * total;
      const own = requests.slice(from, from + total);
      await loader.put({ requests: own, total: own.length, atOnce: 5, status: 200, from }, measured);
      await loader.stop();
    }),
  );
  meanwhile.add(await reportOf(upstream.origin));
  const done = () => meanwhile.done() + after.done();
  // At a message a second the last ones are through long before, whatever was lost.
  const until = performance.now() + (2 * BACKLOG * 1_000) / CHANNELS;
  while (done() < BACKLOG && performance.now() < until) {
    await wait(1_000);
    for (const [index, measured] of processes.entries())
      most[index] = Math.max(most[index] ?? 0, (await measured.usage()).rssKib / 1_024);
    after.add(await reportOf(upstream.origin));
  }
  return {
    meanwhile: meanwhile.shares(),
    after: after.shares(),
    waiting: BACKLOG - meanwhile.done(),
    done: done(),
    refused: meanwhile.refused() + after.refused(),
    rssMib: most,
  };
}

/** A morning after an outage, with several processes. */
const benchBacklogOfAll = (around: Surroundings): Promise<string> =>
  inBuilt((program) =>
    processesBeside(
      around,
      PROCESSES.three,
      async (beside) => {
        const found = await drain(around, beside);
        const most = Math.max(...found.rssMib);
        return section(
          'G17. A backlog of three processes',
          table(
            [`a backlog of ${BACKLOG.toLocaleString('en-US')} summaries`, ''],
            [
              [
                `of Slack's pace while it's taken in, median of ${CHANNELS} channels`,
                share(median(found.meanwhile)),
              ],
              [
                `of Slack's pace for the ${found.waiting.toLocaleString('en-US')} that wait then`,
                judged(share(median(found.after)), median(found.after), { atLeast: 0.97 }),
              ],
              ['the slowest channel then', share(Math.min(...found.after))],
              ['summaries posted', judged(`${found.done} of ${BACKLOG}`, found.done, { atLeast: BACKLOG })],
              ['told by Slack to come later', judged(String(found.refused), found.refused, { atMost: 0 })],
              [
                'the most memory of one of the processes',
                judged(`${most.toFixed(0)} MiB`, most, { atMost: 220 }),
              ],
            ],
          ),
          `Over ${CHANNELS} channels of ${WORKSPACES} workspaces, taken in at all three at the same time, 5 at once each, on one PostgreSQL. The stand-in for Slack answers in 100 ms and takes a message a second in a channel; 98.0 % is the most. The app is what \`npm run build\` makes, with the heap that V8 takes of the 512 MiB in deploy/kubernetes: \`NODE_OPTIONS=${LIMITS}\`; memory is read every second once everything is taken in.`,
        );
      },
      {
        program,
        fill: (url) => installIn(url, WORKSPACES, around.upstream.origin),
        settings: {
          ...OAUTH,
          COBROWSE_API_KEY: '',
          COBROWSE_BASE_URL: '',
          COBROWSE_HOSTS: new URL(around.upstream.origin).host,
          NODE_OPTIONS: LIMITS,
        },
      },
    ),
  );

export const benchThreeProcesses = async (around: Surroundings): Promise<string> =>
  `${await benchCost(around)}\n\n${await benchBacklogOfAll(around)}`;
