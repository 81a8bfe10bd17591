import { readdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { extname } from 'node:path';
import { isLoopbackHost } from '../service/live/origins.ts';
import { listen, stop } from '../listen.ts';

/** The sandbox's shop: pages of a site with the service's snippet, at a separate address. */
export interface Shop {
  /** `http://127.0.0.1:PORT` */
  readonly url: string;
  /** Adds the snippet to the pages from now on, and lets only this service's pages show them in a frame. */
  readonly join: (service: { readonly url: string; readonly siteKey: string }) => void;
  readonly close: () => Promise<void>;
}

const folder = new URL('./page/', import.meta.url);

const types: ReadonlyMap<string, string> = new Map([
  ['.html', 'text/html; charset=utf-8'],
  ['.css', 'text/css; charset=utf-8'],
  ['.js', 'text/javascript; charset=utf-8'],
]);

/** The link in the shop's header that stands for a page, if there is one. */
const placeOf: ReadonlyMap<string, string> = new Map([
  ['products.html', '/products'],
  ['cart.html', '/cart'],
  ['checkout.html', '/cart'],
  ['help.html', '/help'],
  ['waiting.html', '/help'],
]);

/** Addresses that the sandbox's visitors are at, and the page for each. */
function pageAt(pathname: string): string | undefined {
  if (pathname === '/' || pathname.startsWith('/products') || pathname.startsWith('/search'))
    return 'products.html';
  if (pathname === '/cart' || pathname === '/account') return 'cart.html';
  if (pathname === '/checkout') return 'checkout.html';
  if (pathname === '/thanks') return 'thanks.html';
  if (pathname === '/help/waiting') return 'waiting.html';
  if (pathname.startsWith('/help')) return 'help.html';
  // A visitor may be at any address, so the shop shows something there too.
  return /\.(?:css|js|ico)$/.test(pathname) ? undefined : 'products.html';
}

/** Starts the shop on 127.0.0.1, on any free port. */
export async function startShop(): Promise<Shop> {
  const files = new Map<string, Buffer>();
  for (const name of await readdir(folder)) files.set(name, await readFile(new URL(name, folder)));
  const textOf = (name: string) => (files.get(name) ?? '').toString();
  let service: { readonly url: string; readonly siteKey: string } | undefined;

  function policy(): string {
    const at = service?.url ?? '';
    return [
      "default-src 'none'",
      `script-src 'self' ${at}`,
      "style-src 'self'",
      "img-src 'self' data:",
      `connect-src ${at} ${at.replace('http', 'ws')}`,
      "form-action 'self'",
      "base-uri 'none'",
      `frame-ancestors ${at || "'none'"}`,
    ].join('; ');
  }

  /** A page is a title and what goes between the header and footer they all share. */
  function page(name: string): string {
    const [title = '', ...main] = textOf(name).split('\n');
    const place = placeOf.get(name) ?? 'none';
    const { url = '', siteKey = '' } = service ?? {};
    const snippet = `<script src="${url}/snippet/snippet.js" data-site-key="${siteKey}"></script>`;
    return textOf('layout.html')
      .replace('<!-- snippet -->', service === undefined ? '' : snippet)
      .replace('<!-- title -->', () => title)
      .replace('<!-- page -->', () => main.join('\n'))
      .replace(`<a href="${place}">`, `<a href="${place}" aria-current="page">`);
  }

  function answer(request: IncomingMessage, response: ServerResponse): void {
    const { pathname } = URL.parse(request.url ?? '/', 'http://shop') ?? { pathname: '' };
    const name = pageAt(pathname) ?? pathname.slice(1);
    const type = types.get(extname(name));
    if (!isLoopbackHost(request.headers.host)) response.writeHead(403).end();
    else if (request.method !== 'GET') response.writeHead(405, { allow: 'GET' }).end();
    else if (!files.has(name) || type === undefined) response.writeHead(404).end('Not found');
    else {
      const headers = {
        'content-type': type,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      };
      const isPage = name.endsWith('.html');
      response.writeHead(200, { ...headers, 'content-security-policy': policy() });
      response.end(isPage ? page(name) : files.get(name));
    }
  }

  const server = createServer(answer);
  return {
    url: await listen(server, 0),
    join: (joined) => (service = joined),
    close: () => stop(server),
  };
}
