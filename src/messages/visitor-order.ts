import type { Visitor } from '../cobrowse/schemas.ts';
import { short } from './text.ts';
import { isWaiting, presenceOf } from './visitor-pieces.ts';

/** Lower case without accents and without what nobody sees, as a service that searches fuzzily compares. */
export const plain = (text: string) =>
  text
    .normalize('NFD')
    .replaceAll(/[\p{Mn}\p{Default_Ignorable_Code_Point}]/gu, '')
    .toLowerCase();
const wordsIn = (text: string) => plain(text).split(/[^\p{L}\p{N}]+/u);

const namesOf = ({ identities, nickname, email }: Visitor) => [...identities, nickname ?? '', email ?? ''];

function isBegun(visitor: Visitor, typed: readonly string[]): boolean {
  const words = namesOf(visitor).flatMap(wordsIn);
  return typed.every((start) => words.some((word) => word.startsWith(start)));
}

export const PRESENCES = ['online', 'unknown', 'offline'] as const;
const rankOf = (visitor: Visitor) => PRESENCES.indexOf(presenceOf(visitor));

/** For a list to watch from: the same order, but nobody before who is online. */
export const onlineFirst = (visitors: readonly Visitor[]): readonly Visitor[] =>
  visitors.toSorted((one, other) => rankOf(one) - rankOf(other));

/** Changes with each page a visitor opens, so it orders only those who are offline. */
const lastSeenOf = ({ is_online: isOnline, last_seen_at: at }: Visitor) =>
  isOnline === true ? 0 : Date.parse(at ?? '') || 0;

/** A name may begin with signs only to stand at the top of everybody's list. */
const startsAsNamesDo = (name: string) => /^[\p{L}\p{N}]/u.test(name);

const compareTexts = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);

/**
 * The order of every list of visitors: who waits for help comes first, then those in whose name or email a word begins
 * with each typed word (who types "jan" means Jane, and not Natarajan), then who is online, by name and those whose name
 * begins with a sign below, then the rest, last seen first. It depends on nothing that changes while somebody turns pages,
 * but for who comes and goes.
 */
export function inOrder(visitors: readonly Visitor[], typed: string): readonly Visitor[] {
  const starts = wordsIn(typed).filter((word) => word !== '');
  const placed = visitors.map((visitor) => {
    // Visitors without a name come last.
    const name = plain(
      namesOf(visitor)
        .map((shown) => short(shown))
        .find((shown) => shown !== '') ?? '\uFFFF',
    );
    return {
      visitor,
      ranks: [
        isWaiting(visitor) ? 0 : 1,
        isBegun(visitor, starts) ? 0 : 1,
        rankOf(visitor),
        -lastSeenOf(visitor),
        startsAsNamesDo(name) ? 0 : 1,
      ],
      name,
    };
  });
  return placed
    .toSorted((one, other) => {
      const difference = one.ranks
        .map((rank, index) => rank - (other.ranks[index] ?? 0))
        .find((by) => by !== 0);
      return (
        difference ??
        (compareTexts(one.name, other.name) || compareTexts(one.visitor.short_id, other.visitor.short_id))
      );
    })
    .map(({ visitor }) => visitor);
}
