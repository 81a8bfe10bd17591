import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { accountRoutes } from './account-routes.ts';
import { startEngine } from './engine.ts';
import type { EngineOptions } from './engine.ts';
import { createHandler } from './handler.ts';
import type { RecordedRequest } from './handler.ts';
import { sessionObject } from './session.ts';
import type { Session } from './session.ts';
import { staticRoutes } from './static-routes.ts';
import type { SeedVisitor } from './visitor.ts';
import { visitorRoutes } from './visitor-routes.ts';
import { watchRoutes } from './watch-routes.ts';
import type { WebhookAttempt } from './webhooks.ts';
import { endSession, linkState, openLink, setOnline } from './world.ts';
import type { World } from './world.ts';

const keptRequests = 1000;

export interface ServiceOptions extends EngineOptions {
  readonly apiKey: string;
  /** Default 0: any free port of 127.0.0.1. */
  readonly port?: number;
  /** Makes tokens and ids; must not repeat and not be guessable. */
  readonly randomId?: () => string;
  /** Whether proxy sessions are sold to this account; if not, 402. Default false. */
  readonly proxyEnabled?: boolean;
  readonly log?: (line: string) => void;
}

/** A running stand-in of the cloud service. */
export interface StandInService {
  /** `http://127.0.0.1:PORT`, the cloud `{base_url}`. */
  readonly url: string;
  readonly apiKey: string;
  readonly addVisitor: (visitor: SeedVisitor) => void;
  /** Throws on an unknown visitor. */
  readonly setOnline: (visitorId: string, isOnline: boolean) => void;
  /** All sessions as they are now, newest first. */
  readonly sessions: () => readonly Session[];
  /** The latest API requests, oldest first, refused ones too; at most 1,000. */
  readonly requests: readonly RecordedRequest[];
  /** Opens a watch link as its page does. Rejects, naming the reason, when the link is not good. */
  readonly openWatchLink: (url: string) => Promise<Session>;
  /** Ends a session as the page's button does; the webhook follows. Rejects when it does not run. */
  readonly endSession: (sessionId: string) => Promise<Session>;
  readonly webhooks: () => readonly WebhookAttempt[];
  /** Stops everything; sessions that still run send no webhook. */
  readonly close: () => Promise<void>;
}

/** Starts a stand-in of the cloud co-browsing service on 127.0.0.1. Rejects when the port is taken. */
export async function startService(options: ServiceOptions): Promise<StandInService> {
  const { apiKey, log = () => {}, randomId = unguessableId, proxyEnabled = false } = options;
  const engine = startEngine(options, randomId, log);
  const { world, streams, webhooks } = engine;
  const requests: RecordedRequest[] = [];
  const origin = () => url;
  const routes = [
    ...(await staticRoutes()),
    ...visitorRoutes(world, origin),
    ...accountRoutes({ world, origin, randomId, proxyEnabled }),
    ...watchRoutes(world, streams),
  ];
  const record = (request: RecordedRequest) => {
    requests.push(request);
    if (requests.length > keptRequests) requests.shift();
  };
  const handle = createHandler({ routes, apiKey, record, log });
  const server = createServer((request, response) => void handle(request, response));
  const url = await listen(server, options.port ?? 0);

  return {
    url,
    apiKey,
    addVisitor: world.visitors.add,
    setOnline: (visitorId, isOnline) => setOnline(world, visitorId, isOnline),
    sessions: () => world.sessions.all().map((session) => sessionObject(session, world.now())),
    requests,
    openWatchLink: async (link) => openByUrl(world, link),
    endSession: async (sessionId) => endById(world, sessionId),
    webhooks: webhooks.attempts,
    async close() {
      engine.stop();
      await stop(server);
    },
  };
}

function unguessableId(): string {
  return randomBytes(18).toString('base64url');
}

async function listen(server: Server, port: number): Promise<string> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return `http://127.0.0.1:${address.port}`;
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

function openByUrl(world: World, url: string): Session {
  const token = decodeURIComponent(new URL(url).pathname.split('/')[2] ?? '');
  const state = linkState(world, token);
  const link = world.links.find(token);
  if (state !== 'ready' || !link) throw new Error(`The watch link is not good: ${state}`);
  return sessionObject(openLink(world, link), world.now());
}

function endById(world: World, sessionId: string): Session {
  const ended = endSession(world, sessionId);
  if (!ended) throw new Error(`No session ${sessionId} is running`);
  return sessionObject(ended, world.now());
}
