import { inspect } from 'node:util';
import { CobrowseError } from './errors.ts';

const shown = '[watch link]';

/** Room for one header line in every server and browser. */
const maxLength = 8_000;

/** Links are short-lived: one that is said to live longer is looked after for this long. */
const longestLifeMs = 24 * 60 * 60 * 1_000;

/** The code of the failure where a link leads to a host that was not named. */
const OTHER_HOST = 'other-host';

/**
 * A link that opens a visitor's screen to whoever has it. It refuses to be written down: as text, as JSON, copied or
 * inspected it is only "[watch link]". Made by `parseWatchLink`.
 */
export class WatchLink {
  readonly #url: string;
  /** When the link stops being valid, where the service said so. */
  readonly expiresAt: Date | undefined;

  constructor(url: URL, expiresAt: Date | undefined) {
    this.#url = url.href;
    this.expiresAt = expiresAt;
  }

  /** The address itself, for the Location header of a redirect and for nothing else. */
  locationHeader(): string {
    return this.#url;
  }

  toString(): string {
    return shown;
  }

  toJSON(): string {
    return shown;
  }

  [Symbol.toPrimitive](): string {
    return shown;
  }

  [inspect.custom](): string {
    return shown;
  }
}

/** What a link must be, beside safe. */
export interface LinkRules {
  /** When the link ends, ISO 8601 by the service's clock; left out where it is missing or no date. */
  readonly expiration?: string | undefined;
  /** What that clock said when the service answered, as the Date header has it; ours where not given. */
  readonly servedAt?: Date | undefined;
  readonly now?: Date;
  /** A host that may be reached by `http:`: that of a service that was set up so; on loopback, all of it. */
  readonly plainHost?: string | undefined;
  /** The only hosts it may lead to, as URLs spell them, at any port; none: every one. */
  readonly hosts?: readonly string[];
}

/**
 * Reads a link out of the service's answer. Only `https:` is accepted (`http:` to a service that was set up so), without user name, white
 * space or control characters, to a host that was named; a browser is sent there, so the service's word alone is not
 * enough.
 *
 * @throws CobrowseError not-understood, without the link; its code is `other-host` where only the host is not right
 */
export function parseWatchLink(text: string, rules: LinkRules = {}): WatchLink {
  const { plainHost, hosts = [] } = rules;
  const url = /[\s\p{Cc}]/u.test(text) || text.length > maxLength ? null : URL.parse(text);
  if (url === null || !isSafe(url, plainHost)) {
    throw new CobrowseError('not-understood', 'The link in the answer is no https address.');
  }
  // No wildcards and no endings: a name that only ends like a good one may be anybody's.
  if (hosts.length > 0 && !hosts.includes(url.hostname)) {
    const words = 'The link in the answer leads to a host that WATCH_HOSTS does not name.';
    throw new CobrowseError('not-understood', words, { code: OTHER_HOST });
  }
  return new WatchLink(url, endOf(rules));
}

/**
 * When the link ends by our clock. The service's may be minutes apart: what counts is how long the link has left by its
 * own. A link that has ended as it is made makes no sense, and is taken for one whose end is not told.
 */
function endOf({ expiration, servedAt, now = new Date() }: LinkRules): Date | undefined {
  const leftMs = Date.parse(expiration ?? '') - (servedAt ?? now).getTime();
  return leftMs > 0 ? new Date(now.getTime() + Math.min(leftMs, longestLifeMs)) : undefined;
}

/** Reads the links in the answers of a service. */
export function createLinkReader(options: {
  readonly baseUrl: string;
  readonly watchHosts?: readonly string[];
  readonly now?: (() => Date) | undefined;
}) {
  const { baseUrl, watchHosts: hosts = [], now = () => new Date() } = options;
  const base = URL.parse(baseUrl);
  // Whoever set up plain http there has links of plain http, too: to that host, and to no other.
  const plainHost = base?.protocol === 'http:' ? base.hostname : undefined;
  /** The on-premise service tells no expiration. @throws CobrowseError not-understood, as parseWatchLink */
  return function readLink(answer: {
    readonly value: { readonly watch_url: string; readonly expiration?: string | null | undefined };
    readonly servedAt?: Date | undefined;
  }): WatchLink {
    const { value, servedAt } = answer;
    const expiration = value.expiration ?? undefined;
    return parseWatchLink(value.watch_url, { expiration, servedAt, now: now(), plainHost, hosts });
  };
}

function isSafe({ protocol, hostname, username, password }: URL, plainHost: string | undefined): boolean {
  if (username !== '' || password !== '') return false;
  if (protocol !== 'http:' || plainHost === undefined) return protocol === 'https:';
  return hostname === plainHost || (isLoopback(hostname) && isLoopback(plainHost));
}

/** Whether a URL's hostname is this machine by its very form. Names other than `localhost` are not looked up. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/**
 * An address that leads somewhere and carries nothing: no user name, password, query or fragment.
 *
 * @returns its parts, the path without a slash at its end; undefined for any other text
 */
export function bareAddress(text: string): { readonly url: URL; readonly path: string } | undefined {
  const url = URL.parse(text);
  if (url === null || `${url.username}${url.password}${url.search}${url.hash}` !== '') return undefined;
  return { url, path: url.pathname.replace(/\/+$/, '') };
}
