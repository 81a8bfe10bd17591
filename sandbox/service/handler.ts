import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { isLoopbackHost, isOwnRequest } from './live/origins.ts';
import {
  errorAnswer,
  findRoute,
  readText,
  ServiceError,
  text,
  type Answer,
  type Call,
  type Route,
} from './http.ts';
import type { Failure, Mood } from './misbehavior.ts';

/** A raw API request, for tests to look at. */
export interface RecordedRequest {
  readonly method: string;
  /** Path with the query string. */
  readonly path: string;
  /** The JSON of the body, its text if it isn't JSON, null if there is no body. */
  readonly body: unknown;
}

/** An API of the service. */
export interface Api {
  /** The path as the routes have it; undefined if it isn't part of this API. */
  readonly pathOf: (pathname: string) => string | undefined;
  /** The code with which a request is refused; undefined if it has the key. */
  readonly refusal: (headers: IncomingHttpHeaders) => string | undefined;
}

export interface HandlerOptions {
  readonly routes: readonly Route[];
  readonly apis: readonly Api[];
  readonly mood: Mood;
  readonly record: (request: RecordedRequest) => void;
  readonly log: (line: string) => void;
  /** The stand-in's clock, sent with every answer. */
  readonly now: () => Date;
  /** Aborted when the stand-in is closed. */
  readonly closing: AbortSignal;
}

type Reply = Answer | 'hang-up';

/** Answers every request: checks the key of API calls, finds the route, turns refusals into answers. */
export function createHandler(options: HandlerOptions) {
  return async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const reply = await answer(options, request);
    const status = reply === 'hang-up' ? reply : reply.status;
    // A watch link is a secret, so the log says only that one was opened.
    const path = (request.url ?? '').replace(/\/(watch|proxy)\/[^/?]*/u, '/$1/[link]').replace(/\?.*/u, '');
    options.log(`${request.method} ${path} ${status}`);
    if (reply === 'hang-up') response.destroy();
    else {
      const headers = { ...reply.headers, date: options.now().toUTCString() };
      response.writeHead(reply.status, headers).end(reply.body);
    }
  };
}

async function answer(options: HandlerOptions, request: IncomingMessage): Promise<Reply> {
  const { method = '', url: path = '' } = request;
  const url = URL.parse(`http://stand-in${path}`);
  if (!url) return text(400, 'Bad address');
  if (!isLoopbackHost(request.headers.host)) return text(403, 'This service only answers on loopback.');
  if (method !== 'GET' && method !== 'HEAD' && !isOwnRequest(request.headers))
    return text(403, 'Only this service’s own pages can ask for that.');
  const api = options.apis.find(({ pathOf }) => pathOf(url.pathname) !== undefined);
  try {
    const body = await readText(request);
    if (api) {
      options.record({ method, path, body: readable(body) });
      const instead = await misbehave(options);
      if (instead) return instead;
      const refusal = api.refusal(request.headers);
      if (refusal !== undefined) return errorAnswer(401, refusal);
    }
    const found = findRoute(options.routes, method, api?.pathOf(url.pathname) ?? url.pathname);
    if (!found) return api ? errorAnswer(404, 'not_found') : text(404, 'Not found');
    return found.route.run(callOf(request, url.searchParams, body, found.params));
  } catch (error) {
    if (error instanceof ServiceError) return errorAnswer(error.status, error.code);
    options.log(`failed: ${error instanceof Error ? error.stack : String(error)}`);
    return errorAnswer(500, 'internal_error');
  }
}

async function misbehave({ mood, closing }: HandlerOptions): Promise<Reply | undefined> {
  const { latencyMs = 0, fail } = mood.current();
  if (latencyMs > 0) {
    const waited = await wait(latencyMs, true, { signal: closing, ref: false }).catch(() => false);
    if (!waited) return 'hang-up';
  }
  return fail && failWith(fail.with);
}

function failWith(kind: Failure): Reply {
  if (kind === 'hang-up') return kind;
  if (kind === 'nonsense') return text(200, '<html><body>It works!</body>');
  const refusal = errorAnswer(kind, 'misbehaving');
  return kind === 429 ? { ...refusal, headers: { ...refusal.headers, 'retry-after': '1' } } : refusal;
}

function callOf(
  { headers }: IncomingMessage,
  query: URLSearchParams,
  body: string,
  params: ReadonlyMap<string, string>,
): Call {
  return {
    headers,
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
