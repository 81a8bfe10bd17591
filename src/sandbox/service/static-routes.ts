import { readFile } from 'node:fs/promises';
import type { Route } from './http.ts';

/** The files of the pages. */
export async function staticRoutes(): Promise<readonly Route[]> {
  const [base, watch, script] = await Promise.all([
    readFile(new URL('./page/base.css', import.meta.url), 'utf8'),
    readFile(new URL('./page/watch.css', import.meta.url), 'utf8'),
    readFile(new URL('./page/watch.js', import.meta.url), 'utf8'),
  ]);
  return [
    { method: 'GET', path: '/assets/base.css', run: () => file('text/css', base) },
    { method: 'GET', path: '/assets/watch.css', run: () => file('text/css', watch) },
    { method: 'GET', path: '/assets/watch.js', run: () => file('text/javascript', script) },
  ];
}

function file(type: string, body: string) {
  const headers = { 'content-type': `${type}; charset=utf-8`, 'x-content-type-options': 'nosniff' };
  return { status: 200, headers, body };
}
