import { z } from 'zod';
import { isWatchPath } from '../cobrowse/watch-link.ts';
import type { Caller } from './rights.ts';

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
function linkedTo(link: string, label: string): string {
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

const LONGEST_ARGUMENT = 200;

const STRAIGHT: Readonly<Record<string, string>> = {
  '“': '"',
  '”': '"',
  '„': '"',
  '‘': "'",
  '’': "'",
  '‚': "'",
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
};

// Pasted along from emails, web pages and terminals: invisible, and no search finds anything with them. Line breaks and
// tabs separate words, so they become spaces instead; joiners and variation selectors are part of words and emoji.
const PASTED_MARKS = /(?!\s|\p{Join_Control}|\uFE0E|\uFE0F)[\p{Default_Ignorable_Code_Point}\u2800\p{Cc}]/gu;

// One pass over all forms, so that the result of one is never read as another: a typed "&lt;@U1&gt;" isn't a mention.
const SLACK_FORM =
  /<mailto:([^|<>]+)(?:\|([^<>]*))?>|<(?:tel:([^|<>]+)|(https?:[^|<>]+))(?:\|[^<>]*)?>|<#[A-Z0-9]+\|([^<>]*)>|<@([A-Z0-9]+)(?:\|[^<>]*)?>|[“”„]|&(?:amp|lt|gt);/gi;

/**
 * What the person typed, out of Slack's escaped forms: links become their address, a mention stays `<@U…>`, double
 * quotes become straight, letters made of several characters one, and marks that nobody sees fall away, as do quotes and
 * asterisks around the whole. Apostrophes stay as they are: names are found by theirs.
 * Source: docs.slack.dev/messaging/formatting-message-text, `should_escape`.
 */
export function unescapeSlack(text: string): string {
  return text
    .replaceAll(
      SLACK_FORM,
      (form, ...[mail, label = '', tel, link = tel, channel, user]: readonly (string | undefined)[]) => {
        if (user !== undefined) return `<@${user}>`;
        if (channel !== undefined) return `#${channel}`;
        if (mail !== undefined) return linkedTo(entities(mail), entities(label));
        return link === undefined ? (STRAIGHT[form.toLowerCase()] ?? form) : entities(link);
      },
    )
    .replaceAll(PASTED_MARKS, '')
    .normalize('NFC')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/^(?:(["'`*])(.*)\1|[‘‚](.*)[’‘])$/, '$2$3')
    .trim();
}

const entities = (text: string): string =>
  text.replaceAll(/&(?:amp|lt|gt);/gi, (entity) => STRAIGHT[entity.toLowerCase()] ?? entity);

const LINK_TO_TYPED = /<(?:mailto:|tel:|https?:\/\/)[^|<>]*\|([^<>]*)>/gi;

/**
 * What the person typed with mentions left in Slack's forms, `<@U…>`, `<#C…|name>`, `<!subteam^S…|@handle>`, and `&amp;`
 * and its like as they came, so that no typed text is taken for a mention: {@link unescapeSlack} is for its parts.
 */
export const plainTyped = (text: string): string =>
  text
    .replaceAll(LINK_TO_TYPED, '$1')
    .replaceAll(/[“”„‘’‚]/g, (quote) => STRAIGHT[quote] ?? quote)
    .replaceAll(PASTED_MARKS, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** The id in a text that is one mention, `<@U…>`. */
export const mentionedUser = (text: string): string | undefined => /^<@([A-Z0-9]+)>$/.exec(text)?.[1];

// A domain typed alone comes as a link whose label is what was typed: "acme.com" as <http://acme.com|acme.com>.
export const TYPED_DOMAIN = /<http:\/\/([^|<>]+?)\/?\|\1>/gi;

/** What was typed, out of Slack's forms. */
const plainOf = (typed: string) => unescapeSlack(typed.replaceAll(TYPED_DOMAIN, '$1'));

/** What was typed, however long. */
export const typedText = z.string().transform(plainOf);

/** For a command that takes nothing more. @param hint what it does without */
export const nothing = (hint: string) =>
  typedText.transform((text, context) => {
    if (text !== '') context.addIssue(`I didn’t understand “${text.slice(0, 60)}”. ${hint}`);
  });

/** A required argument. @param complaint what to say if it's missing */
export const requiredText = (complaint: string, longest = LONGEST_ARGUMENT) =>
  typedText.pipe(
    z.string().min(1, complaint).max(longest, `That’s too long: the limit is ${longest} characters.`),
  );

/** Web addresses in a text: with their scheme, or as people type one, with a path or more after the host. */
const LINKS =
  /https?:\/\/[^\s<>"]+|(?<![\w@.:/-])(?:(?:[\w-]+\.)+[a-z]{2,}|\d{1,3}(?:\.\d{1,3}){3}|localhost)(?::\d+)?[/?#][^\s<>"]*/gi;

/** It {@link holdsWatchLink}. */
const REFUSED = 'https://link.invalid/watch/';

const parsed = (link: string) => URL.parse(/^https?:/i.test(link) ? link : `https://${link}`);

/** The whole part of the path, since a piece of an id may be another one. */
const visitorIn = ({ pathname }: URL): string | undefined =>
  /\/visitors\/([\w.~+-]+)(?:\/|$)/.exec(pathname)?.[1];

/**
 * What a link says about a visitor: the id if it leads to a visitor's page, else its address without query string and
 * fragment, which may contain secrets. Undefined for what looks like a watch link, which must not be passed on.
 */
export function clueIn(link: string): string | undefined {
  const url = parsed(link);
  if (url === null || isWatchPath(url)) return undefined;
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
    if (url === null) return false;
    const isTheirs = hosts.includes(url.host) || hosts.includes(url.hostname);
    return isWatchPath(url) || (isTheirs && url.pathname !== '/' && visitorIn(url) === undefined);
  });
}

/** What a sentence puts behind a link. */
const BEHIND = new Set(').,:;!?]}*\'"’`');

/** A link without what a sentence puts behind it. */
export function linkAlone(link: string): string {
  let end = link.length;
  while (end > 0 && BEHIND.has(link.charAt(end - 1))) end -= 1;
  return link.slice(0, end);
}

export const withoutLinks = (text: string): string => text.replaceAll(LINKS, ' · ');

/** The text with each link as {@link clueIn} returns it; of what looks like a watch link it keeps enough to refuse it. */
export const withoutLinkSecrets = (text: string): string =>
  text.replaceAll(LINKS, (link) => clueIn(linkAlone(link)) ?? REFUSED);

/** What the service reads in its own way: who is online, a tag, an address, an id. */
const SEARCH_SYNTAX = /(?<!\S)(?:-?online(?!\S)|#(?=\D)|(?:tag|ip|id|integration_id|external):)/i;
/** Four digits, together or apart, and no others. */
const FOUR_DIGITS = /^([^\d]*?)(\d(?: ?\d){3})([^\d]*)$/;

/** The lookup code in a text that has its digits and nothing else, but for signs, or words that call it a code. */
function codeIn(plain: string): string | undefined {
  const [, before = '', digits, behind = ''] = FOUR_DIGITS.exec(plain.normalize('NFKC')) ?? [];
  if (digits === undefined || /[\p{L}\p{M}_]$/u.test(before) || /^[\p{L}\p{M}_]/u.test(behind))
    return undefined;
  const words = before + behind;
  const isCalledCode = /\p{L}/u.test(words) && /code/i.test(words);
  return isCalledCode || /^[\s#*_~"'`().,;:!?<>[\]]*$/.test(words) ? digits.replaceAll(' ', '') : undefined;
}

/**
 * What is asked for by what somebody typed or pasted, in Slack's escaped form or as it's typed into a form: the one email
 * or the lookup code in it, and otherwise the whole, its links without query string and fragment.
 */
export function asked(typed: string): string {
  const text = withoutLinkSecrets(plainOf(typed));
  if (SEARCH_SYNTAX.test(text) || withoutLinks(text) !== text) return text;
  return emailsIn(text, typed).only ?? codeIn(text) ?? text;
}

export const LONGEST_SEARCH = 200;
/** What remains of a typed #vip if Slack turned it into a channel without saying which. */
const UNNAMED_CHANNEL = /(?<!\S)(?:#|<#\w+>)(?!\S)/;

/** A search as typed, as {@link asked} reads it. May be empty. */
export const searchText = z
  .string()
  .transform(asked)
  .pipe(z.string().max(LONGEST_SEARCH, `Search is limited to ${LONGEST_SEARCH} characters.`))
  .refine(
    (text) => !UNNAMED_CHANNEL.test(text),
    'Slack took that for a channel. To search for a tag, write tag:vip.',
  );

/** The same, but not empty. @param complaint what to say if it is */
export const requiredSearch = (complaint: string) => searchText.pipe(z.string().min(1, complaint));

/** Whether the text must not be searched for, since that would send someone's watch link to the service. */
export const isForbidden = (text: string, { workspace }: Pick<Caller, 'workspace'>): boolean =>
  holdsWatchLink(text, workspace.linkHosts);
