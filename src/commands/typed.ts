import { z } from 'zod';
import { isWatchPath } from '../cobrowse/watch-link.ts';
import type { Caller } from './caller.ts';

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
  /<(?:mailto:|tel:)([^|<>]+)(?:\|[^<>]*)?>|<(https?:[^|<>]+)(?:\|[^<>]*)?>|<(#)[A-Z0-9]+\|([^<>]*)>|<@([A-Z0-9]+)(?:\|[^<>]*)?>|[“”„‘’‚]|&(?:amp|lt|gt);/gi;

/**
 * What the person typed, out of Slack's escaped forms: links become their address, a mention stays `<@U…>`,
 * smart quotes become straight, marks that nobody sees and quotes around the whole fall away.
 * Source: docs.slack.dev/messaging/formatting-message-text, `should_escape`.
 */
export function unescapeSlack(text: string): string {
  return text
    .replaceAll(
      SLACK_FORM,
      (form, address?: string, link?: string, hash?: string, channel?: string, user?: string) => {
        if (user !== undefined) return `<@${user}>`;
        if (hash !== undefined) return `#${channel}`;
        return entities(address ?? link) ?? STRAIGHT[form.toLowerCase()] ?? form;
      },
    )
    .replaceAll(PASTED_MARKS, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/^(["'`])(.*)\1$/, '$2')
    .trim();
}

function entities(text: string | undefined): string | undefined {
  return text?.replaceAll(/&(?:amp|lt|gt);/gi, (entity) => STRAIGHT[entity.toLowerCase()] ?? entity);
}

const LINK_TO_TYPED = /<(?:mailto:|tel:|https?:\/\/)[^|<>]*\|([^<>]*)>/gi;

/**
 * What the person typed with mentions left in Slack's forms, `<@U…>`, `<#C…|name>`, `<!subteam^S…|@handle>`, and `&amp;`
 * and its like as they came, so that no typed text is taken for a mention: {@link unescapeSlack} is for its parts.
 */
export function plainTyped(text: string): string {
  return text
    .replaceAll(LINK_TO_TYPED, '$1')
    .replaceAll(/[“”„‘’‚]/g, (quote) => STRAIGHT[quote] ?? quote)
    .replaceAll(PASTED_MARKS, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

/** The id in a text that is one mention, `<@U…>`. */
export function mentionedUser(text: string): string | undefined {
  return /^<@([A-Z0-9]+)>$/.exec(text)?.[1];
}

// A domain typed alone comes as a link whose label is what was typed: "acme.com" as <http://acme.com|acme.com>.
export const TYPED_DOMAIN = /<http:\/\/([^|<>]+?)\/?\|\1>/gi;

/** What was typed, however long. */
export const typedText = z.string().transform((text) => unescapeSlack(text.replaceAll(TYPED_DOMAIN, '$1')));

const textUpTo = (longest: number) =>
  typedText.pipe(z.string().max(longest, `That’s too long: the limit is ${longest} characters.`));

/** An argument as typed in Slack; may be empty. */
export const freeText = textUpTo(LONGEST_ARGUMENT);

/** A required argument. @param complaint what to say if it's missing */
export const requiredText = (complaint: string, longest = LONGEST_ARGUMENT) =>
  textUpTo(longest).pipe(z.string().min(1, complaint));

/** Web addresses in a text: with their scheme, or as people type one, with a path or more after the host. */
const LINKS =
  /https?:\/\/[^\s<>"]+|(?<![\w@.:/-])(?:(?:[\w-]+\.)+[a-z]{2,}|\d{1,3}(?:\.\d{1,3}){3}|localhost)(?::\d+)?[/?#][^\s<>"]*/gi;

/** It {@link holdsWatchLink}. */
const REFUSED = 'https://link.invalid/watch/';

const parsed = (link: string): URL | undefined =>
  URL.parse(/^https?:/i.test(link) ? link : `https://${link}`) ?? undefined;

const visitorIn = ({ pathname }: URL): string | undefined => /\/visitors\/([\w-]+)/.exec(pathname)?.[1];

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

export const LONGEST_SEARCH = 200;
/** What remains of a typed #vip if Slack turned it into a channel without saying which. */
const UNNAMED_CHANNEL = /(?<!\S)(?:#|<#\w+>)(?!\S)/;

/** A search as typed, its links without query string and fragment. May be empty. */
export const searchText = typedText
  .transform(withoutLinkSecrets)
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
