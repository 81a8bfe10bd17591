/** Numbers that only look like chance: the same seed and name give the same ones. */
export interface Chance {
  /** From 0 below 1. */
  readonly next: () => number;
  /** Whether it happens, with a probability from 0 to 1. */
  readonly happens: (probability: number) => boolean;
  /** A whole number from `least` to `most`. */
  readonly whole: (least: number, most: number) => number;
  /** One of them. @throws where there is none */
  readonly pick: <T>(all: readonly T[]) => T;
}

/** Mulberry32 over a hash (FNV-1a) of the name: good enough to shuffle a test, and no more. */
export function createChance(seed: number, name: string): Chance {
  let state = 0x811c9dc5 ^ seed;
  for (const character of name) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 0x01000193);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    happens: (probability) => next() < probability,
    whole: (least, most) => least + Math.floor(next() * (most - least + 1)),
    pick(all) {
      const one = all[Math.floor(next() * all.length)];
      if (one === undefined) throw new Error('There is nothing to pick from.');
      return one;
    },
  };
}
