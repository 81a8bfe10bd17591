import type { IncomingHttpHeaders } from 'node:http';

const loopback = new Set(['127.0.0.1', 'localhost', '[::1]']);

/** Whether a Host header names this machine: a foreign name that resolves here is somebody else's page. */
export function isLoopbackHost(host: string | undefined): boolean {
  return host !== undefined && loopback.has(URL.parse(`http://${host}`)?.hostname ?? '');
}

/** Whether an Origin header belongs to a page on this machine. */
export function isLoopbackOrigin(origin: string | undefined): boolean {
  const url = origin === undefined ? null : URL.parse(origin);
  return url !== null && /^https?:$/u.test(url.protocol) && loopback.has(url.hostname);
}

/** Whether the request comes from a page of this server, according to the browser. */
export function isOwnOrigin(origin: string | undefined, host: string | undefined): boolean {
  return host !== undefined && origin === `http://${host}`;
}

/**
 * Whether a request that changes something is from a page of this server, or from no browser: any site can post to an
 * address of this machine. Pages without a referrer send `null` as their origin, so Sec-Fetch-Site goes first.
 */
export function isOwnRequest({ host, origin, 'sec-fetch-site': site }: IncomingHttpHeaders): boolean {
  if (!isLoopbackHost(host)) return false;
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  return origin === undefined || isOwnOrigin(origin, host);
}

/** Reads one cookie from the header. */
export function cookieIn(header: string | undefined, name: string): string | undefined {
  const parts = (header ?? '').split(';').map((part) => part.trim());
  return parts.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1);
}
