import { z } from 'zod';

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
const TYPED_DOMAIN = /<http:\/\/([^|<>]+?)\/?\|\1>/gi;

/** What was typed, however long. */
export const typedText = z.string().transform((text) => unescapeSlack(text.replaceAll(TYPED_DOMAIN, '$1')));

const textUpTo = (longest: number, complaint: string) => typedText.pipe(z.string().max(longest, complaint));

/** An argument as typed in Slack; may be empty. */
export const freeText = textUpTo(LONGEST_ARGUMENT, `Search is limited to ${LONGEST_ARGUMENT} characters.`);

/** A required argument. @param complaint what to say if it's missing */
export const requiredText = (complaint: string, longest = LONGEST_ARGUMENT) =>
  textUpTo(longest, `That’s too long: the limit is ${longest} characters.`).pipe(
    z.string().min(1, complaint),
  );
