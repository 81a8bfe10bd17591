import { domainToUnicode } from 'node:url';
import { after, problem, type Message } from '../messages/message.ts';
import type { Caller } from './rights.ts';
import { holdsWatchLink, linkAlone, TYPED_DOMAIN } from './typed.ts';

/*
 * Links to a helpdesk's tickets, below an address that admins named. A link counts only if browsers read it as written, so that
 * nobody sees one address and is led to another: no user name, `..`, backslash, encoded dot, or lookalike letters in the host.
 * No such link is ever fetched.
 */

/** Sealed with who may watch, it has to fit into an address of ours. */
const LONGEST = 400;
const MOST_TEXT = 100_000;
const LONGEST_LINK = 2_000;

const LINK = /<(https?:[^|<>]*)(?:\|[^<>]*)?>|https?:\/\/[^\s<>|"]+/gi;
/** Host and path as browsers leave them: only letters of other scripts are encoded, and no segment begins with a dot. */
const ADDRESS = /^https:\/\/([^\s/?#\\@]+)((?:\/(?!\.)(?:[\w.~+:@$,=-]|%[89A-F][\dA-F])+)*)\/?$/i;

export const linksIn = (text: string): readonly string[] =>
  Array.from(text.slice(0, MOST_TEXT).matchAll(LINK))
    .filter(([typed]) => typed.length <= LONGEST_LINK)
    .map(([typed, link]) => (link ?? linkAlone(typed)).replaceAll('&amp;', '&'));

/** A sign takes each link's place, so that the words around aren't neighbors. */
export const withoutSlackLinks = (text: string): string => text.replaceAll(LINK, ' · ');

const inLowerCase = (host: string) => (/^[\x21-\x7e]+$/.test(host) ? host.toLowerCase() : host);

/** Whether a path, decoded, has nothing invisible and nothing that turns the text's direction. */
function isSeenWhole(path: string): boolean {
  try {
    return !/[\p{C}\p{Z}]/u.test(decodeURIComponent(path));
  } catch {
    return false;
  }
}

/** Without a slash at its end; undefined if a browser reads it differently. */
function asWritten(text: string): string | undefined {
  const [, host = '', path = ''] = text.length > LONGEST ? [] : (ADDRESS.exec(text) ?? []);
  const url = URL.parse(text);
  if (host === '' || url === null || !isSeenWhole(path)) return undefined;
  const inItsScript = url.host.replace(url.hostname, domainToUnicode(url.hostname));
  return [url.host, inItsScript].includes(inLowerCase(host)) ? `https://${url.host}${path}` : undefined;
}

const PARTS = /^([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/su;

/** 1475, INC0012345, ABC-12: short enough to be no secret. */
const NUMBER = String.raw`(?:[a-z]{1,10}|[a-z][a-z\d_]{0,14}-)?\d{1,18}`;
const NOUN = 'ticket|issue|case|bug|incident|request|conversation|task|record|work_?(?:item|order)';
/**
 * Parameters that say which ticket.
 * Source: links of osTicket, OTRS, Request Tracker, Jira, Bugzilla, ServiceDesk Plus, ServiceNow.
 */
const NAMES_TICKET = new RegExp(
  String.raw`^(?:(?:t?id|number|(?:selected|service)?_?(?:${NOUN}|wo|rec)s?[_-]?(?:id|key|no|nr|num|number)?)=${NUMBER}|(?:uri=(?:/|%2F)?\w{1,40}\.do(?:\?|%3F))?sys_id(?:=|%3D)[\da-f]{32})$`,
  'i',
);
/** Parameters without which some helpdesks show something else. */
const LEADS_THERE = /^(?:action|module|view|womode)=[a-z]{1,40}$/i;
/** A ticket in a single-page app, like Zammad and Zendesk. */
const ROUTE = new RegExp(
  String.raw`^[!/]*(?:[a-z][a-z-]{0,30}/){0,4}(?:${NOUN})s?/(?:[a-z][a-z-]{0,30}/){0,4}${NUMBER}(?:/${NUMBER})?(?=$|[/?&;])`,
  'i',
);

/** The parts of query string and fragment that say which ticket it is; may be empty. */
function namedBehind(query: string, fragment: string): string {
  const parameters = query.split(/[&;]/);
  const route = ROUTE.exec(fragment)?.[0];
  const kept = parameters.some((one) => NAMES_TICKET.test(one))
    ? parameters.filter((one) => NAMES_TICKET.test(one) || LEADS_THERE.test(one))
    : [];
  const asked = kept.length === 0 ? '' : `?${kept.join(query.includes(';') ? ';' : '&')}`;
  return route === undefined ? asked : `${asked}#${route}`;
}

/** Other pages below the tickets' address: a script, a board. */
const OTHER_PAGE = /\.[a-z]{2,5}$|\/(?:boards?|dashboards?|filters?|pages?|projects?|queues?|views?)\/\d+$/i;

/** Undefined for a link elsewhere, and for one to the helpdesk that doesn't say which ticket. */
function readTicket(link: string, prefixes: readonly string[]): string | undefined {
  const [, bare = '', query = '', fragment = ''] = PARTS.exec(link) ?? [];
  const address = asWritten(bare);
  const prefix = prefixes.find((one) => `${address}/`.startsWith(one));
  if (address === undefined || prefix === undefined) return undefined;
  const named = namedBehind(query, fragment);
  if (named !== '') {
    const whole = `${address}${bare.endsWith('/') || URL.parse(address)?.pathname === '/' ? '/' : ''}${named}`;
    return whole.length > LONGEST ? undefined : whole;
  }
  const rest = address.slice(prefix.length);
  const isNamed = /[\dA-Z]/.test(rest) || (rest !== '' && query + fragment === '');
  return isNamed && !OTHER_PAGE.test(address) ? address : undefined;
}

/** What an admin typed, with a slash at its end; undefined if it's no such address. */
export function ticketPrefix(typed: string): string | undefined {
  const address = asWritten(typed);
  return address === undefined ? undefined : `${address}/`;
}

/**
 * The first link to a ticket, with as much of its query string and fragment as says which one. What may be a watch link is none,
 * whatever the admins named: tickets are stored and posted.
 *
 * @param text in Slack's escaped form, or as typed
 */
export function ticketIn(text: string, prefixes: readonly string[], watchHosts: readonly string[]) {
  return linksIn(text)
    .filter((link) => !holdsWatchLink(link, watchHosts))
    .map((link) => readTicket(link, prefixes))
    .find((ticket) => ticket !== undefined);
}

/** A search's words and its links. A link alone is what is searched for. */
export function apartFromLinks(typed: string): { readonly words: string; readonly links: string } {
  const text = typed.replaceAll(TYPED_DOMAIN, '$1');
  const words = text.replaceAll(LINK, ' ').trim();
  return words === '' ? { words: typed, links: '' } : { words, links: linksIn(text).join(' ') };
}

const notATicket = problem([
  'That link isn’t a ticket address, so I left it out. Copy it from the open ticket; an admin says in the app’s Home tab what such addresses begin with.',
]);

export async function forTicket(links: string, caller: Caller, run: (who: Caller) => Promise<Message>) {
  if (links === '') return run(caller);
  const { workspace } = caller;
  const { ticketPrefixes } = await workspace.settings();
  const ticketUrl = ticketIn(links, ticketPrefixes, workspace.linkHosts);
  if (ticketUrl !== undefined) return run({ ...caller, ticketUrl });
  return after(notATicket, await run(caller));
}
