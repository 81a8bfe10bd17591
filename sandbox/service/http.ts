import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { z } from 'zod';

const maxBodyBytes = 1024 * 1024;

/** The parts of a request that routes use. */
export interface Call {
  readonly query: URLSearchParams;
  /** The raw request body. */
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
  /** A named part of the path, decoded. */
  readonly param: (name: string) => string;
}

/** An answer that is complete already. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

export interface Route {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'DELETE';
  /** For example `/v1.3/visitors/:id`. */
  readonly path: string;
  readonly run: (call: Call) => Answer;
}

/** A refusal of the API, answered as `{"status":"error","error":code}`. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string) {
    super(`${status} ${code}`);
    this.status = status;
    this.code = code;
  }
}

export function json(status: number, value: unknown): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    body: JSON.stringify(value),
  };
}

/** A refusal of an API. */
export const errorAnswer = (status: number, code: string): Answer =>
  json(status, { status: 'error', error: code });

export function text(status: number, body: string): Answer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

/** The route for a method and path, with the decoded parts of the path, or undefined. */
export function findRoute(routes: readonly Route[], method: string, pathname: string) {
  for (const route of routes) {
    const params = route.method === method ? matchPath(route.path, pathname) : undefined;
    if (params) return { route, params };
  }
  return undefined;
}

function matchPath(pattern: string, pathname: string): ReadonlyMap<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = pathname.split('/');
  if (wanted.length !== given.length) return undefined;
  const params = new Map<string, string>();
  for (const [index, part] of wanted.entries()) {
    const value = decode(given[index] ?? '');
    if (!part.startsWith(':')) {
      if (value !== part) return undefined;
    } else if (value) {
      params.set(part.slice(1), value);
    } else {
      return undefined;
    }
  }
  return params;
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** The whole body as text. Throws a ServiceError 413 above 1 MiB. */
export async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    const bytes = Buffer.from(chunk);
    size += bytes.length;
    if (size > maxBodyBytes) throw new ServiceError(413, 'body_too_large');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A JSON body in the given shape; an empty one becomes `{}`. Throws a ServiceError 400. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: string): z.infer<Schema> {
  const result = schema.safeParse(parseJson(body));
  if (!result.success) {
    const field = result.error.issues[0]?.path.join('.') ?? '';
    throw new ServiceError(400, field ? `invalid_parameter: ${field}` : 'invalid_body');
  }
  return result.data;
}

/** Throws a ServiceError 400 when the text is not JSON. */
function parseJson(body: string): unknown {
  if (!body) return {};
  try {
    return JSON.parse(body);
  } catch {
    throw new ServiceError(400, 'invalid_json');
  }
}
