import { setImmediate as nextTurn } from 'node:timers/promises';

/** What comes within this time is enough for one turn of the event loop to begin to work on. */
const TAKEN_IN_WITHIN_MS = 50;

/** The order in which a burst is worked on: everything is taken in first. */
export function createBursts() {
  let came = 0;
  let untilQuiet: Promise<void> | undefined;

  async function quietTurn(): Promise<void> {
    const latest = performance.now() + TAKEN_IN_WITHIN_MS;
    let before: number;
    await nextTurn();
    do {
      before = came;
      await nextTurn();
    } while (came > before && performance.now() < latest);
    untilQuiet = undefined;
  }

  return {
    /**
     * Asked for each of what comes: resolves once a whole turn of the event loop has brought no other. The loop accepts one
     * connection a turn: with the work of a hundred clicks in between, the last ones would be acknowledged late, and hardly
     * two would share a commit.
     */
    allTakenIn: (): Promise<void> => {
      came += 1;
      untilQuiet ??= quietTurn();
      return untilQuiet;
    },
  };
}

export type Bursts = ReturnType<typeof createBursts>;
