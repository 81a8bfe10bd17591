/*
 * Email addresses in what people write. A piece of one may be somebody else's, so each word with an "@" is taken whole, as it's
 * written, or not at all. Source: RFC 5322, "atext", and RFC 6532 for letters of every script; phones type ’ for '.
 */

const ATEXT = String.raw`\p{L}\p{M}\p{N}!#$%&'’*+\/=?^_\x60\{\|\}~\-`;
const LABEL = String.raw`[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}\-]{0,61}[\p{L}\p{M}\p{N}])?`;
const EMAIL = new RegExp(
  String.raw`^(?!\p{M})([${ATEXT}]{1,64}(?:\.[${ATEXT}]{1,64})*)@(?:${LABEL}\.)+(xn--[a-z\d\-]{2,59}|\p{L}[\p{L}\p{M}]{1,62})$`,
  'iu',
);
const LONGEST_EMAIL = 254;
/** Unless Slack says so, only these show where an address begins: before another sign there may be more of a sentence. */
const PLAIN_START = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}.+_'’-]*@/u;

/** What is never part of an address, unless in quotes: then nothing is left before its "@". */
const BETWEEN = /[\s<>＜＞,，;；:：、。"＂[[\p{Ps}\p{Pe}\p{Pi}\p{Pf}]--[\{\}‘’]]]+/v;
/** A word between quotes and Slack's marks, with what a sentence puts behind it. */
const IN_MARKS = /^(['‘’*_~`]*)(.*?)(?:['’]s)?([.!?'‘’*_~`]*)$/u;

const MAILTO = /<mailto:([^|<>]+)(?:\|([^<>]*))?>/gi;
/** As it stands in a page's source, and in links of Slack's rich text. */
const MAILTO_QUERY = /(mailto:[^\s<>"?:|]+)\?[^\s<>"|]*/gi;

/** The address that a link of the kind mailto leads to, without what the letter would say. Source: RFC 6068. */
function mailtoAddress(link: string): string {
  const [address = ''] = link.replaceAll('&amp;', '&').split('?', 1);
  try {
    const decoded = decodeURIComponent(address);
    return EMAIL.test(decoded) ? decoded : address;
  } catch {
    return address;
  }
}

/** The address of a mailto link, and what it's called if that is another one: neither is left out. */
export function linkedTo(link: string, label: string): string {
  const address = mailtoAddress(link);
  if (!label.includes('@') || label.includes(address)) return address;
  return `${address}${EMAIL.test(address) ? ' ' : '|'}${label}`;
}

/** Letters of two scripts may be a word of a sentence and an address, without a space between them. */
const isMixed = (text: string) => /\p{sc=Latin}/u.test(text) && /(?!\p{sc=Latin})\p{L}/u.test(text);

interface Email {
  readonly address: string;
  /** Whether it can't be a piece of a longer one, nor hold more than itself. */
  readonly isWhole: boolean;
}

/** The address in a word; undefined if the word has one that can't be told apart. */
function emailIn(word: string, linked: ReadonlySet<string>): Email | undefined {
  const [, before = '', inside = '', behind = ''] = IN_MARKS.exec(word) ?? [];
  const isWrapped = before !== '' && /[^.!?]/.test(behind);
  const address = isWrapped ? inside : before + inside;
  const [, local = '', domain = ''] = EMAIL.exec(address) ?? [];
  if (local === '' || address.length > LONGEST_EMAIL) return undefined;
  const isPlain = PLAIN_START.test(address) && !isMixed(local) && !isMixed(domain);
  return { address, isWhole: (isPlain || linked.has(address)) && !behind.includes('..') };
}

export interface Emails {
  /** Each once, in order. */
  readonly all: readonly string[];
  /** The only one, where the text has no other word that may be one, and this one is surely whole. */
  readonly only: string | undefined;
  /** Whether there's any, or a word that may be one. */
  readonly hasSome: boolean;
}

/**
 * The addresses in a text without links.
 *
 * @param plain without Slack's forms
 * @param typed the same with them: what Slack itself took for an address
 */
export function emailsIn(plain: string, typed = ''): Emails {
  const linked = new Set(Array.from(typed.matchAll(MAILTO), ([, link = '']) => mailtoAddress(link)));
  const found = plain
    // A form of Slack's that was copied as it stands.
    .replaceAll(MAILTO, (_form, link: string, label = '') => linkedTo(link, label))
    .replaceAll(MAILTO_QUERY, '$1')
    .split(BETWEEN)
    .map((word) => (word.length > 2 * LONGEST_EMAIL ? word : word.normalize('NFKC')))
    .filter((word) => /@[^@]*\.[^@.]/.test(word))
    .map((word) => (word.length > 2 * LONGEST_EMAIL ? undefined : emailIn(word, linked)));
  const each = new Map(found.map((email) => [email?.address.toLowerCase(), email]));
  const [first] = each.values();
  return {
    all: [...each.values()].flatMap((email) => email?.address ?? []),
    only: each.size === 1 && first?.isWhole === true ? first.address : undefined,
    hasSome: each.size > 0,
  };
}
