import type { CobrowseClient } from '../cobrowse/client.ts';
import { CobrowseError } from '../cobrowse/errors.ts';
import type { Visitor } from '../cobrowse/schemas.ts';
import { inOrder, plain } from '../messages/visitor-order.ts';
import { MOST_VISITORS } from './visitor-list.ts';

const LOOKUP_CODE = /^\d{4}$/;
/** One word that is neither an email nor search syntax. */
const MAY_BE_ID = /^[^\s@#:]+$/;

type Searchable = Pick<CobrowseClient, 'listVisitors' | 'visitor'>;

/** `tag:vip` is `#vip` to the service: Slack may take a typed `#vip` for a channel. */
const inServiceSyntax = (text: string) => text.replaceAll(/(?<!\S)tag:#?(?=[^\s#])/gi, '#');

/** What to ask the service for. The word `online` or `-online` asks for who is online, or who isn't. */
export function visitorsAskedFor(text: string): { readonly search?: string; readonly online?: boolean } {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const presence = words.find((word) => /^-?online$/i.test(word));
  if (presence === undefined) return text === '' ? {} : { search: inServiceSyntax(text) };
  const search = inServiceSyntax(words.filter((word) => word !== presence).join(' '));
  return { ...(search === '' ? {} : { search }), online: !presence.startsWith('-') };
}

/** Whether the text is the visitor's name, email, lookup code or id, and not just a part of it. */
export function isNamedBy(visitor: Visitor, text: string): boolean {
  const { short_id, identities, nickname, email, lookup_code, unique_id } = visitor;
  if (text === '') return false;
  if (text === short_id || text === lookup_code) return true;
  if (unique_id !== undefined && text === `id:${unique_id}`) return true;
  const names = identities.length === 0 ? [nickname, email] : [...identities, email];
  return names.some((name) => name !== undefined && plain(name) === plain(text));
}

/** The visitor with that id; undefined if there is none. */
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
  /** Whether an id is more likely than a name, as for commands that always took one. */
  readonly idFirst?: boolean;
  /** Whether a visitor who is found by id comes with pageviews. */
  readonly withHistory?: boolean;
}

/**
 * The visitors that a text finds, in the order of all lists: at most {@link MOST_VISITORS} and one. A single exact match of
 * a name, email, lookup code or id is returned alone.
 */
export async function searchVisitors(
  text: string,
  cobrowse: Searchable,
  { idFirst = false, withHistory = false }: Looking = {},
): Promise<readonly Visitor[]> {
  const wanted = visitorsAskedFor(text);
  const mayBeId = wanted.online === undefined && MAY_BE_ID.test(text);
  // Names rarely have digits, and ids mostly do, so one request is usually enough.
  const isLikelyId = mayBeId && !LOOKUP_CODE.test(text) && (idFirst || /\d/.test(text));
  const known = isLikelyId ? await visitorWithId(text, cobrowse, withHistory) : undefined;
  if (known !== undefined) return [known];
  const listed = await cobrowse.listVisitors({ ...wanted, limit: MOST_VISITORS + 1 });
  if (listed.length === 0 && mayBeId && !isLikelyId) {
    const last = await visitorWithId(text, cobrowse, withHistory);
    return last === undefined ? [] : [last];
  }
  const named = listed.filter((visitor) => isNamedBy(visitor, text));
  return named.length === 1 ? named : inOrder(listed, text);
}
