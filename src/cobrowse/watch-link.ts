import { createHash } from 'node:crypto';
import { CobrowseError } from './errors.ts';

/** Fits in one header line of every server and browser. */
const LONGEST = 8_000;

/** A link that opens a visitor's screen to whoever has it. Its address is private, so no text, JSON, copy or inspection has it. */
export class WatchLink {
  readonly #url: string;
  readonly expiresAt: Date | undefined;

  constructor(url: URL, expiresAt: Date | undefined) {
    this.#url = url.href;
    this.expiresAt = expiresAt;
  }

  /** Only for the Location header of a redirect. */
  locationHeader(): string {
    return this.#url;
  }

  /** Recognizes the link where the service sends it back: see {@link linkHashes}. */
  hash(): string {
    return hashesOf(new URL(this.#url)).ofLink;
  }

  toString(): string {
    return '[watch link]';
  }
}

export interface LinkRules {
  /** ISO 8601; ignored if it isn't a date, or is over. */
  readonly expiration?: string | null;
  readonly now?: Date;
  /** A host that may have `http:`; if it's loopback, so may every loopback address. */
  readonly plainHost?: string;
  /** As URLs spell them, at any port. If empty, any host. */
  readonly hosts?: readonly string[];
}

/**
 * Reads a link from the service's answer: `https:` (or `http:` for `plainHost`), no user name, white space or control characters,
 * and an allowed host. A browser is sent there, so the service isn't simply trusted.
 * @throws CobrowseError not-understood, without the link; its code is `other-host` if only the host is wrong
 */
export function parseWatchLink(text: string, rules: LinkRules = {}): WatchLink {
  const { plainHost, hosts = [] } = rules;
  const url = /[\s\p{Cc}]/u.test(text) || text.length > LONGEST ? null : URL.parse(text);
  if (url === null || !isSafe(url, plainHost))
    throw new CobrowseError('not-understood', 'The link in the answer is no https address.');
  // No suffixes: a name that only ends like an allowed one may be anyone's.
  if (hosts.length > 0 && !hosts.includes(url.hostname)) {
    const words = 'The link in the answer leads to a host that WATCH_HOSTS does not name.';
    throw new CobrowseError('not-understood', words, { code: 'other-host' });
  }
  return new WatchLink(url, endOf(rules));
}

function endOf({ expiration, now = new Date() }: LinkRules): Date | undefined {
  const end = new Date(expiration ?? '');
  return end > now ? end : undefined;
}

function isSafe({ protocol, hostname, username, password }: URL, plainHost: string | undefined): boolean {
  if (username !== '' || password !== '') return false;
  if (protocol !== 'http:' || plainHost === undefined) return protocol === 'https:';
  return hostname === plainHost || (isLoopback(hostname) && isLoopback(plainHost));
}

/** Whether an address looks like a watch link, or like a Watch button's. */
export const isWatchPath = ({ pathname }: URL): boolean => /\/watch(?:_url)?(?:\/|$)/i.test(pathname);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const hashOf = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');

/** Unlike `v1` or `sessions`, which are in every link. */
const looksRandom = (word: string): boolean => word.length >= 16 || (word.length >= 6 && /\d/.test(word));

/** In what the service sends back, host and path stay; if the path is the same in all links, so does the longest parameter. */
function hashesOf({ hostname, pathname, search, hash }: URL) {
  const path = decoded(pathname).replace(/\/+$/, '');
  const words = `${search}${hash}`
    .split(/[?#&=]/)
    .map((word) => decoded(word).replace(/\/+$/, ''))
    .filter((word) => word !== '');
  const longest = words
    .filter((word) => !/^https?:/i.test(word))
    .reduce((one, other) => (other.length > one.length ? other : one), '');
  const ofPath = hashOf(hostname, path);
  const isEnough = longest === '' || path.split('/').some(looksRandom);
  return {
    words,
    ofPath,
    ofLink: isEnough ? ofPath : hashOf(hostname, path, longest),
    ofWord: (word: string) => hashOf(hostname, path, word),
  };
}

const MOST_WORDS = 100;

/** The hashes of which a link has one, if it's this address or in it. */
export function linkHashes(address: string): readonly string[] {
  const url = URL.parse(address);
  if (url === null) return [];
  const { words, ofPath, ofWord } = hashesOf(url);
  const inside = [...words, ...url.pathname.split('/').map(decoded)].slice(0, MOST_WORDS);
  return [ofPath, ...words.slice(0, MOST_WORDS).map(ofWord), ...inside.flatMap(linkHashes)];
}

/** Names other than `localhost` aren't resolved. */
export function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** The path has no slash at its end. Undefined for text with a user name, password, query or fragment. */
export function bareAddress(text: string): { readonly url: URL; readonly path: string } | undefined {
  const url = URL.parse(text);
  if (url === null || `${url.username}${url.password}${url.search}${url.hash}` !== '') return undefined;
  return { url, path: url.pathname.replace(/\/+$/, '') };
}
