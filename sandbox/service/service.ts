import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { listen, stop } from '../listen.ts';
import { cloudApi, installationPath, onPremiseApi } from './apis.ts';
import { startEngine, type Engine, type EngineOptions } from './engine.ts';
import { createHandler, type RecordedRequest } from './handler.ts';
import { createMood, type Misbehavior } from './misbehavior.ts';
import { serviceRoutes } from './service-routes.ts';
import { sessionObject, type Ending, type Session } from './session.ts';
import type { SeedVisitor } from './visitor.ts';
import type { WebhookAttempt } from './webhooks.ts';
import { endSession, linkState, openLink, setOnline, type World } from './world.ts';

const keptRequests = 1000;

/** An on-premise installation beside the cloud. */
export interface InstallationOptions {
  /** Without it the REST API is switched off. */
  readonly restKey?: string;
  /** Whether it's connected to the dashboard, and so needs no license tokens. Default false. */
  readonly connected?: boolean;
  /** Default: the visitors of the sandbox. */
  readonly seed?: readonly SeedVisitor[];
}

export interface ServiceOptions extends EngineOptions {
  readonly apiKey: string;
  /** Default 0: any free port of 127.0.0.1. */
  readonly port?: number;
  /** Makes tokens and ids, which must be unique and impossible to guess. */
  readonly randomId?: () => string;
  /** Whether the account has proxy sessions; if not, 402. Default false. */
  readonly proxyEnabled?: boolean;
  readonly onPremise?: InstallationOptions;
  /** How it misbehaves from the start. */
  readonly misbehavior?: Misbehavior;
  readonly log?: (line: string) => void;
  /** The sandbox's shop, shown beside the agent's page as the visitor's side of the session. */
  readonly shopUrl?: string;
  /** Visitors in the sandbox's shop play their part by themselves. */
  readonly story?: boolean;
}

/** What tests can do to visitors. */
interface VisitorControls {
  readonly addVisitor: (visitor: SeedVisitor) => void;
  /** Throws on an unknown visitor. */
  readonly setOnline: (visitorId: string, isOnline: boolean) => void;
}

/** A running stand-in of the service: the cloud, and an on-premise installation beside it. */
export interface StandInService extends VisitorControls {
  /** `http://127.0.0.1:PORT`, the cloud `{base_url}`. */
  readonly url: string;
  readonly apiKey: string;
  /** The installation, with its own visitors. */
  readonly onPremise: VisitorControls & {
    /** `http://127.0.0.1:PORT/cobrowsing`, the `{onprem_base}`. */
    readonly baseEndpoint: string;
  };
  /** Misbehaves from now on, as after `POST /stand-in/misbehave`. */
  readonly misbehave: (misbehavior: Misbehavior) => void;
  /** All sessions as they are now, newest first. */
  readonly sessions: () => readonly Session[];
  /** The latest API requests, oldest first, including refused ones; at most 1,000. */
  readonly requests: readonly RecordedRequest[];
  /**
   * Opens a watch link as its page does; a visitor who is online agrees and is seen immediately, unless they're still
   * asked. Rejects with the reason if the link isn't valid.
   */
  readonly openWatchLink: (url: string, answer?: 'agrees' | 'is asked') => Promise<Session>;
  /** The visitor who was asked agrees, and is seen. */
  readonly agree: (sessionId: string) => void;
  /** Ends a session as the page's button does, or the visitor; the webhook follows. Rejects if it isn't running. */
  readonly endSession: (sessionId: string, by?: Ending) => Promise<Session>;
  readonly webhooks: () => readonly WebhookAttempt[];
  /** The public key of the account's pages. */
  readonly siteKey: string;
  /** Makes a page this visitor's, as if their browser had been here before. */
  readonly visitorToken: (visitorId: string) => string;
  /** Stops everything; sessions still running send no webhook. */
  readonly close: () => Promise<void>;
}

/** Starts a stand-in of the co-browsing service on 127.0.0.1. Rejects if the port is in use. */
export async function startService(options: ServiceOptions): Promise<StandInService> {
  const { apiKey, onPremise, log = () => {}, randomId = unguessableId } = options;
  const mood = createMood(options.misbehavior ?? {});
  const engine = startEngine(options, { randomId, log, mood });
  const { cloud, installation } = engine;
  const requests: RecordedRequest[] = [];
  const closing = new AbortController();
  const handle = createHandler({
    routes: await serviceRoutes({ options, engine, mood, randomId, origin: () => url }),
    apis: [cloudApi(apiKey), onPremiseApi(installationPath, onPremise?.restKey)],
    mood,
    record(request) {
      requests.push(request);
      if (requests.length > keptRequests) requests.shift();
    },
    log,
    now: cloud.now,
    closing: closing.signal,
  });
  const { now = () => new Date() } = options;
  const server = createServer((request, response) => {
    response.setHeader('date', now().toUTCString());
    void handle(request, response);
  });
  server.on('upgrade', engine.live.upgrade);
  const url = await listen(server, options.port ?? 0);

  return {
    url,
    apiKey,
    ...controlsOf(cloud),
    onPremise: { baseEndpoint: `${url}${installationPath}`, ...controlsOf(installation) },
    misbehave: mood.set,
    sessions: () => cloud.sessions.all().map((session) => sessionObject(session, cloud.now())),
    requests,
    openWatchLink: async (link, answer = 'agrees') => openByUrl(engine, link, answer),
    agree: (sessionId) => cloud.sessions.goLive(sessionId),
    endSession: async (sessionId, by = 'agent') => endById(cloud, sessionId, by),
    webhooks: engine.webhooks.attempts,
    siteKey: engine.siteKey,
    visitorToken(visitorId) {
      const world = installation.visitors.find(visitorId) ? installation : cloud;
      return engine.siteVisitors.tokenOf(world, visitorId);
    },
    async close() {
      closing.abort();
      engine.stop();
      await stop(server);
    },
  };
}

function controlsOf(world: World): VisitorControls {
  return {
    addVisitor: world.visitors.add,
    setOnline: (visitorId, isOnline) => setOnline(world, visitorId, isOnline),
  };
}

function unguessableId(): string {
  return randomBytes(18).toString('base64url');
}

function openByUrl({ cloud, installation }: Engine, url: string, answer: 'agrees' | 'is asked'): Session {
  const token = decodeURIComponent(new URL(url).pathname.split('/').at(-1) ?? '');
  const world = installation.links.find(token) ? installation : cloud;
  const state = linkState(world, token);
  const link = world.links.find(token);
  if (state !== 'ready' || !link) throw new Error(`The watch link is not good: ${state}`);
  const { session } = openLink(world, link);
  // No page of the visitor's is needed: one who is online agrees immediately, and is seen.
  const isThere = world.visitors.find(link.visitorId)?.isOnline;
  if (isThere && answer === 'agrees') world.sessions.goLive(session.id);
  return sessionObject(world.sessions.find(session.id) ?? session, world.now());
}

function endById(world: World, sessionId: string, by: Ending): Session {
  const ended = endSession(world, sessionId, by);
  if (!ended) throw new Error(`No session ${sessionId} is running`);
  return sessionObject(ended, world.now());
}
