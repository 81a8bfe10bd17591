import { setTimeout as wait } from 'node:timers/promises';
import { request } from 'undici';
import { z } from 'zod';
import type { ChannelReport } from './paced-channels.ts';
import { judged, section, table } from './report.ts';
import { median } from './rounds.ts';
import { signedCommands } from './slack-requests.ts';
import { APP, type Surroundings } from './surroundings.ts';
import { linksIn } from './tickets.ts';
import { webhookOf } from './webhook-request.ts';

const QUIET = Array.from({ length: 100 }, (_, number) => `C0QUIET${String(number).padStart(4, '0')}`);
/** One channel with as much as all the others. */
const LOUD = 'C0LOUD00001';
/** What the quiet ones get together, and the loud one alone. */
const half = (backlog: number) => Math.max(1, Math.round(backlog / 2 / QUIET.length)) * QUIET.length;
const COMMANDS = 400;

const Report = z.object({
  refused: z.number(),
  channels: z.array(
    z.object({ channel: z.string(), count: z.number(), firstAt: z.number(), lastAt: z.number() }),
  ),
});

export async function reportOf(origin: string): Promise<z.infer<typeof Report>> {
  const { body } = await request(`${origin}/posts`);
  return Report.parse(await body.json());
}

/** Of a message a second: 1 is all that Slack takes. */
export const shareOfPace = ({ count, firstAt, lastAt }: Omit<ChannelReport, 'channel'>) =>
  ((count - 1) * 1_000) / (lastAt - firstAt);

interface Drained {
  readonly quietShare: number;
  readonly slowestShare: number;
  readonly loudShare: number;
  readonly quietDone: number;
  readonly lastQuietMs: number;
  readonly posts: number;
  readonly refused: number;
  readonly idleP99Ms: number;
  readonly besideP50Ms: number;
  readonly besideP99Ms: number;
  readonly rssMib: number;
}

async function drain({ loader, upstream, measuring, backlog }: Surroundings): Promise<Drained> {
  const total = 2 * half(backlog);
  const eachQuiet = half(backlog) / QUIET.length;
  // At a message a second the quiet channels are through, and some.
  const watchedMs = (eachQuiet + 10) * 1_000;
  return measuring(APP, async (measured) => {
    const answers = `${upstream.origin}/respond`;
    const command = () => signedCommands('help', answers);
    const askOneByOne = () =>
      loader.put({ requests: command(), total: COMMANDS, atOnce: 1, status: 200 }, measured);
    await askOneByOne();
    const idle = await askOneByOne();
    // Of two in turn one goes to the loud channel.
    const webhooks = linksIn(
      QUIET.flatMap((quiet) => [quiet, LOUD]),
      total,
    ).map(webhookOf);
    // What other benchmarks posted is none of it.
    await reportOf(upstream.origin);
    const startedAt = performance.now();
    await loader.put({ requests: webhooks, total, atOnce: 32, status: 200 }, measured);
    const { rssKib } = await measured.usage();
    const beside: { p50Ms: number; p99Ms: number }[] = [];
    do {
      beside.push(await askOneByOne());
      await wait(1_000);
    } while (performance.now() - startedAt < watchedMs);
    const { refused, channels } = await reportOf(upstream.origin);
    const quiet = channels.filter(({ channel }) => QUIET.includes(channel));
    const loud = channels.find(({ channel }) => channel === LOUD);
    if (quiet.length !== QUIET.length || loud === undefined) throw new Error('A channel got nothing.');
    const shares = quiet.map(shareOfPace);
    const firstAt = Math.min(...channels.map((channel) => channel.firstAt));
    return {
      quietShare: median(shares),
      slowestShare: Math.min(...shares),
      loudShare: shareOfPace(loud),
      quietDone: quiet.filter(({ count }) => count === eachQuiet).length,
      lastQuietMs: Math.max(...quiet.map(({ lastAt }) => lastAt)) - firstAt,
      posts: channels.reduce((sum, { count }) => sum + count, 0),
      refused,
      idleP99Ms: idle.p99Ms,
      besideP50Ms: median(beside.map(({ p50Ms }) => p50Ms)),
      besideP99Ms: median(beside.map(({ p99Ms }) => p99Ms)),
      rssMib: rssKib / 1_024,
    };
  });
}

export const share = (value: number) => `${(value * 100).toFixed(1)} %`;
const ms = (value: number) => `${value.toFixed(2)} ms`;

/** A morning after an outage: summaries wait, half of them for one channel, and people type commands. */
export async function benchBacklog(around: Surroundings): Promise<string> {
  const found = await drain(around);
  const ofEach = half(around.backlog);
  const posts = found.posts + found.refused;
  const lines: readonly (readonly [string, string])[] = [
    [
      `of Slack's pace, median of ${QUIET.length} quiet channels`,
      judged(share(found.quietShare), found.quietShare, { atLeast: 0.97 }),
    ],
    ['the slowest of them', share(found.slowestShare)],
    [`the loud channel, with ${ofEach.toLocaleString('en-US')} of its own`, share(found.loudShare)],
    [
      `quiet channels through, ${ofEach / QUIET.length} summaries each`,
      `${found.quietDone} of ${QUIET.length}, the last after ${(found.lastQuietMs / 1_000).toFixed(1)} s`,
    ],
    ['told by Slack to come later', judged(`${found.refused} of ${posts}`, found.refused, { atMost: 0 })],
    ['a command acknowledged, p99, nothing else going on', ms(found.idleP99Ms)],
    ['a command acknowledged beside it, p50', ms(found.besideP50Ms)],
    ['a command acknowledged beside it, p99', ms(found.besideP99Ms)],
    [
      'memory when all of it was taken in at once',
      judged(`${found.rssMib.toFixed(0)} MiB`, found.rssMib, { atMost: 150 }),
    ],
  ];
  return section(
    'G11. A backlog',
    table([`a backlog of ${(2 * ofEach).toLocaleString('en-US')} summaries`, ''], lines),
    `Half of them are for one channel and half for ${QUIET.length} others. The stand-in for Slack answers in 100 ms and takes a message a second in a channel. Between two posts there the app waits 1,020 ms, so that 98.0 % is the most.`,
  );
}
