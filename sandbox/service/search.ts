import type { Visitor } from './visitor.ts';

/** Every visitor that matches all words of the search text, in the given order. */
export function searchVisitors(visitors: readonly Visitor[], search: string): readonly Visitor[] {
  const words = search.trim().split(/\s+/u).filter(Boolean);
  return visitors.filter((visitor) => words.every((word) => fits(visitor, word)));
}

// The exact forms of the search text come first; any other word is fuzzy.
function fits(visitor: Visitor, word: string): boolean {
  const { email, identities, integration, ip_address, lookup_code, tags, unique_id } = visitor.fields;
  if (word === 'online') return visitor.isOnline;
  if (word === '-online') return !visitor.isOnline;
  if (word.startsWith('ip:')) return ip_address === word.slice('ip:'.length);
  if (word.startsWith('id:')) return unique_id === word.slice('id:'.length);
  if (word.startsWith('integration_id:')) {
    return integration !== null && word === `integration_id:${integration}:${visitor.integrationId}`;
  }
  if (/^#./u.test(word)) return tags.some((tag) => plain(tag) === plain(word.slice(1)));
  if (/^\d{4}$/u.test(word)) return lookup_code === word;
  if (/^[^@\s]+@[^@\s]+\.[^@\s]+$/u.test(word)) {
    return [email, ...(identities ?? [])].some((known) => known !== null && plain(known) === plain(word));
  }
  return fitsFuzzily(visitor, plain(word));
}

function fitsFuzzily(visitor: Visitor, word: string): boolean {
  const { fields } = visitor;
  const known = [
    ...(fields.identities ?? []),
    ...fields.tags,
    fields.email,
    fields.nickname,
    fields.short_id,
    fields.location_city,
    fields.location_country_name,
    fields.browser_name,
    fields.device_name,
    visitor.lastUrl,
  ];
  return known.some((value) => {
    if (value === null) return false;
    const text = plain(value);
    return text.includes(word) || text.split(/[^\p{L}\p{N}]+/u).some((part) => almostEqual(part, word));
  });
}

/** Lower case without accents. */
function plain(value: string): string {
  return value
    .normalize('NFD')
    .replaceAll(/\p{Mn}/gu, '')
    .toLowerCase();
}

// Forgives one wrong, missing, added or swapped letter in words of four letters and more.
function almostEqual(one: string, other: string): boolean {
  if (Math.min(one.length, other.length) < 4 || Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  const [first, second] = [one.slice(start), other.slice(start)];
  const swapped = `${second[1] ?? ''}${second[0] ?? ''}${second.slice(2)}`;
  return (
    first.slice(1) === second.slice(1) ||
    first.slice(1) === second ||
    first === second.slice(1) ||
    first === swapped
  );
}
