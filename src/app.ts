import { randomUUID } from 'node:crypto';
import { WebClient } from '@slack/web-api';
import type { Ground } from './app/ground.ts';
import { joinCharts } from './app/charts.ts';
import { joinHome } from './app/home.ts';
import { joinPeople } from './app/people.ts';
import { joinReconciliation } from './app/reconciliation.ts';
import { joinRights } from './app/rights.ts';
import { joinServices } from './app/services.ts';
import { joinSlackEdge } from './app/slack-edge.ts';
import { joinSubscriptions } from './app/subscriptions.ts';
import { joinDeliveries } from './app/deliveries.ts';
import { joinWatching } from './app/watching.ts';
import { createBackground } from './background.ts';
import type { CobrowseClient } from './cobrowse/client.ts';
import { createCobrowse } from './cobrowse/deployment.ts';
import type { Config } from './config.ts';
import { createOpenGrants } from './grants/open-grants.ts';
import type { Digest } from './grants/digest.ts';
import { createNowCalled } from './grants/moved-channels.ts';
import { createGrantRecords } from './grants/records.ts';
import { createSettingsBook } from './grants/settings.ts';
import { createHealthRoutes } from './http/health.ts';
import { page } from './http/page.ts';
import { createHttpServer } from './http/server.ts';
import type { Log } from './log.ts';
import { createMetrics } from './metrics.ts';
import { reportTrail } from './reports.ts';
import type { LookWaits } from './session-end/look-times.ts';
import { createAnswerer } from './slack/answer.ts';
import { createBoltLogger } from './slack/bolt-logger.ts';
import { createInstalledIn } from './slack/installed-in.ts';
import { createChannelCheck } from './slack/channel-members.ts';
import { checkToken, startBolt } from './slack/token-check.ts';
import { webClientOptions } from './slack/web-client.ts';
import { createSessionEnds } from './deliveries/session-ends.ts';
import { isServedAlone, openForServing } from './database/open.ts';
import { createStorage } from './storage/open.ts';
import type { Storage } from './storage/store.ts';
import { PressGrant, SessionEndGrant } from './grants/grant.ts';
import { createTickets } from './tickets/tickets.ts';
import { createTrail } from './trail/trail.ts';
import { unexpectedFailureWords } from './views/failure-words.ts';

/** What stands around the app: a test holds it in its own hands. */
export interface Surroundings {
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Rest between two posts in one channel, milliseconds. */
  readonly paceMs?: number;
  /** In place of the usual waits before the service is asked about a session's end. */
  readonly reconcile?: Partial<LookWaits>;
  /** How often digests that are due are looked for, milliseconds. */
  readonly clockworkMs?: number;
  /** How long a page is held for its press each time, milliseconds. */
  readonly heldMs?: number;
  /** Calls the start off, which then rejects with its reason, after what was started has stopped. */
  readonly signal?: AbortSignal;
}

export interface RunningApp {
  /** The port that is listened on. */
  readonly port: number;
  /** Takes nothing new, finishes what was acknowledged, closes. */
  stop(): Promise<void>;
}

const newReference = () => randomUUID().slice(0, 8);

interface GroundParts {
  readonly config: Config;
  readonly log: Log;
  readonly now: () => number;
  readonly storage: Storage;
  readonly cobrowse: CobrowseClient;
}

function layGround({ config, log, now, storage, cobrowse }: GroundParts): Ground {
  const ticketKind = createTickets(config.secretKeys, now);
  const logger = createBoltLogger(log);
  const movedChannels = storage.store('moved-channels');
  const nowCalled = createNowCalled(movedChannels);
  const slack = new WebClient(
    config.slack.botToken,
    webClientOptions({ apiUrl: config.slack.apiUrl, logger }),
  );
  return {
    config,
    log,
    now,
    storage,
    cobrowse,
    metrics: createMetrics(),
    trail: createTrail({
      store: storage.store('trail'),
      now,
      newId: randomUUID,
      keptDays: config.auditDays,
      secret: config.secretKeys[0],
      report: reportTrail(log),
    }),
    slack,
    movedChannels,
    nowCalled,
    isInChannel: createChannelCheck(async () => slack, nowCalled),
    sessionEndTickets: ticketKind('session-end', SessionEndGrant),
    watchTickets: ticketKind('watch', PressGrant),
  };
}

/**
 * Starts the whole app: the only place where its parts are joined.
 *
 * @throws DatabaseError, DatabaseUrlError, SlackTokenError (by rejecting), each with words for whoever runs it
 */
export async function startApp(config: Config, surroundings: Surroundings): Promise<RunningApp> {
  const { log, now = Date.now, paceMs, heldMs } = surroundings;
  for (const warning of config.warnings) log.warn(warning);
  const database = await openForServing(config.storeUrl, {
    told: () => log.warn('another copy of the app is using the database file: waiting for it to stop'),
    signal: surroundings.signal,
  });
  const storage = createStorage(database);
  const cobrowse = createCobrowse(config.cobrowse, { watchHosts: config.watchHosts });
  const ground = layGround({ config, log, now, storage, cobrowse });
  const { metrics, slack } = ground;
  const background = createBackground((error) => log.error({ err: error }, 'work in the background failed'));
  const grants = createGrantRecords(
    {
      issued: storage.store('grants'),
      byVisitor: storage.store('grants-by-visitor'),
      ends: storage.store('grant-ends'),
    },
    now,
  );
  const installedIn = createInstalledIn(slack);
  const people = joinPeople(ground, installedIn);
  const settings = createSettingsBook(storage.store('workspace-settings'));
  const rights = joinRights({ ground, people, settings });
  const sessionEnds = createSessionEnds(database);
  const subscriptions = joinSubscriptions({
    ground,
    sessionEnds,
    people,
    settings,
    mayAct: rights.mayAct,
    inBackground: (work) => background.start(work),
    clockworkMs: surroundings.clockworkMs,
  });
  const open = createOpenGrants(storage.store('open-grants'));
  const charts = joinCharts(ground);
  const pictureOf = (digest: Digest) => charts.pictureOfDigest(digest);
  const deliveries = joinDeliveries({
    ground,
    grants,
    open,
    background,
    subscribers: subscriptions.subscribers,
    sessionEnds,
    pictureOf,
    isAlone: isServedAlone(config.storeUrl),
    paceMs,
  });
  const { stops, route: sessionEndRoute, announce } = deliveries;
  const clockwork = subscriptions.clockwork(deliveries);
  const { reconciler, remember } = joinReconciliation({
    ground,
    people,
    grants,
    open,
    deliveries,
    waits: surroundings.reconcile,
  });
  const watching = joinWatching({
    ground,
    people,
    settings,
    grants,
    mayAct: rights.mayAct,
    heldMs,
    async issued(grant, agent, expiresAt) {
      const announced = announce(grant, agent).catch((error: unknown) =>
        log.error({ err: error, grantId: grant.grantId }, 'the card of a link could not be put on its way'),
      );
      await Promise.all([announced, remember(grant, agent, expiresAt)]);
    },
  });
  const answerer = createAnswerer({ log, newReference, now, report: metrics.answered });
  const services = joinServices({ ground, watching, people, stops, grants, rights, subscriptions });
  const edge = joinSlackEdge({ ground, people, services, answerer });
  const home = joinHome({ ground, people, services, settings, grants, answerer, deliveries, charts });
  home.listen(edge.bolt);
  subscriptions.listen(edge.bolt);
  const health = createHealthRoutes({
    check: () => storage.check(),
    report: (error) => log.error({ err: error }, 'not ready'),
    metrics,
  });
  const server = createHttpServer(
    [...edge.routes, ...watching.routes, sessionEndRoute, home.route, ...health],
    (error, where) => {
      const reference = newReference();
      log.error({ err: error, where, reference }, 'unexpected failure');
      return page(500, unexpectedFailureWords(reference));
    },
  );

  async function stop(): Promise<void> {
    watching.stop();
    await Promise.all([server.close(), edge.bolt.stop()]);
    await answerer.idle();
    await clockwork.stop();
    await reconciler.stop();
    await background.idle();
    await deliveries.stop();
    await cobrowse.close();
    await storage.close();
  }

  try {
    const port = await server.listen(config.port, config.host);
    await deliveries.start();
    reconciler.start();
    clockwork.start();
    await startBolt(edge.bolt, surroundings.signal);
    await checkToken(installedIn, (error) =>
      log.warn({ err: error }, 'Slack could not be asked about the token'),
    );
    return { port, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
