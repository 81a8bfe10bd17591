import type { IncomingMessage, ServerResponse } from 'node:http';

import { isJson, parseJson, readBody, sendJson } from './http-exchange.ts';
import { refused } from './interaction.ts';
import type { PageActions } from './page-actions.ts';
import type { Snapshot } from './page-api.ts';
import { sendStaticFile } from './static-files.ts';
import type { StaticPaths } from './static-files.ts';

export interface PageServer {
  handle(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void>;
  /** Ends the open event streams. */
  close(): void;
}

/**
 * The browser page's side. No other site may drive it: the Host must be loopback (a foreign name that resolves here is
 * refused) and a POST must be JSON (which a foreign page cannot send without asking first, and is not answered).
 */
export const createPageServer = (options: {
  readonly actions: PageActions;
  readonly files: StaticPaths;
  readonly isPerson: (userId: string) => boolean;
  readonly snapshot: (userId: string) => Snapshot;
  readonly onChange: (listener: () => void) => () => void;
}): PageServer => {
  const streams = new Set<ServerResponse>();
  const stream = (response: ServerResponse, userId: string): void => {
    response.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
    });
    let due = false;
    // Many changes in one turn make one snapshot.
    const send = (): void => {
      due = false;
      if (response.writableEnded) return;
      response.write(`event: snapshot\ndata: ${JSON.stringify(options.snapshot(userId))}\n\n`);
    };
    send();
    const forget = options.onChange(() => {
      if (!due) setImmediate(send);
      due = true;
    });
    streams.add(response);
    response.on('close', () => {
      forget();
      streams.delete(response);
    });
  };

  const handlePost = async (
    request: IncomingMessage,
    response: ServerResponse,
    name: string,
  ): Promise<void> => {
    if (!isJson(request)) return sendJson(response, refused('JSON only.'), { status: 415 });
    const action = Object.hasOwn(options.actions, name) ? options.actions[name] : undefined;
    if (action === undefined) return sendJson(response, refused('No such request.'), { status: 404 });
    sendJson(response, await action(parseJson((await readBody(request)) ?? '')));
  };

  return {
    async handle(request, response, url) {
      if (!isLoopback(request.headers.host)) {
        sendJson(response, refused('This page answers on loopback only.'), { status: 403 });
      } else if (request.method === 'POST') {
        await handlePost(request, response, url.pathname.replace('/page-api/', ''));
      } else if (request.method !== 'GET') {
        response.writeHead(405, { allow: 'GET, POST' }).end();
      } else if (url.pathname === '/page-api/stream') {
        const userId = url.searchParams.get('as') ?? '';
        if (options.isPerson(userId)) stream(response, userId);
        else sendJson(response, refused('Nobody of that id works here.'), { status: 404 });
      } else {
        await sendStaticFile(response, options.files, url.pathname);
      }
    },
    close() {
      for (const response of streams) response.end();
    },
  };
};

const isLoopback = (host = ''): boolean =>
  ['127.0.0.1', 'localhost', '[::1]'].includes(URL.parse(`http://${host}`)?.hostname ?? '');
