import type { IncomingMessage, ServerResponse } from 'node:http';

import { isLoopbackHost } from '../service/live/origins.ts';
import { isJson, parseJson, readBody, sendJson } from './http-exchange.ts';
import { refused } from './interaction.ts';
import type { PageActions } from './page-actions.ts';
import type { Snapshot } from './page-api.ts';
import type { PageFiles } from './page-files.ts';
import { pagePlace } from './permalinks.ts';
import { sendStaticFile, type StaticPaths } from './static-files.ts';

export interface PageServer {
  handle(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void>;
  /** Ends the open event streams. */
  readonly close: () => void;
}

/**
 * The server for the browser page. No other site can use it: the Host must be loopback (a foreign name that resolves
 * here is refused), and a POST must be JSON.
 */
export const createPageServer = (options: {
  readonly actions: PageActions;
  readonly files: StaticPaths;
  readonly uploads: PageFiles;
  readonly isPerson: (userId: string) => boolean;
  readonly snapshot: (userId: string) => Snapshot;
  readonly onChange: (listener: () => void) => () => void;
}): PageServer => {
  const streams = createSnapshotStreams(options);
  /** What one person sees, and nobody else. */
  const show = (response: ServerResponse, { pathname, searchParams }: URL): void => {
    const userId = searchParams.get('as') ?? '';
    const [, , what, id = ''] = pathname.split('/');
    if (!options.isPerson(userId)) {
      sendJson(response, refused('Nobody of that id works here.'), { status: 404 });
    } else if (what === 'stream') streams.open(response, userId);
    else if (what === 'file') options.uploads.sendFile(response, userId, id);
    else sendJson(response, refused('No such request.'), { status: 404 });
  };
  return {
    async handle(request, response, url) {
      if (!isLoopbackHost(request.headers.host)) {
        sendJson(response, refused('This page answers on loopback only.'), { status: 403 });
      } else if (request.method === 'POST') {
        await act(options.actions, request, response);
      } else if (request.method !== 'GET') {
        response.writeHead(405, { allow: 'GET, POST' }).end();
      } else if (url.pathname.startsWith('/page-api/')) {
        show(response, url);
      } else {
        const place = pagePlace(url.pathname);
        if (place === undefined) await sendStaticFile(response, options.files, url.pathname);
        else response.writeHead(302, { location: place }).end();
      }
    },
    close: () => streams.close(),
  };
};

const act = async (
  actions: PageActions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  if (!isJson(request)) return sendJson(response, refused('JSON only.'), { status: 415 });
  const name = (request.url ?? '').replace('/page-api/', '');
  const action = Object.hasOwn(actions, name) ? actions[name] : undefined;
  if (action === undefined) return sendJson(response, refused('No such request.'), { status: 404 });
  sendJson(response, await action(parseJson((await readBody(request)) ?? '')));
};

/** After a reset the page finds the next server soon. */
const reconnectMs = 300;

/** The open pages: server-sent events tell each what its user sees. */
const createSnapshotStreams = (options: {
  readonly snapshot: (userId: string) => Snapshot;
  readonly onChange: (listener: () => void) => () => void;
}) => {
  const streams = new Set<ServerResponse>();
  return {
    open(response: ServerResponse, userId: string): void {
      response.writeHead(200, {
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-store',
      });
      response.write(`retry: ${reconnectMs}\n\n`);
      let due = false;
      const send = (): void => {
        due = false;
        if (response.writableEnded) return;
        response.write(`event: snapshot\ndata: ${JSON.stringify(options.snapshot(userId))}\n\n`);
      };
      // Many changes in one turn make one snapshot.
      const forget = options.onChange(() => {
        if (!due) setImmediate(send);
        due = true;
      });
      streams.add(response);
      response.on('close', () => {
        forget();
        streams.delete(response);
      });
      send();
    },
    close(): void {
      for (const response of streams) response.end();
    },
  };
};
