import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { openStorage } from '../../src/storage/open.ts';
import { createChance } from './chance.ts';
import { fatesOf } from './fate.ts';
import type { Fate } from './fate.ts';
import { createSessions } from './sessions.ts';
import type { Sessions } from './sessions.ts';
import { CHANNELS, USERS, WORKSPACE, openStage } from './stage.ts';
import type { Stage } from './stage.ts';
import type { Told } from './told.ts';
import { judge, mustBeFound } from './verdict.ts';
import type { Verdict } from './verdict.ts';
import { startWeather } from './weather.ts';
import type { BadWeather } from './weather.ts';

/** Sessions that run at the same time: few, so that the weather changes many times before the last. */
const AT_ONCE = 4;
const CALM_LEAP_MS = 2_000;
/** While only webhooks are awaited that are an hour late. */
const IDLE_LEAP_MS = 10_000;
const REST_WITHIN_MS = 120_000;

export interface Run extends Verdict {
  readonly sessions: number;
  readonly faults: BadWeather['counts'];
  readonly leftOut: readonly string[];
  readonly starts: number;
  readonly removed: number;
  readonly seconds: number;
  readonly hoursPassed: number;
  /** What the app wrote; gone where no promise was broken. */
  readonly logPath: string;
}

interface RunOptions {
  readonly seed: number;
  readonly sessions: number;
  /** Told of what goes on, now and then. */
  readonly say?: (words: string) => void;
}

const Posted = z.object({ ok: z.literal(true), ts: z.string() });

/** A message in each channel, for sessions that are started from a thread. */
async function startThreads({ call }: Stage, threads: Map<string, string>): Promise<void> {
  for (const channel of CHANNELS) {
    const { ts } = Posted.parse(await call('chat.postMessage', { channel, text: 'Who can help?' }));
    threads.set(channel, ts);
  }
}

async function runAll(fates: readonly Fate[], sessions: Sessions): Promise<void> {
  const left = fates.values();
  const work = async () => {
    for (const fate of left) await sessions.run(fate);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/**
 * Lets time pass until every session whose end nobody told of is found by asking, which takes hours. What is not found
 * in time is the verdict's.
 */
async function findUntold({ app, time, storePath }: Stage, ended: readonly Told[]): Promise<void> {
  time.hurry(IDLE_LEAP_MS);
  const storage = await openStorage(`sqlite:${storePath}`, { now: app.now });
  const places = ['summaries-waiting', 'summaries-settled'].map((name) => storage.store(name));
  const isKnown = async ({ sessionId }: Told) => {
    const found = await Promise.all(places.map((store) => store.get(`${WORKSPACE}:${sessionId}`)));
    return found.some((record) => record !== undefined);
  };
  const until = performance.now() + REST_WITHIN_MS;
  for (const told of ended.filter(mustBeFound))
    while (!(await isKnown(told)) && performance.now() < until) await pause(100);
  await storage.close();
}

/** Lets time pass until nothing waits to be posted, or looked for. @returns how many still wait where that takes too long */
async function comeToRest({ app, time, storePath }: Stage): Promise<number> {
  time.hurry(CALM_LEAP_MS);
  await app.ready();
  const storage = await openStorage(`sqlite:${storePath}`, { now: app.now });
  const waiting = ['summaries-waiting', 'summary-doubles'].map((name) => storage.store(name));
  const countLeft = async () =>
    (await Promise.all(waiting.map((store) => store.keys('', 100)))).flat().length;
  const until = performance.now() + REST_WITHIN_MS;
  let left = await countLeft();
  while (left > 0 && performance.now() < until) {
    await pause(100);
    left = await countLeft();
  }
  await storage.close();
  return left;
}

/** Runs sessions through bad weather, lets it clear, and looks at what became of each. */
export async function runChaos({ seed, sessions: count, say = () => {} }: RunOptions): Promise<Run> {
  const began = performance.now();
  const fates = fatesOf(seed, count, { users: USERS, channels: CHANNELS });
  const threads = new Map<string, string>();
  const sessions = createSessions(fates, () => stage, threads);
  const stage: Stage = await openStage({
    seed,
    visitors: fates.map(({ visitorId }) => visitorId),
    onLink: sessions.onLink,
    onEnd: sessions.onEnd,
  });
  const { app, time, slack } = stage;
  const firstTime = time.now();
  try {
    await startThreads(stage, threads);
    const weather = await startWeather(stage, createChance(seed, 'weather'));
    await runAll(fates, sessions);
    await weather.stop();
    say(`${count} sessions ended; webhooks that are late still come`);
    time.hurry(IDLE_LEAP_MS);
    await sessions.allTold();
    await app.ready();
    await findUntold(stage, sessions.ended());
    const left = await comeToRest(stage);
    await time.stop();
    const exitCode = await app.stop();
    const verdict = await judge(stage, sessions.ended());
    const broken = [
      ...(left === 0 ? [] : [`${left} or more still wait to be posted, or to be looked for`]),
      ...(exitCode === 0 ? [] : [`the app ended with ${exitCode} when it was asked to stop`]),
      ...verdict.broken,
    ];
    if (broken.length === 0) await stage.forget();
    return {
      ...verdict,
      broken,
      sessions: sessions.ended().length,
      faults: weather.counts,
      leftOut: weather.leftOut,
      starts: app.starts(),
      removed: slack.calls.filter(({ method, error }) => method === 'chat.delete' && error === undefined)
        .length,
      seconds: (performance.now() - began) / 1_000,
      hoursPassed: (time.now() - firstTime) / 3_600_000,
      logPath: stage.logPath,
    };
  } finally {
    await time.stop();
    await app.stop();
    await stage.close();
  }
}
