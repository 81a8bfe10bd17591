import type { Answer, Route } from './http.ts';
import { messagePage } from './page/message-page.ts';
import type { ProxyLinks } from './proxy-links.ts';

/** The page behind a proxy link. */
export function proxyRoutes(links: ProxyLinks): readonly Route[] {
  return [{ method: 'GET', path: '/proxy/:token', run: (call) => open(links, call.param('token')) }];
}

function open(links: ProxyLinks, token: string): Answer {
  const { state, body } = links.open(token);
  switch (state) {
    case 'ready': {
      const { initial_url: start = 'a page of the visitor’s choice', allowed_domains: domains } = body;
      const bounds = domains ? `only ${domains.join(', ')}` : 'any site';
      return messagePage(
        200,
        'Proxy session',
        `The real service would show ${start} here through its proxy, limited to ${bounds}.`,
      );
    }
    case 'unknown':
      return messagePage(404, 'No such link', 'This proxy link doesn’t exist. Ask for a new one.');
    case 'expired':
      return messagePage(
        410,
        'This link has expired',
        'A proxy link lives a few minutes. Ask for a new one.',
      );
    case 'used':
      return messagePage(410, 'This link was used already', 'A proxy link works once. Ask for a new one.');
    default:
      return state satisfies never;
  }
}
