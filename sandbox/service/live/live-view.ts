import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import { agentName, type SessionRecord } from '../session.ts';
import type { WatchLink } from '../watch-links.ts';
import type { World } from '../world.ts';
import { bareAddress } from './clean-event.js';
import { cookieIn, isLoopbackHost, isLoopbackOrigin, isOwnOrigin } from './origins.ts';
import {
  agentMessage,
  mostMessageBytes,
  pageMessage,
  type PageHello,
  type ToAgent,
  type ToPage,
} from './page-messages.ts';
import { createRoom, type AgentSide, type PageSide, type Room } from './room.ts';
import type { SiteVisitors } from './site-visitors.ts';
import { readMessages, wireOf } from './wire.ts';

/** The cookie that lets a browser reload the page of its session. */
export const holderCookie = 'watch_holder';

/** The live side of the service: visitors' pages and agents' pages, connected by sockets. */
export interface LiveView {
  /** Accepts a socket from either side; refuses all others. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  /** A session started, or its page was reloaded. */
  readonly opened: (world: World, session: SessionRecord, link: WatchLink) => void;
  readonly ended: (session: SessionRecord) => void;
  readonly close: () => void;
}

export interface LiveViewOptions {
  readonly worlds: readonly { readonly world: World; readonly watchPath: string }[];
  /** Identifies pages with the snippet as the account's: public, and useless for anything else. */
  readonly siteKey: string;
  readonly visitors: SiteVisitors;
  readonly randomId: () => string;
}

const beatMs = 500;

export function createLiveView(options: LiveViewOptions): LiveView {
  const { worlds, siteKey, visitors, randomId } = options;
  const server = new WebSocketServer({ noServer: true, maxPayload: mostMessageBytes + 64 * 1024 });
  const rooms = new Map<World, Map<string, Room>>(worlds.map(({ world }) => [world, new Map()]));

  function roomOf(world: World, visitorId: string): Room {
    const known = rooms.get(world)?.get(visitorId);
    if (known) return known;
    const room = createRoom({ world, visitorId, streamId: randomId() });
    rooms.get(world)?.set(visitorId, room);
    return room;
  }

  function beat() {
    for (const byVisitor of rooms.values()) {
      for (const [visitorId, room] of byVisitor) {
        room.beat();
        if (room.isEmpty()) byVisitor.delete(visitorId);
      }
    }
  }
  const beating = setInterval(beat, beatMs).unref();

  function welcome(
    socket: WebSocket,
    hello: PageHello,
  ): { readonly room: Room; readonly side: PageSide } | undefined {
    if (hello.key !== siteKey) {
      socket.close(1008, 'unknown site key');
      return undefined;
    }
    const { world, visitorId, token } = visitors.meet(hello);
    const room = roomOf(world, visitorId);
    const wire = wireOf<ToPage>(socket);
    const side = { wire, tab: hello.tab, page: hello.page, isHidden: false, beatAt: world.now().getTime() };
    const code = world.visitors.find(visitorId)?.fields.lookup_code ?? null;
    wire.send({ t: 'welcome', visitor: token, code, got: room.got(hello.page) });
    world.visitors.visit(visitorId, bareAddress(hello.url));
    room.pageJoined(side);
    return { room, side };
  }

  function joinPage(socket: WebSocket) {
    let joined: ReturnType<typeof welcome>;
    readMessages(
      socket,
      pageMessage,
      (message) => {
        if (joined) joined.room.fromPage(joined.side, message);
        else if (message.t === 'hello') joined = welcome(socket, message);
        else socket.close(1008, 'no hello');
      },
      () => joined?.room.pageLeft(joined.side),
    );
  }

  function joinAgent(socket: WebSocket, world: World, link: WatchLink, session: SessionRecord) {
    const room = roomOf(world, link.visitorId);
    const side: AgentSide = {
      wire: wireOf<ToAgent>(socket),
      link,
      sessionId: session.id,
      name: agentName(session),
      needsSnapshot: true,
      isBehind: false,
    };
    let isJoined = false;
    readMessages(
      socket,
      agentMessage,
      (message) => {
        if (isJoined) room.fromAgent(side, message);
        else if (message.t === 'hello') {
          isJoined = true;
          room.agentJoined(side, message);
        } else socket.close(1008, 'no hello');
      },
      (parting) => isJoined && room.agentLeft(side, parting),
    );
  }

  /** The link whose page requests its socket, if its session runs and the browser is the one that opened it. */
  function linkOf(pathname: string, request: IncomingMessage) {
    for (const { world, watchPath } of worlds) {
      const [, token = ''] = pathname.startsWith(`${watchPath}/`)
        ? (/\/([^/]+)\/socket$/u.exec(pathname) ?? [])
        : [];
      const link = token ? world.links.find(decodeURIComponent(token)) : undefined;
      const isHolder = link && isHeldBy(link, request.headers.cookie);
      const session = isHolder && link.sessionId ? world.sessions.find(link.sessionId) : undefined;
      if (link && session) return { world, link, session };
    }
    return undefined;
  }

  return {
    upgrade(request, socket, head) {
      const { host, origin } = request.headers;
      const { pathname } = new URL(request.url ?? '/', 'http://stand-in');
      const accept = (join: (webSocket: WebSocket) => void) =>
        server.handleUpgrade(request, socket, head, join);
      if (!isLoopbackHost(host)) return refuse(socket, 403);
      if (pathname === '/visit') return isLoopbackOrigin(origin) ? accept(joinPage) : refuse(socket, 403);
      const found = linkOf(pathname, request);
      if (!found) return refuse(socket, 404);
      if (!isOwnOrigin(origin, host)) return refuse(socket, 403);
      return accept((webSocket) => joinAgent(webSocket, found.world, found.link, found.session));
    },
    opened: (world, session, link) => roomOf(world, link.visitorId).opened(session, link),
    ended(session) {
      for (const [world, byVisitor] of rooms)
        if (world.onPremise === session.onPremise) byVisitor.get(session.visitorId)?.ended(session);
    },
    close() {
      clearInterval(beating);
      for (const client of server.clients) client.terminate();
      server.close();
    },
  };
}

/** Whether a browser is the one that opened the link. */
export function isHeldBy({ holderKey }: WatchLink, cookies: string | undefined): boolean {
  return holderKey !== null && cookieIn(cookies, holderCookie) === holderKey;
}

function refuse(socket: Duplex, status: 403 | 404): void {
  const words = { 403: 'Forbidden', 404: 'Not Found' } as const;
  socket.end(`HTTP/1.1 ${status} ${words[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
