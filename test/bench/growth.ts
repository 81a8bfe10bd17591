import { request } from 'undici';
import { ANSWERS, HOMES, POSTS, awaitAsked } from './asked.ts';
import type { Measured } from './child.ts';
import { createClicks } from './click.ts';
import { LEFT_LONG_AGO, fillHistory, livedIn, secondDay } from './history.ts';
import type { LoadRequest } from './load-job.ts';
import { judged, section, table } from './report.ts';
import { each, inTurns, median, medianRatio } from './rounds.ts';
import { signedCommands, signedHomeOpenings } from './slack-requests.ts';
import { APP, type Surroundings } from './surroundings.ts';
import { linksIn } from './tickets.ts';
import { webhookOf } from './webhook-request.ts';

const TIMES = 30;
/** Few enough that a slow machine opens each page while its press still counts. */
const CLICKS = 10;
const MOST = 1.2;

const COMMANDS = [
  '',
  'jane',
  'watch visitor-1',
  'visitor visitor-1',
  'agent',
  'stop visitor-2',
  'usage',
  'proxy',
  'delete visitor-1',
  'subscriptions',
  'unsubscribe',
  'digest',
  'help',
  'audit',
  'audit last 7 days',
  'audit <@U0BENCH0007>',
  `audit <@${LEFT_LONG_AGO}>`,
  'audit <#C0PAST00007>',
  'audit visitor visitor-7',
  'audit deletions',
  'audit <@U0BENCH0007> <#C0PAST00007>',
  'audit <@U0BENCH0007> deletions',
] as const;

/** What one of it costs: until its answer is there, and of processor time. */
interface Cost {
  readonly p50Ms: number;
  readonly cpuUs: number;
}

/** Something that people or the service do, some times one after the other. */
interface Act {
  readonly what: string;
  readonly measure: (measured: Measured, round: number) => Promise<Cost>;
}

function actsOn(around: Surroundings): readonly Act[] {
  const { upstream, loader } = around;

  /** @param asks what each makes the app ask for in the end, and how often */
  async function answered(
    measured: Measured,
    requests: readonly LoadRequest[],
    asks: readonly [path: string, times: number],
  ): Promise<Cost> {
    const before = await measured.usage();
    const times: number[] = [];
    for (const { method, path, headers, body } of requests.slice(0, TIMES)) {
      const isDone = await awaitAsked(upstream, ...asks);
      const startedAt = performance.now();
      const acknowledged = await request(measured.origin + path, { method, headers, body });
      await acknowledged.body.dump();
      if (acknowledged.statusCode !== 200) throw new Error(`${path} answered ${acknowledged.statusCode}`);
      await isDone();
      times.push(performance.now() - startedAt);
    }
    const { cpuUs } = await measured.usage();
    return { p50Ms: median(times), cpuUs: (cpuUs - before.cpuUs) / times.length };
  }

  async function clicked(measured: Measured): Promise<Cost> {
    const clicks = createClicks(around, 'ours', measured);
    const loads: Cost[] = [];
    for (let done = 0; done < TIMES; done += CLICKS) {
      const load = await clicks(0, CLICKS, 1);
      loads.push(await loader.put(load, measured, await awaitAsked(upstream, POSTS, CLICKS)));
    }
    return {
      p50Ms: median(loads.map(({ p50Ms }) => p50Ms)),
      cpuUs: median(loads.map(({ cpuUs }) => cpuUs)),
    };
  }

  async function posted(measured: Measured, round: number): Promise<Cost> {
    const channels = Array.from({ length: TIMES }, (_, number) => `C0TOLD${round}X${number}`);
    const requests = linksIn(channels, TIMES, `round-${round}`).map(webhookOf);
    const load = { requests, total: TIMES, atOnce: 1, status: 200, from: 1_000_000 + round * TIMES };
    return loader.put(load, measured, await awaitAsked(upstream, POSTS, TIMES));
  }

  return [
    ...COMMANDS.map((text) => ({
      what: `\`/cobrowse${text === '' ? '' : ` ${text}`}\``,
      measure: (measured: Measured) =>
        answered(measured, signedCommands(text, upstream.origin + ANSWERS), [ANSWERS, 1]),
    })),
    {
      what: 'the Home tab',
      // A skeleton first.
      measure: (measured) => answered(measured, signedHomeOpenings(), [HOMES, 2]),
    },
    { what: 'a click, with its card', measure: clicked },
    { what: 'a webhook, with its summary', measure: posted },
  ];
}

/** What a long history makes slower: everything people do, in a store that was lived in for months and in a young one. */
export async function benchGrowth(around: Surroundings): Promise<string> {
  const { measuring, rounds } = around;
  const acts = actsOn(around);
  async function compare(young: Measured, old: Measured): Promise<string[][]> {
    const lines: string[][] = [];
    for (const { what, measure } of acts) {
      process.stderr.write(`${what}\n`);
      await measure(young, rounds);
      await measure(old, rounds);
      const samples = await inTurns([young, old], rounds, measure);
      const of = (pick: (cost: Cost) => number) => {
        const picked = each(samples, pick);
        const [before = [], after = []] = [picked.get(young), picked.get(old)];
        const ratio = medianRatio(after, before);
        return { before: median(before), after: median(after), ratio };
      };
      const [time, cpu] = [of(({ p50Ms }) => p50Ms), of(({ cpuUs }) => cpuUs)];
      lines.push([
        what,
        `${time.before.toFixed(1)} ms`,
        `${time.after.toFixed(1)} ms`,
        judged(time.ratio.toFixed(2), time.ratio, { atMost: MOST }),
        judged(cpu.ratio.toFixed(2), cpu.ratio, { atMost: MOST }),
      ]);
    }
    return lines;
  }
  const lines = await measuring(
    APP,
    (young) => measuring(APP, (old) => compare(young, old), { fill: (url) => fillHistory(url, livedIn) }),
    { fill: (url) => fillHistory(url, secondDay) },
  );
  return section(
    'G1. What a long history makes slower',
    table(
      ['until it’s answered, p50', 'second day', 'lived-in', 'lived-in : second day', 'the same of CPU'],
      lines,
    ),
    `Two processes at once, in turns, ${TIMES} of each one after the other. Lived-in is a store with ${count(livedIn.auditADay)} audit records and ${count(livedIn.sessionsADay)} sessions of ${livedIn.days} days, with their links and deliveries; the other has those of one day, so that answers show as much.`,
  );
}

const count = (aDay: number) => (aDay * livedIn.days).toLocaleString('en-US');
