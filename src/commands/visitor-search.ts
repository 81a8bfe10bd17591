import { z } from 'zod';
import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import { MOST_VISITORS } from '../views/visitor-list.ts';
import { holdsWatchLink, withoutLinkSecrets } from './pasted-links.ts';
import { typedText } from './slack-input.ts';
import { inOrder, plain } from '../views/visitor-order.ts';

const LONGEST = 200;
/** What is left of a typed #vip where Slack made a channel of it and doesn't say which. */
const UNNAMED_CHANNEL = /(?<!\S)(?:#|<#\w+>)(?!\S)/;
const LOOKUP_CODE = /^\d{4}$/;
/** One word, without what marks an email or the search syntax. */
const MAY_BE_ID = /^[^\s@#:]+$/;

type Searchable = Pick<CobrowseClient, 'listVisitors' | 'visitor'>;

/** What somebody looks for, as typed; links without query string and fragment. May be empty. */
export const searchText = typedText
  .transform(withoutLinkSecrets)
  .pipe(z.string().max(LONGEST, `Search is limited to ${LONGEST} characters.`))
  .refine(
    (text) => !UNNAMED_CHANNEL.test(text),
    'Slack took that for a channel. To search for a tag, write tag:vip.',
  );

/** The same where it must be there. @param complaint what to say where it isn't */
export const requiredSearch = (complaint: string) => searchText.pipe(z.string().min(1, complaint));

/** Whether the text must not be searched for, since the service would learn somebody's watch link. */
export const isForbidden = (
  text: string,
  { linkHosts }: { readonly linkHosts: readonly string[] },
): boolean => holdsWatchLink(text, linkHosts);

/** `tag:vip` is `#vip` to the service: Slack may take a typed `#vip` for a channel. */
const inServiceSyntax = (text: string) => text.replaceAll(/(?<!\S)tag:#?(?=[^\s#])/gi, '#');

/** Whether the text is the visitor's name, email, lookup code or id, and not just a part of it. */
export function isNamedBy(visitor: Visitor, text: string): boolean {
  const { short_id, identities, nickname, email, lookup_code, unique_id } = visitor;
  if (text === '') return false;
  if (text === short_id || text === lookup_code) return true;
  if (unique_id !== undefined && text === `id:${unique_id}`) return true;
  const names = identities.length === 0 ? [nickname, email] : [...identities, email];
  return names.some((name) => name !== undefined && plain(name) === plain(text));
}

/** The visitor with that id; undefined where there is none. */
export async function visitorWithId(
  id: string,
  cobrowse: Pick<CobrowseClient, 'visitor'>,
  withHistory = false,
): Promise<Visitor | undefined> {
  try {
    return await cobrowse.visitor(id, { withHistory });
  } catch (error) {
    if (error instanceof CobrowseError && error.kind === 'not-found') return undefined;
    throw error;
  }
}

interface Looking {
  /** An id is more likely than a name, as where a command always took one. */
  readonly idFirst?: boolean;
  /** Whether a visitor who is found by id comes with pageviews. */
  readonly withHistory?: boolean;
}

/**
 * Who is found by a text, in the one order of all lists: at most {@link MOST_VISITORS} and one. Whoever alone has exactly
 * that name, email, lookup code or id is found alone.
 */
export async function searchVisitors(
  text: string,
  cobrowse: Searchable,
  { idFirst = false, withHistory = false }: Looking = {},
): Promise<readonly Visitor[]> {
  const mayBeId = MAY_BE_ID.test(text) && !LOOKUP_CODE.test(text);
  // A name mostly has no digit, and an id mostly has one: so one request is enough in most cases.
  const isLikelyId = mayBeId && (idFirst || /\d/.test(text));
  const known = isLikelyId ? await visitorWithId(text, cobrowse, withHistory) : undefined;
  if (known !== undefined) return [known];
  const search = inServiceSyntax(text);
  const listed = await cobrowse.listVisitors({
    ...(search === '' ? {} : { search }),
    limit: MOST_VISITORS + 1,
  });
  if (listed.length === 0 && MAY_BE_ID.test(text) && !isLikelyId) {
    const last = await visitorWithId(text, cobrowse, withHistory);
    return last === undefined ? [] : [last];
  }
  const named = listed.filter((visitor) => isNamedBy(visitor, text));
  return named.length === 1 ? named : inOrder(listed, text);
}
