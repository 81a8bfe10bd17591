import type { Visitor } from '../cobrowse/schemas.ts';
import type { RecordLink } from '../messages/visitor-pieces.ts';
import { holdsWatchLink } from './typed.ts';

/* Templates of links to customers' records: a name, and an https address with `{id}`, `{unique_id}` or `{email}`. */

const LONGEST_NAME = 40;
/** Slack's limit for the address of a button. */
const LONGEST_URL = 3_000;

/** "Acme CRM https://crm.acme.com/contacts/{unique_id}", with or without an arrow between the two. */
const TYPED = /^(\S.*?)(?:\s*(?:→|->|[:|]))?\s+(https:\/\/\S+)$/i;
/** Only the scheme stands before the host, and the host has no placeholder. */
const ADDRESS = /^https:\/\/[^\s/?#\\@{}]+(?:[/?#][^\s\\<>"]*)?$/i;
const PLACEHOLDER = /\{(\w*)\}/g;
const NAMES = new Set(['id', 'unique_id', 'email']);

const namesIn = (address: string) => Array.from(address.matchAll(PLACEHOLDER), ([, name = '']) => name);

const filled = (address: string, valueOf: (name: string) => string): string =>
  address.replaceAll(PLACEHOLDER, (_all, name: string) => encodeURIComponent(valueOf(name).toWellFormed()));

/** A line as typed or as kept; undefined if it's no template. */
function readTemplate(line: string) {
  const [, name = '', address = ''] = TYPED.exec(line) ?? [];
  const names = namesIn(address);
  const isKnown = names.length > 0 && names.every((one) => NAMES.has(one));
  const isAddress = ADDRESS.test(address) && !/[{}]/.test(address.replaceAll(PLACEHOLDER, ''));
  const fits = name.length <= LONGEST_NAME && !/\p{C}/u.test(line);
  const leadsThere = URL.canParse(filled(address, () => 'x'));
  return isKnown && isAddress && fits && leadsThere ? { name, address } : undefined;
}

/** A line as it's kept; undefined if it's no template. */
export function recordTemplate(typed: string): string | undefined {
  const template = readTemplate(typed);
  return template === undefined ? undefined : `${template.name} ${template.address}`;
}

export const exampleOf = (line: string): string => filled(readTemplate(line)?.address ?? '', () => '1');

/**
 * The links whose values are all known. None that may be a watch link, and none that a value leads elsewhere: a path of dots,
 * or an address that would be cut.
 *
 * @param readers whether only one person reads it: an email in a link ends up in histories and in the logs of others
 */
export function recordLinks(
  lines: readonly string[],
  { short_id: id, unique_id, email }: Visitor,
  hosts: readonly string[],
  readers: 'one' | 'channel',
): readonly RecordLink[] {
  const values = new Map(Object.entries({ id, unique_id, email: readers === 'one' ? email : undefined }));
  const valueOf = (name: string) => (values.get(name) ?? '').trim();
  return lines
    .flatMap((line) => readTemplate(line) ?? [])
    .filter(({ address }) => namesIn(address).every((name) => !/^\.{0,2}$/.test(valueOf(name))))
    .map(({ name, address }) => ({ name, url: filled(address, valueOf) }))
    .filter(({ url }) => url.length <= LONGEST_URL && !holdsWatchLink(url, hosts));
}
