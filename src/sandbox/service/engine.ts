import { startLife } from './life.ts';
import { seededVisitors } from './seed-visitors.ts';
import { sessionObject } from './session.ts';
import type { SessionRecord } from './session.ts';
import type { SeedVisitor } from './visitor.ts';
import { createWatchStreams } from './watch-streams.ts';
import type { WatchStreams } from './watch-streams.ts';
import { watchView } from './watch-view.ts';
import { createWebhooks } from './webhooks.ts';
import type { Webhooks } from './webhooks.ts';
import { createWorld } from './world.ts';
import type { World } from './world.ts';

export interface EngineOptions {
  readonly now?: () => Date;
  /** Visitors change pages, come and go by themselves. Default false. */
  readonly lively?: boolean;
  /** Numbers from 0 below 1 that decide what happens in a lively world. */
  readonly chance?: () => number;
  /** Default 4 s. */
  readonly lifeIntervalMs?: number;
  /** Default: the visitors of the sandbox. */
  readonly seed?: readonly SeedVisitor[];
  /** Default 5 minutes. */
  readonly watchLinkLifetimeMs?: number;
  /** Sessions that may run at the same time; beyond it 402. Default 3. */
  readonly sessionLimit?: number;
  /** How long a closed watch page stays without ending the session. Default 2 s. */
  readonly pageClosedMs?: number;
  /** How long a session waits for a visitor who left. Default 1 minute. */
  readonly visitorGoneMs?: number;
  /** How long a session lasts without agent activity. Default 10 minutes. */
  readonly idleMs?: number;
  /** Time limit of one webhook call. Default 5 s. */
  readonly webhookTimeoutMs?: number;
  /** The waits before the second and third webhook call. Default 1 s and 5 s. */
  readonly webhookRetryDelaysMs?: readonly number[];
}

/** The world with all that happens in it by itself. */
export interface Engine {
  readonly world: World;
  readonly streams: WatchStreams;
  readonly webhooks: Webhooks;
  readonly stop: () => void;
}

const streamIntervalMs = 1_000;

/** Joins the world with its watch pages, its webhooks and its life. */
export function startEngine(
  options: EngineOptions,
  randomId: () => string,
  log: (line: string) => void,
): Engine {
  const webhooks = createWebhooks({
    retryDelaysMs: options.webhookRetryDelaysMs ?? [1_000, 5_000],
    timeoutMs: options.webhookTimeoutMs ?? 5_000,
    log,
  });
  const world = createWorldFrom(options, randomId, (session) => {
    streams.end(session.id);
    const { webhookUrl } = session;
    if (webhookUrl) void webhooks.deliver(webhookUrl, sessionObject(session, world.now()));
  });
  const streams = createWatchStreams({
    everyMs: streamIntervalMs,
    view: (sessionId, tick) => watchView(world, sessionId, tick),
    onFirstOpen: (sessionId) => world.deadlines.cancel(sessionId, 'page-closed'),
    onLastClosed: (sessionId) => world.deadlines.start(sessionId, 'page-closed'),
  });
  const { lively = false, chance = Math.random, lifeIntervalMs = 4_000 } = options;
  const stopLife = lively ? startLife(world, chance, lifeIntervalMs) : () => {};
  return {
    world,
    streams,
    webhooks,
    stop() {
      stopLife();
      streams.close();
      world.deadlines.close();
      webhooks.close();
    },
  };
}

function createWorldFrom(
  options: EngineOptions,
  randomId: () => string,
  onEnd: (session: SessionRecord) => void,
): World {
  return createWorld({
    now: options.now ?? (() => new Date()),
    randomId,
    seed: options.seed ?? seededVisitors,
    watchLinkLifetimeMs: options.watchLinkLifetimeMs ?? 5 * 60_000,
    sessionLimit: options.sessionLimit ?? 3,
    deadlinesMs: {
      idle: options.idleMs ?? 10 * 60_000,
      'visitor-gone': options.visitorGoneMs ?? 60_000,
      'page-closed': options.pageClosedMs ?? 2_000,
    },
    onEnd,
  });
}
