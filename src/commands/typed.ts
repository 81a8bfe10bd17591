import { z } from 'zod';
import { isWatchPath } from '../cobrowse/watch-link.ts';
import type { Caller } from './rights.ts';

/*
 * A piece of an email address may be somebody else's, so each word with an "@" is taken whole or not at all.
 * Source: RFC 5322, "atext", and RFC 6532 for letters of every script; phones type ’ for '.
 */

const ATEXT = String.raw`\p{L}\p{M}\p{N}!#$%&'’*+\/=?^_\x60\{\|\}~\-`;
const LABEL = String.raw`[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}\-]{0,61}[\p{L}\p{M}\p{N}])?`;
const EMAIL = new RegExp(
  String.raw`^(?!\p{M})([${ATEXT}]{1,64}(?:\.[${ATEXT}]{1,64})*)@(?:${LABEL}\.)+(xn--[a-z\d\-]{2,59}|\p{L}[\p{L}\p{M}]{1,62})$`,
  'iu',
);
const LONGEST_EMAIL = 254;
/** An address surely begins here; before other signs there may be more of a sentence. */
const PLAIN_START = /^[\p{L}\p{N}][\p{L}\p{M}\p{N}.+_'’-]*@/u;

/** Never part of an address, unless in quotes: then nothing is left before its "@". */
const BETWEEN = /[\s<>＜＞,，;；:：、。"＂[[\p{Ps}\p{Pe}\p{Pi}\p{Pf}]--[\{\}‘’]]]+/v;
/** A word between quotes and Slack's marks, with what a sentence puts behind it. */
const IN_MARKS = /^(['‘’*_~`]*)(.*?)(?:['’]s)?([.!?'‘’*_~`]*)$/u;

const MAILTO = /<mailto:([^|<>]+)(?:\|([^<>]*))?>/gi;
/** As it stands in a page's source, and in links of Slack's rich text. */
const MAILTO_QUERY = /(mailto:[^\s<>"?:|]+)\?[^\s<>"|]*/gi;

/** The address alone, without the letter's subject and text. Source: RFC 6068. */
function mailtoAddress(link: string): string {
  const [address = ''] = link.replaceAll('&amp;', '&').split('?', 1);
  try {
    const decoded = decodeURIComponent(address);
    return EMAIL.test(decoded) ? decoded : address;
  } catch {
    return address;
  }
}

function linkedTo(link: string, label: string): string {
  const address = mailtoAddress(link);
  if (!label.includes('@') || label.includes(address)) return address;
  return `${address}${EMAIL.test(address) ? ' ' : '|'}${label}`;
}

/** Letters of two scripts may be a word of a sentence and an address, without a space between them. */
const isMixed = (text: string) => /\p{sc=Latin}/u.test(text) && /(?!\p{sc=Latin})\p{L}/u.test(text);

/** Undefined if the word has one that can't be told apart; `isWhole` if it's surely neither a piece of a longer one nor several. */
function emailIn(word: string, linked: ReadonlySet<string>) {
  const [, before = '', inside = '', behind = ''] = IN_MARKS.exec(word) ?? [];
  const isWrapped = before !== '' && /[^.!?]/.test(behind);
  const address = isWrapped ? inside : before + inside;
  const [, local = '', domain = ''] = EMAIL.exec(address) ?? [];
  if (local === '' || address.length > LONGEST_EMAIL) return undefined;
  const isPlain = PLAIN_START.test(address) && !isMixed(local) && !isMixed(domain);
  return { address, isWhole: (isPlain || linked.has(address)) && !behind.includes('..') };
}

/** @param plain without links and Slack's forms  @param typed with Slack's forms: what Slack itself took for an address */
export function emailsIn(plain: string, typed = '') {
  const linked = new Set(Array.from(typed.matchAll(MAILTO), ([, link = '']) => mailtoAddress(link)));
  const found = plain
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
    /** The only one, surely whole, in a text without doubtful words. */
    only: each.size === 1 && first?.isWhole === true ? first.address : undefined,
    /** Doubtful ones included. */
    hasSome: each.size > 0,
  };
}

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

// Pasted from emails, web pages and terminals: invisible, and no search finds anything with them. White space becomes
// spaces instead; joiners and variation selectors are part of words and emoji.
const PASTED_MARKS = /(?!\s|\p{Join_Control}|\uFE0E|\uFE0F)[\p{Default_Ignorable_Code_Point}\u2800\p{Cc}]/gu;

// One pass over all forms: a typed "&lt;@U1&gt;" must not become a mention.
const SLACK_FORM =
  /<mailto:([^|<>]+)(?:\|([^<>]*))?>|<(?:tel:([^|<>]+)|(https?:[^|<>]+))(?:\|[^<>]*)?>|<#[A-Z0-9]+\|([^<>]*)>|<@([A-Z0-9]+)(?:\|[^<>]*)?>|[“”„]|&(?:amp|lt|gt);/gi;

/**
 * What the person typed, out of Slack's escaped forms: links become their address, a mention stays `<@U…>`. Double quotes become
 * straight, letters of several characters one; invisible marks, and quotes and asterisks around the whole, go. Apostrophes stay:
 * names are found by theirs. Source: docs.slack.dev/messaging/formatting-message-text, `should_escape`.
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
 * As typed, but with mentions and `&amp;` left in Slack's forms, so that no typed text is taken for a mention:
 * {@link unescapeSlack} is for its parts.
 */
export const plainTyped = (text: string): string =>
  text
    .replaceAll(LINK_TO_TYPED, '$1')
    .replaceAll(/[“”„‘’‚]/g, (quote) => STRAIGHT[quote] ?? quote)
    .replaceAll(PASTED_MARKS, '')
    .replaceAll(/\s+/g, ' ')
    .trim();

export const mentionedUser = (text: string): string | undefined => /^<@([A-Z0-9]+)>$/.exec(text)?.[1];

// A domain typed alone comes as <http://acme.com|acme.com>.
export const TYPED_DOMAIN = /<http:\/\/([^|<>]+?)\/?\|\1>/gi;

const plainOf = (typed: string) => unescapeSlack(typed.replaceAll(TYPED_DOMAIN, '$1'));

export const typedText = z.string().transform(plainOf);

export const nothing = (hint: string) =>
  typedText.transform((text, context) => {
    if (text !== '') context.addIssue(`I didn’t understand “${text.slice(0, 60)}”. ${hint}`);
  });

export const requiredText = (complaint: string, longest = 200) =>
  typedText.pipe(
    z.string().min(1, complaint).max(longest, `That’s too long: the limit is ${longest} characters.`),
  );

/** Web addresses: with their scheme, or with a path or more after the host. */
const LINKS =
  /https?:\/\/[^\s<>"]+|(?<![\w@.:/-])(?:(?:[\w-]+\.)+[a-z]{2,}|\d{1,3}(?:\.\d{1,3}){3}|localhost)(?::\d+)?[/?#][^\s<>"]*/gi;

const parsed = (link: string) => URL.parse(/^https?:/i.test(link) ? link : `https://${link}`);

/** A whole segment, since a piece of an id may be another one. */
const visitorIn = ({ pathname }: URL): string | undefined =>
  /\/visitors\/([\w.~+-]+)(?:\/|$)/.exec(pathname)?.[1];

/**
 * The id if the link leads to a visitor's page, else its address without query string and fragment, which may hold secrets.
 * Undefined for what looks like a watch link, which must not be passed on.
 */
export function clueIn(link: string): string | undefined {
  const url = parsed(link);
  if (url === null || isWatchPath(url)) return undefined;
  return visitorIn(url) ?? url.host + url.pathname.replace(/\/$/, '');
}

/**
 * Whether a text may contain a watch link or a Watch button's address: by its path, or because it leads to one of their hosts and
 * not to a visitor's page.
 *
 * @param hosts as URLs spell them; without a port, every port
 */
export function holdsWatchLink(text: string, hosts: readonly string[]): boolean {
  return Array.from(text.matchAll(LINKS), ([link]) => parsed(link)).some((url) => {
    if (url === null) return false;
    const isTheirs = hosts.includes(url.host) || hosts.includes(url.hostname);
    return isWatchPath(url) || (isTheirs && url.pathname !== '/' && visitorIn(url) === undefined);
  });
}

const BEHIND = new Set(').,:;!?]}*\'"’`');

export function linkAlone(link: string): string {
  let end = link.length;
  while (end > 0 && BEHIND.has(link.charAt(end - 1))) end -= 1;
  return link.slice(0, end);
}

export const withoutLinks = (text: string): string => text.replaceAll(LINKS, ' · ');

/** Each link becomes its {@link clueIn}; one that looks like a watch link keeps enough to be refused. */
export const withoutLinkSecrets = (text: string): string =>
  text.replaceAll(LINKS, (link) => clueIn(linkAlone(link)) ?? 'https://link.invalid/watch/');

/** The service's own syntax: who is online, a tag, an address, an id. */
const SEARCH_SYNTAX = /(?<!\S)(?:-?online(?!\S)|#(?=\D)|(?:tag|ip|id|integration_id|external):)/i;
const FOUR_DIGITS = /^([^\d]*?)(\d(?: ?\d){3})([^\d]*)$/;

/** The lookup code of a text with no other digits, but for signs, or words that call it a code. */
function codeIn(plain: string): string | undefined {
  const [, before = '', digits, behind = ''] = FOUR_DIGITS.exec(plain.normalize('NFKC')) ?? [];
  if (digits === undefined || /[\p{L}\p{M}_]$/u.test(before) || /^[\p{L}\p{M}_]/u.test(behind))
    return undefined;
  const words = before + behind;
  const isCalledCode = /\p{L}/u.test(words) && /code/i.test(words);
  return isCalledCode || /^[\s#*_~"'`().,;:!?<>[\]]*$/.test(words) ? digits.replaceAll(' ', '') : undefined;
}

/**
 * What to search for, in Slack's escaped form or as typed into a form: the only email or lookup code, otherwise the whole, its
 * links without query string and fragment.
 */
export function asked(typed: string): string {
  const text = withoutLinkSecrets(plainOf(typed));
  if (SEARCH_SYNTAX.test(text) || withoutLinks(text) !== text) return text;
  return emailsIn(text, typed).only ?? codeIn(text) ?? text;
}

const LONGEST_SEARCH = 200;
/** A typed #vip that Slack turned into a channel without saying which. */
const UNNAMED_CHANNEL = /(?<!\S)(?:#|<#\w+>)(?!\S)/;

export const searchText = z
  .string()
  .transform(asked)
  .pipe(z.string().max(LONGEST_SEARCH, `Search is limited to ${LONGEST_SEARCH} characters.`))
  .refine(
    (text) => !UNNAMED_CHANNEL.test(text),
    'Slack took that for a channel. To search for a tag, write tag:vip.',
  );

export const requiredSearch = (complaint: string) => searchText.pipe(z.string().min(1, complaint));

/** Searching for it would send someone's watch link to the service. */
export const isForbidden = (text: string, { workspace }: Pick<Caller, 'workspace'>): boolean =>
  holdsWatchLink(text, workspace.linkHosts);
