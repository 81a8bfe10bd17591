import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { createChance } from './chance.ts';
import { startChanges } from './changing-channel.ts';
import { createClicks } from './clicks.ts';
import { fatesOf } from './fate.ts';
import type { Fate } from './fate.ts';
import { plantInStore } from './plants.ts';
import type { Plant } from './plants.ts';
import { postsIn } from './posts.ts';
import { countPosting, countWaiting, failuresOn, openLinksOn } from './records.ts';
import { createSessions } from './sessions.ts';
import type { Sessions } from './sessions.ts';
import { APP_USER, CHANNELS, USERS, openStage } from './stage.ts';
import type { Stage } from './stage.ts';
import { nextDigest, subscribe } from './subscriptions.ts';
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
const REST_WITHIN_MS = 600_000;
/** By the run's time: so long after the last post nothing else comes, a double is looked for within minutes. */
const QUIET_MS = 10 * 60 * 1_000;
/** After a digest is due, it may still be on its way. */
const DIGEST_WITHIN_MS = 30 * 60 * 1_000;

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

export interface RunOptions {
  readonly seed: number;
  readonly sessions: number;
  /** `postgres://…`; a file of SQLite's where not given. */
  readonly storeUrl?: string | undefined;
  /** Several only over a store that can have several: PostgreSQL. */
  readonly processes?: number;
  /** Nothing goes wrong but what kills the app after its acknowledgement. */
  readonly isCalm?: boolean;
  readonly killShare?: number;
  readonly plant?: Plant;
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

async function within(limitMs: number, isDone: () => Promise<boolean>): Promise<boolean> {
  const until = performance.now() + limitMs;
  while (!(await isDone())) {
    if (performance.now() > until) return false;
    await pause(100);
  }
  return true;
}

const read = ({ slack }: Stage) => postsIn(slack, USERS, APP_USER);

/**
 * Lets time pass until every session whose end nobody told of is found by asking, which takes hours. What is not found
 * in time is the verdict's.
 */
async function findUntold(stage: Stage, ended: readonly Told[]): Promise<void> {
  stage.time.hurry(IDLE_LEAP_MS);
  await within(REST_WITHIN_MS, async () => {
    const found = new Set(read(stage).flatMap(({ kind, number }) => (kind === 'summary' ? [number] : [])));
    const left = ended.filter((told) => mustBeFound(told) && !found.has(told.fate.number));
    if (left.length === 0) return true;
    const failed = new Set(
      (await failuresOn(stage)).flatMap(({ state, sessionId }) => (state === 'failed' ? [sessionId] : [])),
    );
    return left.every(({ sessionId }) => failed.has(sessionId));
  });
}

/** Lets time pass until nothing waits to be posted, or looked for. @returns whether that came in time */
async function comeToRest(stage: Stage): Promise<boolean> {
  const { app, time } = stage;
  await app.ready();
  let posting = countPosting(stage);
  let quietSince = time.now();
  return within(REST_WITHIN_MS, async () => {
    const waiting = await countWaiting(stage);
    const now = countPosting(stage);
    if (waiting > 0 || now !== posting) quietSince = time.now();
    time.hurry(waiting > 0 ? CALM_LEAP_MS : IDLE_LEAP_MS);
    posting = now;
    return time.now() - quietSince > QUIET_MS;
  });
}

/** Runs sessions through bad weather, lets it clear, and looks at what became of each. */
export async function runChaos(options: RunOptions): Promise<Run> {
  const { seed, sessions: count, storeUrl, processes = 1, isCalm = false, killShare = 0.15, plant } = options;
  const { say = () => {} } = options;
  const began = performance.now();
  const fates = fatesOf(seed, count, { users: USERS, channels: CHANNELS, killShare });
  const threads = new Map<string, string>();
  const sessions = createSessions(
    fates,
    () => stage,
    () => clicks,
  );
  const stage: Stage = await openStage({
    seed,
    storeUrl,
    processes,
    plant,
    visitors: fates.map(({ visitorId }) => visitorId),
    onLink: sessions.onLink,
    onEnd: sessions.onEnd,
    isHidden: sessions.isHidden,
  });
  const { app, time, slack } = stage;
  const clicks = createClicks(stage, threads);
  const firstTime = time.now();
  try {
    await startThreads(stage, threads);
    await subscribe(stage);
    await plantInStore(plant, stage);
    const changes = await startChanges(stage, createChance(seed, 'changes'), isCalm, plant);
    const weather = isCalm ? undefined : await startWeather(stage, createChance(seed, 'weather'));
    await runAll(fates, sessions);
    await weather?.stop();
    await changes.stop();
    say(`${count} sessions ended; webhooks that are late still come`);
    time.hurry(IDLE_LEAP_MS);
    await sessions.allTold();
    await app.ready();
    await findUntold(stage, sessions.ended());
    await time.until(nextDigest(firstTime) + DIGEST_WITHIN_MS);
    const isAtRest = await comeToRest(stage);
    await time.stop();
    const exitCode = await app.stop();
    const verdict = judge({
      ended: sessions.ended(),
      linked: sessions.linked,
      threads,
      posts: read(stage),
      failures: await failuresOn(stage),
      openLinks: await openLinksOn(stage),
      whiles: changes.whiles(),
      calls: slack.calls,
      digests: { from: firstTime, to: time.now() - DIGEST_WITHIN_MS },
    });
    const broken = [
      ...(isAtRest ? [] : ['lost: something still waits to be posted, or to be looked for']),
      ...(exitCode === 0 ? [] : [`the app ended with ${exitCode} when it was asked to stop`]),
      ...verdict.broken,
    ];
    if (broken.length === 0) await stage.forget();
    return {
      ...verdict,
      broken,
      sessions: sessions.ended().length,
      faults: weather?.counts ?? new Map(),
      leftOut: weather?.leftOut ?? [],
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
