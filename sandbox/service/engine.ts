import { installationPath } from './apis.ts';
import { createBulkDelete, type BulkDelete } from './bulk-delete.ts';
import { startLife } from './life.ts';
import { createLiveView, type LiveView } from './live/live-view.ts';
import { createSiteVisitors, type SiteVisitors } from './live/site-visitors.ts';
import type { Mood } from './misbehavior.ts';
import { pastSessions } from './seed-account.ts';
import { seededVisitors } from './seed-visitors.ts';
import { sessionObject, type Session, type SessionRecord } from './session.ts';
import type { SeedVisitor } from './visitor.ts';
import { usualLinkLifetimeMs } from './watch-links.ts';
import { createWebhooks, type Webhooks } from './webhooks.ts';
import { createInstallation, createWorld, type World } from './world.ts';

export interface EngineOptions {
  readonly now?: () => Date;
  /** Visitors change pages, come and go by themselves. Default false. */
  readonly lively?: boolean;
  /** Numbers from 0 below 1 that decide what happens in a lively world. */
  readonly chance?: () => number;
  /** Default 4 s. */
  readonly lifeIntervalMs?: number;
  /** The cloud's visitors. Default: those of the sandbox, or none if they are on-premise. */
  readonly seed?: readonly SeedVisitor[];
  /** An on-premise installation that is switched on; by default its visitors are those of the sandbox. */
  readonly onPremise?: { readonly seed?: readonly SeedVisitor[] };
  /** Default 5 minutes. */
  readonly watchLinkLifetimeMs?: number;
  /** Sessions that can run at the same time; one more is answered 402. Default 3. */
  readonly sessionLimit?: number;
  /** How long a watch page may be closed without ending the session: a reload is quicker. Default 2 s. */
  readonly pageClosedMs?: number;
  /** The same for a watch page whose connection broke. Default 30 s. */
  readonly pageLostMs?: number;
  /** How long a session waits for a visitor who left. Default 1 minute. */
  readonly visitorGoneMs?: number;
  /** How long a session lasts without agent activity. Default 10 minutes. */
  readonly idleMs?: number;
  /**
   * Receives the address and Session of ended sessions, instead of posting them. Default: they are posted, with
   * retries.
   */
  readonly tellOfEnd?: (webhookUrl: string, session: Session) => void;
}

/** The cloud and the on-premise installation, with everything that happens in them by itself. */
export interface Engine {
  readonly cloud: World;
  readonly installation: World;
  readonly bulkDelete: BulkDelete;
  readonly live: LiveView;
  readonly siteVisitors: SiteVisitors;
  /** The account's public key, for the snippet on its pages. */
  readonly siteKey: string;
  readonly webhooks: Webhooks;
  readonly stop: () => void;
}

interface Surroundings {
  readonly randomId: () => string;
  readonly log: (line: string) => void;
  readonly mood: Mood;
}

/** Joins the worlds with their watch pages, their webhooks and their visitors' activity. */
export function startEngine(options: EngineOptions, { randomId, log, mood }: Surroundings): Engine {
  const webhooks = createWebhooks(mood, log);
  const { tellOfEnd = (url, session) => void webhooks.deliver(url, session) } = options;
  const { cloud, installation } = createWorlds(options, randomId, {
    onEnd(session) {
      live.ended(session);
      const { webhookUrl } = session;
      if (webhookUrl) tellOfEnd(webhookUrl, sessionObject(session, cloud.now()));
    },
  });
  const siteKey = `site_${randomId()}`;
  const siteVisitors = createSiteVisitors(
    options.onPremise && !options.seed ? installation : cloud,
    randomId,
    options.chance ?? Math.random,
  );
  const live = createLiveView({
    worlds: [
      { world: cloud, watchPath: '/watch' },
      { world: installation, watchPath: `${installationPath}/watch` },
    ],
    siteKey,
    visitors: siteVisitors,
    randomId,
  });
  const { lively = false, chance = Math.random, lifeIntervalMs = 4_000 } = options;
  const stopLives = lively
    ? [cloud, installation].map((world) => startLife(world, chance, lifeIntervalMs))
    : [];
  const bulkDelete = createBulkDelete(cloud);
  return {
    cloud,
    installation,
    bulkDelete,
    live,
    siteVisitors,
    siteKey,
    webhooks,
    stop() {
      for (const stopLife of stopLives) stopLife();
      bulkDelete.stop();
      live.close();
      cloud.deadlines.close();
      webhooks.close();
    },
  };
}

function createWorlds(
  options: EngineOptions,
  randomId: () => string,
  on: {
    readonly onEnd: (session: SessionRecord) => void;
  },
): Pick<Engine, 'cloud' | 'installation'> {
  const { now = () => new Date(), onPremise } = options;
  const common = { randomId, watchLinkLifetimeMs: options.watchLinkLifetimeMs ?? usualLinkLifetimeMs };
  const cloud = createWorld({
    ...common,
    now,
    seed: options.seed ?? (onPremise ? [] : seededVisitors),
    past: pastSessions(now(), onPremise !== undefined && options.seed === undefined),
    watchPath: '/watch',
    sessionLimit: options.sessionLimit ?? 3,
    deadlinesMs: {
      idle: options.idleMs ?? 10 * 60_000,
      'visitor-gone': options.visitorGoneMs ?? 60_000,
      'page-closed': options.pageClosedMs ?? 2_000,
      'page-lost': options.pageLostMs ?? 30_000,
    },
    ...on,
  });
  const installation = createInstallation(cloud, {
    ...common,
    seed: onPremise ? (onPremise.seed ?? seededVisitors) : [],
    watchPath: `${installationPath}/watch`,
  });
  return { cloud, installation };
}
