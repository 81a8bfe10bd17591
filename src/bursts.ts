import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises';

/** What comes within this time is enough for one turn of the event loop to begin to work on. */
const TAKEN_IN_WITHIN_MS = 50;
/** Behind a page that waits for its press, or for a slow service, nothing waits longer. */
const OUT_WITHIN_MS = 200;

/** In which order what comes at the same time is worked on: everything is taken in, then people get their pages, then the rest. */
export function createBursts() {
  let came = 0;
  let untilQuiet: Promise<void> | undefined;
  let pages = 0;
  let out = Promise.withResolvers<void>();

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
    /** Makes a page that somebody waits for. */
    asPage: async <Page>(work: () => Promise<Page>): Promise<Page> => {
      pages += 1;
      try {
        return await work();
      } finally {
        pages -= 1;
        if (pages === 0) {
          out.resolve();
          out = Promise.withResolvers();
        }
      }
    },
    /** For what nobody waits for: resolves once no page is being made, after 200 ms at most. */
    pagesAreOut: async (): Promise<void> => {
      if (pages > 0) await Promise.race([out.promise, pause(OUT_WITHIN_MS)]);
    },
  };
}

export type Bursts = ReturnType<typeof createBursts>;
