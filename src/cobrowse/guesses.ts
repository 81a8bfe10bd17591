/**
 * What we can't know of a service before it's asked: whether it takes the name or word that we guess, which are wire
 * names, and whether its data store can list who is online (`listLatest`).
 */
export type Guess = 'listLimit' | 'searchOnline' | 'searchOffline' | 'listLatest';

/** After this it's tried again: the account or the installation may be another by then. */
const REMEMBERED_MS = 60 * 60 * 1_000;

/** What a service was found to understand. In memory only, since finding it out again costs one request. */
export interface Guesses {
  /** Undefined if it isn't known, or no longer. */
  isRight(guess: Guess): boolean | undefined;
  learn(guess: Guess, isRight: boolean): void;
}

/** @param elapsed milliseconds from any moment on */
export function createGuesses(elapsed: () => number = () => performance.now()): Guesses {
  const learned = new Map<Guess, { readonly isRight: boolean; readonly until: number }>();
  return {
    isRight(guess) {
      const known = learned.get(guess);
      return known !== undefined && elapsed() < known.until ? known.isRight : undefined;
    },
    learn: (guess, isRight) => void learned.set(guess, { isRight, until: elapsed() + REMEMBERED_MS }),
  };
}
