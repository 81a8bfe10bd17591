import { readFile, realpath } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Paths and their targets; an address that ends in "/" is a folder. */
export type StaticPaths = Readonly<Record<string, URL>>;

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.png': 'image/png',
};

const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** Answers with the file at a path, or 404. Never reads anything outside the given folders. */
export const sendStaticFile = async (
  response: ServerResponse,
  paths: StaticPaths,
  requested: string,
): Promise<void> => {
  const file = await findFile(paths, requested);
  const type = file === undefined ? undefined : contentTypes[extname(file)];
  if (file === undefined || type === undefined) {
    response
      .writeHead(404, { ...securityHeaders, 'content-type': 'text/plain; charset=utf-8' })
      .end('Not found.');
    return;
  }
  response.writeHead(200, { ...securityHeaders, 'content-type': type }).end(await readFile(file));
};

const findFile = async (paths: StaticPaths, requested: string): Promise<string | undefined> => {
  const exact = paths[requested];
  if (exact !== undefined && !exact.pathname.endsWith('/')) return existing(fileURLToPath(exact));
  const prefix = Object.keys(paths)
    .filter((path) => paths[path]?.pathname.endsWith('/') === true && requested.startsWith(path))
    .toSorted((a, b) => b.length - a.length)[0];
  const folder = prefix === undefined ? undefined : paths[prefix];
  if (prefix === undefined || folder === undefined) return undefined;
  const root = await existing(fileURLToPath(folder));
  const file = root && (await existing(join(root, requested.slice(prefix.length))));
  return root !== undefined && file?.startsWith(root + sep) === true ? file : undefined;
};

/** The real path, after following symbolic links, so that one can't lead out of its folder. */
const existing = async (path: string): Promise<string | undefined> => {
  try {
    return await realpath(path);
  } catch {
    return undefined;
  }
};
