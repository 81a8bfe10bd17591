import { domainToUnicode } from 'node:url';
import { after, problem } from '../messages/message.ts';
import type { Message } from '../messages/message.ts';
import { code } from '../messages/text.ts';
import type { Caller } from './caller.ts';
import { TYPED_DOMAIN, holdsWatchLink } from './typed.ts';

/*
 * Links to tickets of a helpdesk: those that begin with an address that the workspace's admins named. A link counts only if a
 * browser reads it as it's written, so that nobody is shown one address and led to another: no user name, `..`, backslash,
 * encoded dot, or host in letters that look like others. No such link is ever fetched.
 */

/** Sealed with who may watch, it has to fit into an address of ours. */
const LONGEST = 400;
/** Nobody links more in a message, nor with a longer query string. */
const MOST_TEXT = 100_000;
const LONGEST_LINK = 2_000;

/** In Slack's escaped form, or as it's typed. */
const LINK = /<(https?:[^|<>]*)(?:\|[^<>]*)?>|https?:\/\/[^\s<>|"'`]+/gi;
/** What a sentence puts behind a link. */
const BEHIND = /[).,:;!?\]}*'"]+$/;
/**
 * Host and path, of which browsers change nothing: nothing is encoded but letters of other scripts, so neither a dot nor a
 * slash, and no name begins with a dot.
 */
const ADDRESS = /^https:\/\/([^\s/?#\\@]+)((?:\/(?!\.)(?:[\w.~+:@$,=-]|%[89A-F][\dA-F])+)*)\/?$/i;

const linksIn = (text: string): readonly string[] =>
  Array.from(text.slice(0, MOST_TEXT).matchAll(LINK))
    .filter(([typed]) => typed.length <= LONGEST_LINK)
    .map(([typed, link]) => link ?? typed.replace(BEHIND, ''));

const inLowerCase = (host: string) => (/^[\x21-\x7e]+$/.test(host) ? host.toLowerCase() : host);

/** Whether nothing in a path is invisible or turns the direction of what follows, wherever it's shown decoded. */
function isSeenWhole(path: string): boolean {
  try {
    return !/[\p{C}\p{Z}]/u.test(decodeURIComponent(path));
  } catch {
    return false;
  }
}

/** The address without a slash at its end; undefined if a browser reads another one, or if it's none. */
function asWritten(text: string): string | undefined {
  const [, host = '', path = ''] = text.length > LONGEST ? [] : (ADDRESS.exec(text) ?? []);
  const url = URL.parse(text);
  if (host === '' || url === null || !isSeenWhole(path)) return undefined;
  const inItsScript = url.host.replace(url.hostname, domainToUnicode(url.hostname));
  return [url.host, inItsScript].includes(inLowerCase(host)) ? `https://${url.host}${path}` : undefined;
}

/** Without query string and fragment. */
const bareOf = (link: string) => link.replace(/[?#].*$/su, '');

/** An address that tickets begin with, as an admin typed it, with a slash at its end; undefined if it's none. */
export function ticketPrefix(typed: string): string | undefined {
  const address = asWritten(typed);
  return address === undefined ? undefined : `${address}/`;
}

/**
 * The first link in a text that leads to a ticket, without query string and fragment. What may be a watch link is none,
 * whatever the admins named: it's neither stored nor posted.
 *
 * @param text with links as typed, or in Slack's escaped form
 * @param prefixes from {@link ticketPrefix}
 * @param watchHosts those of {@link holdsWatchLink}
 */
export function ticketIn(
  text: string,
  prefixes: readonly string[],
  watchHosts: readonly string[],
): string | undefined {
  if (prefixes.length === 0) return undefined;
  for (const link of linksIn(text)) {
    const address = asWritten(bareOf(link));
    if (address === undefined || !prefixes.some((prefix) => address.startsWith(prefix))) continue;
    if (!holdsWatchLink(link, watchHosts)) return address;
  }
  return undefined;
}

/** A search as typed, without the links beside its words, and these. A link alone is what is searched for. */
export function apartFromLinks(typed: string): { readonly words: string; readonly links: string } {
  const text = typed.replaceAll(TYPED_DOMAIN, '$1');
  const words = text.replaceAll(LINK, ' ').trim();
  return words === '' ? { words: typed, links: '' } : { words, links: linksIn(text).join(' ') };
}

const LEFT_OUT = 'That link isn’t a ticket address, so I left it out. ';
const notATicket = problem([LEFT_OUT, 'An admin can add it in the app’s Home tab.']);
/** Whatever admins name, it's none. */
const neverATicket = problem([
  LEFT_OUT,
  'It can’t be added, either: ticket addresses begin with https:// and have no user name, ',
  code('..'),
  ' or unusual characters.',
]);

/** Runs what may lead to a session for a caller who has the ticket that one of these links leads to. */
export async function forTicket<Who extends Caller>(
  links: string,
  caller: Who,
  run: (who: Who) => Promise<Message>,
): Promise<Message> {
  if (links === '') return run(caller);
  const { workspace } = caller;
  const { ticketPrefixes } = await workspace.settings();
  const ticketUrl = ticketIn(links, ticketPrefixes, workspace.linkHosts);
  if (ticketUrl !== undefined) return run({ ...caller, ticketUrl });
  const canBeAdded = linksIn(links).some((link) => asWritten(bareOf(link)) !== undefined);
  return after(canBeAdded ? notATicket : neverATicket, await run(caller));
}
