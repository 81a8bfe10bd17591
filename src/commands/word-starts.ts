import type { Visitor } from '../cobrowse/schemas.ts';

/** Lower case without accents, as a service that searches fuzzily compares. */
const plain = (text: string) =>
  text
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase();
const wordsIn = (text: string) => plain(text).split(/[^\p{L}\p{N}]+/u);

function isBegun({ identities, nickname, email }: Visitor, typed: readonly string[]): boolean {
  const words = [...identities, nickname ?? '', email ?? ''].flatMap(wordsIn);
  return typed.every((start) => words.some((word) => word.startsWith(start)));
}

/**
 * Those first in whose name or email a word begins with each typed word: who types "jan" means Jane, and not
 * Natarajan. Otherwise in the order given.
 */
export function wordStartsFirst(visitors: readonly Visitor[], typed: string): readonly Visitor[] {
  const starts = wordsIn(typed).filter((word) => word !== '');
  const begun = new Set(visitors.filter((visitor) => isBegun(visitor, starts)));
  return [...begun, ...visitors.filter((visitor) => !begun.has(visitor))];
}
