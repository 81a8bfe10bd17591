/** Web addresses in a text: with their scheme, or as people type one, with a path or more after the host. */
const LINKS =
  /https?:\/\/[^\s<>"]+|(?<![\w@.:/-])(?:(?:[\w-]+\.)+[a-z]{2,}|\d{1,3}(?:\.\d{1,3}){3}|localhost)(?::\d+)?[/?#][^\s<>"]*/gi;

/** It {@link holdsWatchLink}. */
const REFUSED = 'https://link.invalid/watch/';

const parsed = (link: string): URL | undefined =>
  URL.parse(/^https?:/i.test(link) ? link : `https://${link}`) ?? undefined;

const visitorIn = ({ pathname }: URL): string | undefined => /\/visitors\/([\w-]+)/.exec(pathname)?.[1];

const isWatchPath = ({ pathname }: URL): boolean => /\/watch(?:_url)?\//i.test(pathname);

/**
 * What a link says about a visitor: the id if it leads to a visitor's page, else its address without query string and
 * fragment, which may contain secrets. Undefined for what looks like a watch link, which must not be passed on.
 */
export function clueIn(link: string): string | undefined {
  const url = parsed(link);
  if (url === undefined || isWatchPath(url)) return undefined;
  return visitorIn(url) ?? url.host + url.pathname.replace(/\/$/, '');
}

/**
 * Whether a text may contain a watch link or a Watch button's address: by its path, or because it leads to one of their
 * hosts and not to a visitor's page.
 *
 * @param hosts with their port, as URLs spell them; without one, every port of it
 */
export function holdsWatchLink(text: string, hosts: readonly string[]): boolean {
  return Array.from(text.matchAll(LINKS), ([link]) => parsed(link)).some((url) => {
    if (url === undefined) return false;
    const isTheirs = hosts.includes(url.host) || hosts.includes(url.hostname);
    return isWatchPath(url) || (isTheirs && url.pathname !== '/' && visitorIn(url) === undefined);
  });
}

/** The text with each link as {@link clueIn} returns it; of what looks like a watch link it keeps enough to refuse it. */
export function withoutLinkSecrets(text: string): string {
  return text.replaceAll(LINKS, (link) => clueIn(link) ?? REFUSED);
}
