import type { IncomingMessage, ServerResponse } from 'node:http';
import { findRoute, json, readText, ServiceError, text } from './http.ts';
import type { Answer, Call, OpenAnswer, Route } from './http.ts';

const apiPrefix = '/v1.3/';

/** A request of the API as it came, for tests to look at. */
export interface RecordedRequest {
  readonly method: string;
  /** Path with the query string. */
  readonly path: string;
  /** The JSON of the body, the text where it is none, null when there is no body. */
  readonly body: unknown;
}

export interface HandlerOptions {
  readonly routes: readonly Route[];
  readonly apiKey: string;
  readonly record: (request: RecordedRequest) => void;
  readonly log: (line: string) => void;
}

/** Answers every request: checks the key of API calls, finds the route, turns refusals into answers. */
export function createHandler(options: HandlerOptions) {
  return async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = await answer(options, request);
    const status = 'takeOver' in reply ? 200 : reply.status;
    // A watch link is a secret: the log says only that one was opened.
    const path = (request.url ?? '').replace(/^\/(watch|proxy)\/[^/?]*/u, '/$1/[link]').replace(/\?.*/u, '');
    options.log(`${request.method} ${path} ${status}`);
    if ('takeOver' in reply) reply.takeOver(response);
    else response.writeHead(reply.status, reply.headers).end(reply.body);
  };
}

async function answer(options: HandlerOptions, request: IncomingMessage): Promise<Answer | OpenAnswer> {
  const { method = '', url: path = '' } = request;
  const url = URL.parse(`http://stand-in${path}`);
  if (!url) return text(400, 'Bad address');
  const isApi = url.pathname.startsWith(apiPrefix);
  try {
    const body = await readText(request);
    if (isApi) {
      options.record({ method, path, body: readable(body) });
      if (!hasKey(request, options.apiKey)) throw new ServiceError(401, 'invalid_api_key');
    }
    const found = findRoute(options.routes, method, url.pathname);
    if (!found) return isApi ? json(404, { status: 'error', error: 'not_found' }) : text(404, 'Not found');
    return found.route.run(callOf(url.searchParams, body, found.params));
  } catch (error) {
    if (error instanceof ServiceError) return json(error.status, { status: 'error', error: error.code });
    options.log(`failed: ${error instanceof Error ? error.stack : String(error)}`);
    return json(500, { status: 'error', error: 'internal_error' });
  }
}

function hasKey(request: IncomingMessage, apiKey: string): boolean {
  const { 'x-api-key': key, authorization } = request.headers;
  return key === apiKey || authorization === `Bearer ${apiKey}`;
}

function callOf(query: URLSearchParams, body: string, params: ReadonlyMap<string, string>): Call {
  return {
    query,
    text: body,
    param(name) {
      const value = params.get(name);
      if (value === undefined) throw new Error(`The route has no part :${name}`);
      return value;
    },
  };
}

function readable(body: string): unknown {
  if (!body) return null;
  try {
    return JSON.parse(body);
  } catch {
    return body;
  }
}
