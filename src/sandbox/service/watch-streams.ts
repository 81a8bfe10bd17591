import type { ServerResponse } from 'node:http';

/** What the open watch pages are told through server-sent events. */
export interface WatchStreams {
  /** Keeps a page up to date until the session ends or the page is closed. */
  readonly attach: (sessionId: string, response: ServerResponse) => void;
  /** Tells every page of the session that it is over. */
  readonly end: (sessionId: string) => void;
  readonly close: () => void;
}

export interface StreamOptions {
  /** What the page shows, at its `tick`-th update. */
  readonly view: (sessionId: string, tick: number) => unknown;
  readonly everyMs: number;
  readonly onFirstOpen: (sessionId: string) => void;
  readonly onLastClosed: (sessionId: string) => void;
}

/** Streams of the running sessions; more than one page may look at one session. */
export function createWatchStreams(options: StreamOptions): WatchStreams {
  const bySession = new Map<string, Map<ServerResponse, NodeJS.Timeout>>();

  function detach(sessionId: string, response: ServerResponse) {
    const open = bySession.get(sessionId);
    clearInterval(open?.get(response));
    if (!open?.delete(response) || open.size > 0) return;
    bySession.delete(sessionId);
    options.onLastClosed(sessionId);
  }
  function end(sessionId: string) {
    const open = bySession.get(sessionId);
    bySession.delete(sessionId);
    for (const [response, timer] of open ?? []) {
      clearInterval(timer);
      response.end(event('ended', {}));
    }
  }

  return {
    attach(sessionId, response) {
      let tick = 0;
      const update = () => {
        response.write(event('view', options.view(sessionId, tick)));
        tick += 1;
      };
      const open = bySession.get(sessionId) ?? new Map<ServerResponse, NodeJS.Timeout>();
      if (open.size === 0) options.onFirstOpen(sessionId);
      open.set(response, setInterval(update, options.everyMs).unref());
      bySession.set(sessionId, open);
      response.once('close', () => detach(sessionId, response));
      // Reconnect well before a closed page counts as the end of the session.
      startStream(response, 'retry: 500\n\n');
      update();
    },
    end,
    close() {
      for (const sessionId of bySession.keys()) end(sessionId);
    },
  };
}

/** The stream of a session that is over: says so and ends. */
export function sayEnded(response: ServerResponse): void {
  startStream(response, event('ended', {}));
  response.end();
}

function startStream(response: ServerResponse, first: string): void {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
  });
  response.write(first);
}

function event(name: string, data: unknown): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
