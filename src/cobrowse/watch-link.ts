import { inspect } from 'node:util';
import { CobrowseError } from './errors.ts';
import { isLoopback } from './loopback.ts';

const shown = '[watch link]';

/** Room for one header line in every server and browser. */
const maxLength = 8_000;

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

/**
 * Reads a link out of the service's answer. Only `https:` is accepted (`http:` on loopback), without user name, white
 * space or control characters; a browser is sent there, so the service's word alone is not enough.
 *
 * @param expiration when the link ends, ISO 8601; left out where it is missing or no date
 * @param plainHost a host that may be reached by `http:`: an on-premise one that was set up so
 * @throws CobrowseError not-understood, without the link
 */
export function parseWatchLink(text: string, expiration?: string, plainHost?: string): WatchLink {
  const url = /[\s\p{Cc}]/u.test(text) || text.length > maxLength ? null : URL.parse(text);
  if (url === null || !isSafe(url, plainHost)) {
    throw new CobrowseError('not-understood', 'The link in the answer is no https address.');
  }
  const expiresAt = new Date(expiration ?? Number.NaN);
  return new WatchLink(url, Number.isNaN(expiresAt.getTime()) ? undefined : expiresAt);
}

function isSafe({ protocol, hostname, username, password }: URL, plainHost: string | undefined): boolean {
  if (username !== '' || password !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && (isLoopback(hostname) || hostname === plainHost));
}
