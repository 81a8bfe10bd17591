import { setTimeout as pause } from 'node:timers/promises';
import { createChance } from './chance.ts';
import { startChanges } from './changing-channel.ts';
import { createClicks } from './clicks.ts';
import { fatesOf, isWithoutAsking, type Fate } from './fate.ts';
import { addWebhook, countWebhooksWaiting, webhooksSetAside } from './outgoing-webhooks.ts';
import { plantInStore, type Plant } from './plants.ts';
import { postsIn } from './posts.ts';
import { countPosting, countWaiting, failuresOn, openLinksOn } from './records.ts';
import { createSessions, type Sessions } from './sessions.ts';
import {
  ADMIN,
  APP_USER,
  CHANNELS,
  USERS,
  openStages,
  workspacesOf,
  type Stage,
  type Stages,
} from './stage.ts';
import { nextDigest, subscribe } from './subscriptions.ts';
import type { Told } from './told.ts';
import { judge, mustBeFound, together, type Verdict } from './verdict.ts';
import { startWeather, type BadWeather } from './weather.ts';

/** Sessions that run at the same time: few, so that the weather changes many times before the last. */
const AT_ONCE = 6;
const CALM_LEAP_MS = 2_000;
/** While only webhooks are awaited that are an hour late. */
const IDLE_LEAP_MS = 20_000;
const REST_WITHIN_MS = 600_000;
/** By the run's time: so long after the last post nothing else comes, a double is looked for within minutes. */
const QUIET_MS = 10 * 60 * 1_000;
/** Longer than a clock is wrong by: an address is told of nothing that seems to be from before it was added. */
const ADDED_BEFORE_MS = 12 * 60 * 1_000;
/** After a digest is due, it may still be on its way. */
const DIGEST_WITHIN_MS = 30 * 60 * 1_000;

export interface Run extends Verdict {
  readonly sessions: number;
  readonly faults: BadWeather['counts'];
  readonly leftOut: readonly string[];
  readonly starts: number;
  readonly tokens: ReturnType<Stages['tokens']>;
  readonly seconds: number;
  readonly hoursPassed: number;
  /** Whether asking the service for ended sessions found none. */
  readonly isWithoutAsking: boolean;
  /** What the app wrote; gone where no promise was broken. */
  readonly logPath: string;
  /** What it stored, likewise. */
  readonly storePath: string;
}

export interface RunOptions {
  readonly seed: number;
  readonly sessions: number;
  /** On a server of its own, and with two workspaces; otherwise in a file of SQLite's. */
  readonly onPostgres?: boolean;
  /** With a connection pooler before that server. */
  readonly isPooled?: boolean;
  /** Several only over a store that can have several: PostgreSQL. */
  readonly processes?: number;
  /** Nothing goes wrong but what kills the app after its acknowledgement. */
  readonly isCalm?: boolean;
  readonly killShare?: number;
  readonly plants?: readonly Plant[];
  /** Told of what goes on, now and then. */
  readonly say?: (words: string) => void;
}

/** A message in each channel, for sessions that are started from a thread. @returns their `ts` by channel */
async function startThreads({ slack }: Stage): Promise<ReadonlyMap<string, string>> {
  const text = 'Who can help?';
  for (const channel of CHANNELS) await slack.message({ as: ADMIN, channel, text });
  const { messages } = slack.snapshot(ADMIN);
  return new Map(messages.flatMap((one) => (one.text === text ? [[one.channel, one.ts]] : [])));
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
async function findUntold(stages: readonly Stage[], ended: readonly Told[]): Promise<void> {
  const untold = ended.filter(mustBeFound);
  if (untold.length === 0) return;
  await within(REST_WITHIN_MS, async () => {
    const found = new Set(
      stages.flatMap(read).flatMap(({ kind, number }) => (kind === 'summary' ? [number] : [])),
    );
    const left = untold.filter(({ fate }) => !found.has(fate.number));
    if (left.length === 0) return true;
    const failures = (await Promise.all(stages.map(failuresOn))).flat();
    const failed = new Set(
      failures.flatMap(({ state, sessionId }) => (state === 'failed' ? [sessionId] : [])),
    );
    return left.every(({ sessionId }) => failed.has(sessionId));
  });
}

/** Lets time pass until nothing waits to be posted, or looked for. @returns whether that came in time */
async function comeToRest(stages: readonly [Stage, ...Stage[]]): Promise<boolean> {
  const [{ app, time, ...any }] = stages;
  await app.ready();
  const count = () => stages.reduce((sum, stage) => sum + countPosting(stage), 0);
  let posting = count();
  let quietSince = time.now();
  return within(REST_WITHIN_MS, async () => {
    const waiting = await countWaiting(any);
    const now = count();
    if (waiting > 0 || now !== posting) quietSince = time.now();
    time.hurry(waiting > 0 ? CALM_LEAP_MS : IDLE_LEAP_MS);
    posting = now;
    return time.now() - quietSince > QUIET_MS;
  });
}

/** Runs sessions through bad weather, lets it clear, and looks at what became of each. */
export async function runChaos(options: RunOptions): Promise<Run> {
  const {
    seed,
    sessions: count,
    onPostgres = false,
    isPooled = false,
    processes = 1,
    isCalm = false,
    plants = [],
  } = options;
  const { killShare = 0.15, say = () => {} } = options;
  const began = performance.now();
  const workspaces = workspacesOf({ onPostgres });
  const fates = fatesOf(seed, count, { users: USERS, channels: CHANNELS, workspaces, killShare });
  const sessions = createSessions(
    fates,
    ({ workspace }) => placeOf(workspace).stage,
    ({ workspace }) => placeOf(workspace).clicks,
  );
  const links: string[] = [];
  const stages = await openStages({
    seed,
    onPostgres,
    isPooled,
    processes,
    plants,
    visitors: fates.map(({ visitorId }) => visitorId),
    onLink: (visitorId, link) => {
      links.push(link);
      return sessions.onLink(visitorId, link);
    },
    onEnd: sessions.onEnd,
    isHidden: sessions.isHidden,
  });
  const { all, logPath } = stages;
  const [{ app, time, store }] = all;
  const firstTime = time.now();
  let isKept = true;

  async function prepare(stage: Stage, number: number) {
    const threads = await startThreads(stage);
    await subscribe(stage);
    const secret = await addWebhook(stage);
    await plantInStore(plants, stage.store);
    const changes = await startChanges(stage, createChance(seed, `changes ${number}`), isCalm, plants);
    return { stage, threads, secret, changes, clicks: createClicks(stage, threads) };
  }
  const places: Awaited<ReturnType<typeof prepare>>[] = [];
  function placeOf(number: number) {
    const place = places[number];
    if (place === undefined) throw new Error(`There is no workspace ${number}.`);
    return place;
  }

  try {
    for (const [number, stage] of all.entries()) places.push(await prepare(stage, number));
    time.hurry(IDLE_LEAP_MS);
    await time.until(time.now() + ADDED_BEFORE_MS);
    time.hurry();
    const weather = isCalm ? undefined : startWeather(all, createChance(seed, 'weather'));
    await runAll(fates, sessions);
    await weather?.stop();
    for (const { changes } of places) await changes.stop();
    say(`${count} sessions ended; webhooks that are late still come`);
    time.hurry(IDLE_LEAP_MS);
    await sessions.allTold();
    await app.ready();
    await findUntold(all, sessions.ended());
    await time.until(nextDigest(firstTime) + DIGEST_WITHIN_MS);
    const isAtRest = await comeToRest(all);
    const isTold = await within(REST_WITHIN_MS, async () =>
      (await Promise.all(all.map(countWebhooksWaiting))).every((waiting) => waiting === 0),
    );
    await time.stop();
    await app.stop();
    const verdicts = await Promise.all(
      places.map(async ({ stage, threads, secret, changes }, number) =>
        judge({
          ended: sessions.ended().filter(({ fate }) => fate.workspace === number),
          linked: sessions.linked,
          threads,
          posts: read(stage),
          failures: await failuresOn(stage),
          openLinks: await openLinksOn(stage),
          whiles: changes.whiles(),
          calls: stage.slack.calls,
          webhooks: {
            workspaceId: stage.workspaceId,
            secret,
            links,
            arrived: stage.receiver.arrivedFor(stage.workspaceId),
            setAside: await webhooksSetAside(stage),
          },
          digests: { from: firstTime, to: time.now() - DIGEST_WITHIN_MS },
        }),
      ),
    );
    const verdict = together(verdicts);
    const broken = [
      ...(onPostgres && stages.tokens().refreshed < 2 ? ['tokens that end weren’t replaced'] : []),
      ...(isAtRest ? [] : ['lost: something still waits to be posted, or to be looked for']),
      ...(isTold ? [] : ['webhooks: something still waits to be taken']),
      ...app.badEnds().map((code) => `the app ended with ${code} when it was asked to stop`),
      ...verdict.broken,
    ];
    isKept = broken.length > 0;
    return {
      ...verdict,
      broken,
      sessions: sessions.ended().length,
      faults: weather?.counts ?? new Map(),
      leftOut: store.leftOut,
      isWithoutAsking: isWithoutAsking(seed),
      starts: app.starts(),
      tokens: stages.tokens(),
      seconds: (performance.now() - began) / 1_000,
      hoursPassed: (time.now() - firstTime) / 3_600_000,
      logPath,
      storePath: store.path,
    };
  } finally {
    await time.stop();
    await app.stop();
    await stages.close(isKept);
  }
}
