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
import { createCobrowse } from './cobrowse/client.ts';
import type { Config } from './config.ts';
import type { Digest } from './grants/digest.ts';
import { createNowCalled } from './grants/moved-channels.ts';
import { createWatchLinks } from './grants/watch-links.ts';
import { createSettingsRepository } from './grants/settings-repository.ts';
import { createHealthRoutes } from './http/health.ts';
import { page } from './http/page.ts';
import { createHttpServer } from './http/server.ts';
import type { Log } from './log.ts';
import { createMetrics } from './metrics.ts';
import { reportAudit } from './reports.ts';
import type { LookWaits } from './session-end/look-times.ts';
import { removeOldStops } from './session-end/stops.ts';
import { createAnswerer } from './slack/answer.ts';
import { createBoltLogger } from './slack/bolt-logger.ts';
import { createPrivateMessage } from './slack/private-message.ts';
import { createDirectory } from './slack/directory.ts';
import { createInstalledAs } from './slack/installed-as.ts';
import { checkToken, startBolt } from './slack/token-check.ts';
import { webClientOptions } from './slack/web-client.ts';
import { isServedAlone, openForServing, openMomentary } from './database/open.ts';
import { createRetention } from './database/retention.ts';
import { deliveryRemovals } from './deliveries/retention.ts';
import { wakeWorkers } from './deliveries/channels.ts';
import { createSessionEnds } from './deliveries/session-ends.ts';
import type { PutOnRecord } from './watch/mint.ts';
import { createStorage } from './storage/open.ts';
import type { Database } from './database/database.ts';
import type { Momentary } from './database/open.ts';
import type { Storage } from './storage/store.ts';
import { PressGrant, SessionEndGrant } from './grants/grant.ts';
import { createTickets } from './tickets/tickets.ts';
import { createAudit, removeOldEntries } from './audit/audit.ts';
import { unexpectedFailureWords } from './views/failure-words.ts';

/** What stands around the app: a test holds it in its own hands. */
export interface Surroundings {
  readonly log: Log;
  /** How many lines of the log could not be written so far. */
  readonly droppedLogLines?: () => number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Rest between two posts in one channel, milliseconds. */
  readonly paceMs?: number;
  /** In place of the usual waits before the service is asked about a session's end. */
  readonly reconcile?: Partial<LookWaits>;
  /** How often digests that are due are looked for, milliseconds. */
  readonly schedulerMs?: number;
  /** How long a page is held for its press each time, milliseconds. */
  readonly heldMs?: number;
  /** How long a press waits to learn who presses, milliseconds. */
  readonly patienceMs?: number;
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
  readonly droppedLogLines: Surroundings['droppedLogLines'];
  readonly config: Config;
  readonly log: Log;
  readonly now: () => number;
  readonly elapsed: () => number;
  readonly database: Database;
  readonly momentary: Momentary;
  readonly storage: Storage;
  readonly cobrowse: CobrowseClient;
}

function layGround({
  config,
  log,
  now,
  elapsed,
  database,
  momentary,
  storage,
  cobrowse,
  droppedLogLines,
}: GroundParts): Ground {
  const ticketKind = createTickets(config.secretKeys, now);
  const logger = createBoltLogger(log);
  const movedChannels = storage.store('moved-channels');
  const nowCalled = createNowCalled(movedChannels);
  const slack = new WebClient(
    config.slack.botToken,
    webClientOptions({ apiUrl: config.slack.apiUrl, logger }),
  );
  const installedAs = createInstalledAs(slack);
  return {
    config,
    log,
    now,
    elapsed,
    database,
    momentary,
    storage,
    cobrowse,
    metrics: createMetrics(droppedLogLines),
    audit: createAudit({
      database,
      now,
      keptDays: config.auditDays,
      secret: config.secretKeys[0],
      report: reportAudit(log),
    }),
    slack,
    movedChannels,
    nowCalled,
    installedAs,
    directory: createDirectory({
      slack,
      installedAs,
      nowCalled,
      now,
      membersNotShown: (workspaceId, channelId, why) =>
        log.info(
          { workspaceId, channelId, why },
          'Slack does not show who left a channel, so nobody is refused there',
        ),
    }),
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
  const { log, now = Date.now, paceMs, heldMs, droppedLogLines } = surroundings;
  // A clock that a test holds is the only one there is.
  const elapsed = surroundings.now ?? (() => performance.now());
  for (const warning of config.warnings) log.warn(warning);
  const database = await openForServing(config.storeUrl, {
    told: () => log.warn('another copy of the app is using the database file: waiting for it to stop'),
    openToOthers: (file, err) =>
      log.warn({ file, err }, 'other users can open a file of the database, and its mode can’t be changed'),
    signal: surroundings.signal,
  });
  const storage = createStorage(database);
  const momentary = await openMomentary(config.storeUrl, database, now);
  const cobrowse = createCobrowse(config.cobrowse, {
    watchHosts: config.watchHosts,
    now: () => new Date(now()),
  });
  const ground = layGround({
    config,
    log,
    now,
    elapsed,
    database,
    momentary,
    storage,
    cobrowse,
    droppedLogLines,
  });
  const { metrics } = ground;
  const background = createBackground((error) => log.error({ err: error }, 'work in the background failed'));
  const links = createWatchLinks(database, now);
  const { people, agents } = joinPeople(ground, surroundings.patienceMs);
  const settings = createSettingsRepository({
    database,
    prepare: (entry) => ground.audit.prepare(entry),
    now,
  });
  const rights = joinRights({ ground, people, settings });
  const sessionEnds = createSessionEnds(database);
  const subscriptions = joinSubscriptions({
    ground,
    people,
    settings,
    mayAct: rights.mayAct,
    inBackground: (work) => background.start(work),
    schedulerMs: surroundings.schedulerMs,
  });
  const charts = joinCharts(ground);
  const pictureOf = (digest: Digest) => charts.pictureOfDigest(digest);
  const deliveries = joinDeliveries({
    ground,
    background,
    subscribers: subscriptions.subscribers,
    sessionEnds,
    pictureOf,
    isAlone: isServedAlone(config.storeUrl),
    paceMs,
  });
  const { stops, route: sessionEndRoute } = deliveries;
  const scheduler = subscriptions.scheduler(deliveries);
  const { reconciler, linkStatements } = joinReconciliation({
    ground,
    people,
    links,
    deliveries,
    waits: surroundings.reconcile,
  });
  /** A link with its audit entry, the look for its end and its card: one write, so that none is without the others. */
  const putOnRecord: PutOnRecord = async (entry, issued) => {
    const prepared = ground.audit.prepare(entry);
    prepared.report();
    if (issued === undefined) return void (await database.write(prepared.statement));
    const card = deliveries.cardStatements(issued.grant, issued.agent);
    await database.write(...linkStatements(issued), prepared.statement, ...card);
    metrics.grantSettled('issued');
    reconciler.wake();
    wakeWorkers(database);
  };
  const watching = joinWatching({
    ground,
    agents,
    settings,
    links,
    mayAct: rights.mayAct,
    heldMs,
    putOnRecord,
  });
  const answerer = createAnswerer({
    log,
    newReference,
    now,
    report: metrics.answered,
    tellDirectly: createPrivateMessage(
      async () => ground.slack,
      (error) => log.warn({ err: error }, 'Slack did not take a private message'),
    ),
  });
  const services = joinServices({ ground, watching, people, stops, links, rights, subscriptions });
  const edge = joinSlackEdge({ ground, agents, services, answerer });
  const home = joinHome({ ground, people, services, settings, links, answerer, deliveries, charts });
  ground.directory.listen(edge.bolt);
  home.listen(edge.bolt);
  subscriptions.listen(edge.bolt);
  const retention = createRetention({
    database,
    removals: [
      (until, limit) => removeOldEntries(config.auditDays, until, limit),
      removeOldStops,
      ...deliveryRemovals,
    ],
    clocks: { now, elapsed },
    report: (error) => log.error({ err: error }, 'what is over could not be removed'),
  });
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
    await scheduler.stop();
    await retention.stop();
    await reconciler.stop();
    await agents.stop();
    await background.idle();
    await deliveries.stop();
    await cobrowse.close();
    await momentary.close();
    await storage.close();
  }

  try {
    const port = await server.listen(config.port, config.host);
    await deliveries.start();
    reconciler.start();
    scheduler.start();
    retention.start();
    await startBolt(edge.bolt, surroundings.signal);
    await checkToken(ground.installedAs, (error) =>
      log.warn({ err: error }, 'Slack could not be asked about the token'),
    );
    return { port, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
