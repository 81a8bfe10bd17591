import { randomUUID } from 'node:crypto';
import { WebClient } from '@slack/web-api';
import type { Ground } from './app/ground.ts';
import { joinHome } from './app/home.ts';
import { joinServices } from './app/services.ts';
import { joinSlackEdge } from './app/slack-edge.ts';
import { joinSummaries } from './app/summaries.ts';
import { joinWatching } from './app/watching.ts';
import { createBackground } from './background.ts';
import type { CobrowseClient } from './cobrowse/client.ts';
import { createCobrowse } from './cobrowse/deployment.ts';
import { CobrowseError } from './cobrowse/errors.ts';
import type { Config } from './config.ts';
import { createGrantRecords } from './grants/records.ts';
import { createSettingsBook } from './grants/settings.ts';
import { createHealthRoutes } from './http/health.ts';
import { page } from './http/page.ts';
import { createHttpServer } from './http/server.ts';
import type { Log } from './log.ts';
import { createMetrics } from './metrics.ts';
import { createAnswerer } from './slack/answer.ts';
import { createBoltLogger } from './slack/bolt-logger.ts';
import { createPeople } from './slack/people.ts';
import type { People } from './slack/people.ts';
import { createProfiles } from './slack/profiles.ts';
import { checkToken, startBolt } from './slack/token-check.ts';
import { webClientOptions } from './slack/web-client.ts';
import { openStorage } from './storage/open.ts';
import type { Storage } from './storage/store.ts';
import { PressGrant, SessionEndGrant } from './grants/grant.ts';
import { createTickets } from './tickets/tickets.ts';
import { unexpectedFailureWords } from './views/failure-words.ts';

/** What stands around the app: a test holds it in its own hands. */
export interface Surroundings {
  readonly log: Log;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Rest between two posts in one channel, milliseconds. */
  readonly paceMs?: number;
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
  return {
    config,
    log,
    now,
    storage,
    cobrowse,
    metrics: createMetrics(),
    slack: new WebClient(config.slack.botToken, webClientOptions({ apiUrl: config.slack.apiUrl, logger })),
    sessionEndTickets: ticketKind('session-end', SessionEndGrant),
    watchTickets: ticketKind('watch', PressGrant),
  };
}

function joinPeople({ slack, cobrowse, log }: Ground): People {
  return createPeople({
    profile: createProfiles(async () => slack),
    // An installation without the cloud knows no agents: there everybody is who Slack says they are.
    async lookupAgent(key) {
      if (cobrowse.offers.lookupAgent) return cobrowse.lookupAgent(key);
      throw new CobrowseError('not-found', 'This deployment has no agents to look up.');
    },
    report: (error) => log.warn({ err: error }, 'the agent of a Slack user could not be looked up'),
  });
}

/**
 * Starts the whole app: the only place where its parts are joined.
 *
 * @throws StorageError, StorageSettingError, SlackTokenError (by rejecting), each with words for whoever runs it
 */
export async function startApp(config: Config, surroundings: Surroundings): Promise<RunningApp> {
  const { log, now = Date.now, paceMs } = surroundings;
  for (const warning of config.warnings) log.warn(warning);
  const storage = await openStorage(config.storeUrl);
  const cobrowse = createCobrowse(config.cobrowse);
  const ground = layGround({ config, log, now, storage, cobrowse });
  const { metrics, slack } = ground;
  const background = createBackground((error) => log.error({ err: error }, 'work in the background failed'));
  const grants = createGrantRecords(
    { issued: storage.store('grants'), ends: storage.store('grant-ends') },
    now,
  );
  const { stops, courier, route: sessionEndRoute, announce } = joinSummaries({ ground, grants, paceMs });
  metrics.watchWaiting(() => courier.waiting());
  const people = joinPeople(ground);
  const settings = createSettingsBook(storage.store('workspace-settings'));
  const watching = joinWatching({
    ground,
    people,
    settings,
    issued: (grant, agent) => {
      background.start(() => grants.issued(grant));
      background.start(() => announce(grant, agent));
    },
  });
  const answerer = createAnswerer({ log, newReference, now, report: metrics.answered });
  const services = joinServices({ ground, watching, people, stops, settings });
  const edge = joinSlackEdge({ ground, people, services, answerer });
  const home = joinHome({ ground, people, services, settings, grants, answerer });
  home.listen(edge.bolt);
  const health = createHealthRoutes({
    check: () => storage.check(),
    report: (error) => log.error({ err: error }, 'not ready'),
    metrics,
  });
  const server = createHttpServer(
    [...edge.routes, watching.route, sessionEndRoute, home.route, ...health],
    (error, where) => {
      const reference = newReference();
      log.error({ err: error, where, reference }, 'unexpected failure');
      return page(500, unexpectedFailureWords(reference));
    },
  );

  async function stop(): Promise<void> {
    await Promise.all([server.close(), edge.bolt.stop()]);
    await answerer.idle();
    await background.idle();
    await courier.stop();
    await cobrowse.close();
    await storage.close();
  }

  try {
    const port = await server.listen(config.port, config.host);
    await courier.start();
    await startBolt(edge.bolt);
    await checkToken(slack, (error) => log.warn({ err: error }, 'Slack could not be asked about the token'));
    return { port, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
