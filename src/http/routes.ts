import type { Request } from './server.ts';

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** A route as data. `path` is fixed text, or ends in one `/:name` that matches one part of the path. */
export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  handle(request: Request): Promise<Reply> | Reply;
}

const PLAIN = { 'content-type': 'text/plain; charset=utf-8' } as const;

function parameterOf(route: Route, path: string): string | undefined {
  const colon = route.path.indexOf(':');
  if (colon === -1) return path === route.path ? '' : undefined;
  const prefix = route.path.slice(0, colon);
  if (!path.startsWith(prefix) || path.length === prefix.length) return undefined;
  const rest = path.slice(prefix.length);
  return rest.includes('/') ? undefined : decode(rest);
}

function decode(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}

/** The route for a request, or the answer if there is none: 404, or 405 with the allowed methods. */
export function findRoute(
  routes: readonly Route[],
  method: string,
  url: string,
): { readonly route: Route; readonly parameter: string; readonly query: string } | { readonly reply: Reply } {
  const query = url.indexOf('?');
  const path = query === -1 ? url : url.slice(0, query);
  const wanted = method === 'HEAD' ? 'GET' : method;
  const allowed: string[] = [];
  for (const route of routes) {
    const parameter = parameterOf(route, path);
    if (parameter === undefined) continue;
    if (route.method === wanted) return { route, parameter, query: query === -1 ? '' : url.slice(query + 1) };
    allowed.push(route.method === 'GET' ? 'GET, HEAD' : route.method);
  }
  if (allowed.length === 0) return { reply: { status: 404, headers: PLAIN, body: 'Not found.\n' } };
  const allow = allowed.join(', ');
  return { reply: { status: 405, headers: { ...PLAIN, allow }, body: `Use ${allow}.\n` } };
}
