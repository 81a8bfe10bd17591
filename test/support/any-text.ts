import fc from 'fast-check';

/*
 * What fast-check has itself, `unit: 'binary'` and `webUrl`, looks each of Unicode's million characters up first: a second
 * of every process.
 */

/** Any character at all, half a pair included: the unit of a string. */
export const anyCharacter = fc.nat({ max: 0x10_ff_ff }).map((code) => String.fromCodePoint(code));

const segment = fc.string({
  unit: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...Array.from("abcXYZ0189-._~!$&'()*+,;=:@")) },
    anyCharacter.map((character) => encodeURIComponent(character.toWellFormed())),
  ),
  maxLength: 12,
});

/** An address of the web, without a query string and a fragment. */
export const webAddress = fc
  .tuple(fc.constantFrom('http', 'https'), fc.webAuthority(), fc.array(segment, { maxLength: 5 }))
  .map(([scheme, host, path]) => [`${scheme}://${host}`, ...path].join('/'));

/** One with both. */
export const longAddress = fc
  .tuple(webAddress, segment, segment)
  .map(([address, query, fragment]) => `${address}?${query}#${fragment}`);
