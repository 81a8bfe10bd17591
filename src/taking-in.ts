import { setImmediate as nextTurn } from 'node:timers/promises';

/** What comes within this time is enough for one turn of the event loop to begin to work on. */
const LONGEST_MS = 50;

/**
 * Puts off work until everything that comes at the same time is taken in. The event loop accepts one connection a turn: with
 * the work of a hundred clicks in between, the last ones would be acknowledged late, and hardly two would share a commit.
 */
export function createTakingIn() {
  let came = 0;
  let untilQuiet: Promise<void> | undefined;

  async function quietTurn(): Promise<void> {
    const latest = performance.now() + LONGEST_MS;
    let before: number;
    await nextTurn();
    do {
      before = came;
      await nextTurn();
    } while (came > before && performance.now() < latest);
    untilQuiet = undefined;
  }

  /** Asked for each of what comes: resolves once a whole turn of the event loop has brought no other. */
  return function allTakenIn(): Promise<void> {
    came += 1;
    untilQuiet ??= quietTurn();
    return untilQuiet;
  };
}
