import type { CobrowseClient } from '../cobrowse/client.ts';
import { ifFound } from '../cobrowse/errors.ts';
import { VisitorSchema, type Visitor } from '../cobrowse/schemas.ts';
import { cutLike, type Visitors } from '../cobrowse/visitor-list.ts';
import { isForbidden, searchText } from '../commands/typed.ts';
import type { Recording } from '../audit/recording.ts';
import type { Caller } from '../commands/rights.ts';
import { given, short } from '../messages/text.ts';
import { isWaiting, presenceOf, PRESENCES } from '../messages/visitor-pieces.ts';

/** The service has no paging: each page asks for all visitors up to this number plus one, to sort them. */
export const MOST_VISITORS = 100;

const LOOKUP_CODE = /^\d{4}$/;
/** One word that is neither an email nor search syntax. */
const MAY_BE_ID = /^[^\s@#:]+$/;

type Searchable = Pick<CobrowseClient, 'listVisitors' | 'visitor'>;

/** `tag:vip` is `#vip` to the service: Slack may take a typed `#vip` for a channel. */
const inServiceSyntax = (text: string) => text.replaceAll(/(?<!\S)tag:#?(?=[^\s#])/gi, '#');

/** The word `online` or `-online` asks for who is online, or who isn't. */
function visitorsAskedFor(text: string): { readonly search?: string; readonly online?: boolean } {
  const words = text.split(/\s+/).filter((word) => word !== '');
  const presence = words.find((word) => /^-?online$/i.test(word));
  if (presence === undefined) return text === '' ? {} : { search: inServiceSyntax(text) };
  const search = inServiceSyntax(words.filter((word) => word !== presence).join(' '));
  return { ...(search === '' ? {} : { search }), online: !presence.startsWith('-') };
}

/** Phones and web pages write the apostrophe of a name in their own way. */
const APOSTROPHES = /['‘’ʼ´`]/g;

/** As it's typed, and if that finds nobody, with the other apostrophe. */
export async function listedFor(
  text: string,
  limit: number,
  { listVisitors }: Pick<CobrowseClient, 'listVisitors'>,
): Promise<Visitors> {
  const spellings = ["'", '’'].map((apostrophe) => text.replaceAll(APOSTROPHES, apostrophe));
  for (const spelling of new Set([text, ...spellings])) {
    const found = await listVisitors({ ...visitorsAskedFor(spelling), limit });
    if (found.length > 0 || found.cutAtMiB !== undefined) return found;
  }
  return [];
}

/** Not just a part of the visitor's name, email, lookup code or id. */
export function isNamedBy(visitor: Visitor, text: string): boolean {
  const { short_id, identities, nickname, email, lookup_code, unique_id } = visitor;
  if (text === '') return false;
  if (text === short_id || text === lookup_code) return true;
  if (unique_id !== undefined && text === `id:${unique_id}`) return true;
  const names = identities.length === 0 ? [nickname, email] : [...identities, email];
  return names.some((name) => name !== undefined && plain(name) === plain(text));
}

export interface Looking {
  /** An id is more likely than a name, as for commands that always took one. */
  readonly idFirst?: boolean;
  readonly withHistory?: boolean;
}

/** At most {@link MOST_VISITORS} and one, in the order of all lists: recent ones for no text, a single exact match alone. */
export async function searchVisitors(
  text: string,
  cobrowse: Searchable,
  { idFirst = false, withHistory = false }: Looking = {},
): Promise<Visitors> {
  const mayBeId = visitorsAskedFor(text).online === undefined && MAY_BE_ID.test(text);
  // Names rarely have digits, and ids mostly do, so one request is usually enough.
  const isLikelyId = mayBeId && !LOOKUP_CODE.test(text) && (idFirst || /\d/.test(text));
  const withId = async () => given([await cobrowse.visitor(text, { withHistory }).catch(ifFound)]);
  const known = isLikelyId ? await withId() : [];
  if (known.length > 0) return known;
  const listed = await listedFor(text, MOST_VISITORS + 1, cobrowse);
  if (listed.length === 0 && mayBeId && !isLikelyId) return withId();
  const named = listed.filter((visitor) => isNamedBy(visitor, text));
  // Somebody of the same name may be in what wasn't read.
  return named.length === 1 && listed.cutAtMiB === undefined ? named : cutLike(inOrder(listed, text), listed);
}

/** Only what someone who knows the id knows already, and whether the visitor is here or in a session. */
export const byIdAlone = ({ short_id, is_online, is_in_session, sessions }: Visitor): Visitor =>
  VisitorSchema.parse({ short_id, is_online, is_in_session, sessions });

/** Lower case without accents and what nobody sees, as a service that searches fuzzily compares. */
const plain = (text: string) =>
  text
    .normalize('NFD')
    .replaceAll(/[\p{Mn}\p{Default_Ignorable_Code_Point}]/gu, '')
    .replaceAll(APOSTROPHES, "'")
    .toLowerCase();
const wordsIn = (text: string) => plain(text).split(/[^\p{L}\p{N}]+/u);

const namesOf = ({ identities, nickname, email }: Visitor) => [...identities, nickname ?? '', email ?? ''];

function isBegun(visitor: Visitor, typed: readonly string[]): boolean {
  const words = namesOf(visitor).flatMap(wordsIn);
  return typed.every((start) => words.some((word) => word.startsWith(start)));
}

const rankOf = (visitor: Visitor) => PRESENCES.indexOf(presenceOf(visitor));

/** The same order, but nobody before who is online. */
export const onlineFirst = (visitors: readonly Visitor[]): readonly Visitor[] =>
  visitors.toSorted((one, other) => rankOf(one) - rankOf(other));

/** Changes with each page a visitor opens, so it orders only those who are offline. */
const lastSeenOf = ({ is_online: isOnline, last_seen_at: at }: Visitor) =>
  isOnline === true ? 0 : Date.parse(at ?? '') || 0;

/** A name may begin with signs only to stand at the top of everybody's list. */
const startsAsNamesDo = (name: string) => /^[\p{L}\p{N}]/u.test(name);

function compareKeys(one: readonly (string | number)[], other: readonly (string | number)[]): number {
  const at = one.findIndex((value, index) => value !== other[index]);
  return at === -1 ? 0 : (one[at] ?? '') < (other[at] ?? '') ? -1 : 1;
}

/**
 * Who waits for help, then those in whose name or email a word begins with each typed word ("jan" means Jane, not Natarajan),
 * then who is online, by name and those whose name begins with a sign below, then the rest, last seen first. Depends on
 * nothing that changes while somebody turns pages, but for who comes and goes.
 */
export function inOrder(visitors: readonly Visitor[], typed: string): readonly Visitor[] {
  const starts = wordsIn(typed).filter((word) => word !== '');
  const keyOf = (visitor: Visitor) => {
    const shown = namesOf(visitor).map((one) => short(one));
    // Visitors without a name come last.
    const name = plain(shown.find((one) => one !== '') ?? '\uFFFF');
    return [
      isWaiting(visitor) ? 0 : 1,
      isBegun(visitor, starts) ? 0 : 1,
      rankOf(visitor),
      -lastSeenOf(visitor),
      startsAsNamesDo(name) ? 0 : 1,
      name,
      visitor.short_id,
    ];
  };
  return visitors
    .map((visitor) => ({ visitor, key: keyOf(visitor) }))
    .toSorted((one, other) => compareKeys(one.key, other.key))
    .map(({ visitor }) => visitor);
}

const MOST_CUSTOMERS = 10;
/** A longer id fits into no button. */
const LONGEST_ID = 64;

/** The ids of those that the rest of a filter names; a string is why nobody can be meant. */
export const createCustomersNamed =
  (recording: Pick<Recording, 'search'>) =>
  async (rest: string, caller: Caller): Promise<readonly string[] | string> => {
    if (rest === '') return [];
    const quoted = `“${rest.slice(0, 60)}”`;
    if (isForbidden(rest, caller)) return 'That looks like a watch link, so I didn’t search for it.';
    const { data: query, error } = searchText.safeParse(rest);
    if (query === undefined) return error.issues[0]?.message ?? `I didn’t understand ${quoted}.`;
    const search = () => searchVisitors(query, caller.workspace.cobrowse);
    const found = await recording.search(caller, query, search);
    const ids = found.map(({ short_id: id }) => id).filter((id) => id.length <= LONGEST_ID);
    if (ids.length === 0) return `I didn’t understand ${quoted}. No customer is called that, either.`;
    return ids.length > MOST_CUSTOMERS
      ? `More than ${MOST_CUSTOMERS} customers fit ${quoted}. Type more of the name, or an email.`
      : ids;
  };
