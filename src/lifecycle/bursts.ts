import { setImmediate as nextTurn } from 'node:timers/promises';

/** What comes within this time is enough for one turn of the event loop to begin to work on. */
const TAKEN_IN_WITHIN_MS = 50;
/** A page may wait itself, for its press or a slow service, so nothing waits for pages longer than this. */
const OUT_WITHIN_MS = 200;

/** The order in which a burst is worked on: everything is taken in first, then people get their pages, then come the cards. */
export function createBursts() {
  let came = 0;
  let untilQuiet: Promise<void> | undefined;
  let pages = 0;
  /** Of those that wait for pages. A race with one promise for all would keep something of each for as long as that waits. */
  const waiting = new Set<() => void>();

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

  /**
   * Asked for each of what comes: resolves once a whole turn of the event loop has brought no other. The loop accepts one
   * connection a turn: with the work of a hundred clicks in between, the last ones would be acknowledged late, and hardly
   * two would share a commit.
   */
  function allTakenIn(): Promise<void> {
    came += 1;
    untilQuiet ??= quietTurn();
    return untilQuiet;
  }

  return {
    allTakenIn,
    /** Makes a page that somebody waits for, once everything is taken in. */
    asPage: async <Page>(work: () => Promise<Page>): Promise<Page> => {
      pages += 1;
      try {
        await allTakenIn();
        return await work();
      } finally {
        pages -= 1;
        if (pages === 0) for (const goOn of waiting) goOn();
      }
    },
    /** Resolves once no page is being made, after 200 ms at most. */
    pagesAreOut: async (): Promise<void> => {
      if (pages === 0) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, OUT_WITHIN_MS);
      waiting.add(resolve);
      await promise;
      waiting.delete(resolve);
      clearTimeout(timer);
    },
  };
}

export type Bursts = ReturnType<typeof createBursts>;
