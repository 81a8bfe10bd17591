import fc from 'fast-check';

/** Any at all, half a pair included: the unit of a string. fast-check's own, `binary`, takes a second to be made. */
export const anyCharacter = fc.nat({ max: 0x10_ff_ff }).map((code) => String.fromCodePoint(code));
