import { readdir, readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import type { Answer, Route } from './http.ts';

const types: ReadonlyMap<string, string> = new Map([
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
]);

/** Resolved from the stylesheet, so it doesn't depend on the package's folder names. */
const record = new URL(import.meta.resolve('@rrweb/record'));
const replay = new URL(import.meta.resolve('@rrweb/replay'));

/** The files of the service's pages, and those of the snippet, which other sites' pages load. */
export async function staticRoutes(): Promise<readonly Route[]> {
  const cleaner = new URL('./live/clean-event.js', import.meta.url);
  return [
    ...(await folder('./page/', '/assets/', own)),
    await file('/assets/vendor/replay.js', replay, own),
    await file('/assets/vendor/replay.css', new URL('style.min.css', replay), own),
    ...(await folder('./snippet/', '/snippet/', forAnySite)),
    await file('/snippet/clean-event.js', cleaner, forAnySite),
    await file('/snippet/vendor/record.js', record, forAnySite),
  ];
}

const own = { 'x-content-type-options': 'nosniff' };
const forAnySite = {
  ...own,
  'access-control-allow-origin': '*',
  'cross-origin-resource-policy': 'cross-origin',
};

async function folder(from: string, to: string, headers: Readonly<Record<string, string>>) {
  const place = new URL(from, import.meta.url);
  const names = (await readdir(place)).filter((name) => types.has(extname(name)));
  return Promise.all(names.map((name) => file(`${to}${name}`, new URL(name, place), headers)));
}

async function file(path: string, place: URL, headers: Readonly<Record<string, string>>): Promise<Route> {
  const body = await readFile(place);
  const type = types.get(extname(place.pathname)) ?? 'text/plain';
  const answer: Answer = { status: 200, headers: { ...headers, 'content-type': type }, body };
  return { method: 'GET', path, run: () => answer };
}
