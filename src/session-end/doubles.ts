import { z } from 'zod';
import { getReadable } from '../storage/readable.ts';
import type { Store } from '../storage/store.ts';
import type { FindPosts, Unpost } from './post.ts';

/** By then a post whose answer was lost has arrived, if ever it does. */
const LOOK_AFTER_MS = 60_000;
const AGAIN_AFTER_MS = 5 * 60_000;
/** A look that keeps failing is given up: what is doubled by then stays doubled. */
const MOST_LOOKS = 20;
/** A clock that is set while we sleep shows after this. */
const LONGEST_NAP_MS = 60_000;
const PAGE = 500;

const Suspect = z.object({
  workspaceId: z.string(),
  to: z.string(),
  threadTs: z.string().optional(),
  /** Of the attempt whose answer was lost, ms since 1970. */
  begunAt: z.number(),
  dueAt: z.number(),
  looks: z.number(),
});
type Suspect = z.infer<typeof Suspect>;

/** Where a delivery was posted once more. */
export type Suspicion = Pick<Suspect, 'workspaceId' | 'to' | 'threadTs' | 'begunAt'>;

interface DoublesParts {
  readonly store: Store;
  readonly find: FindPosts;
  readonly unpost: Unpost;
  /** Told of each message that was removed, and of a look that was given up or could not see all. */
  readonly report: (outcome: 'removed' | 'unknown', id: string) => void;
  readonly broken: (id: string, error: unknown) => void;
  readonly now: () => number;
}

/**
 * A post that followed one without an answer: both may be there. A minute later it is looked once more, and of two
 * messages of one delivery the later is removed. One timer for all of them.
 */
export interface Doubles {
  /** Takes up what an earlier process left. */
  start(): Promise<void>;
  /** Resolves when it is on disk. */
  suspect(id: string, where: Suspicion): Promise<void>;
  stop(): Promise<void>;
}

export function createDoubles({ store, find, unpost, report, broken, now }: DoublesParts): Doubles {
  /** By id, when to look. */
  const due = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let work: Promise<void> | undefined;
  let stopped = false;

  function setTimer(): void {
    clearTimeout(timer);
    if (stopped || work !== undefined || due.size === 0) return;
    const next = [...due.values()].reduce((soonest, at) => Math.min(soonest, at), Infinity);
    timer = setTimeout(
      () => {
        work = lookAtDue().finally(() => {
          work = undefined;
          setTimer();
        });
      },
      Math.min(Math.max(0, next - now()), LONGEST_NAP_MS),
    );
  }

  /** @returns when to look again, undefined where there is nothing more to look for */
  async function look(id: string, suspect: Suspect): Promise<number | undefined> {
    const { workspaceId, begunAt, looks } = suspect;
    const seen = await find(suspect, id, begunAt);
    if ('found' in seen) {
      const { channelId, found } = seen;
      // The first stays: somebody may have answered under it.
      const removals = await Promise.all(found.slice(1).map((ts) => unpost({ workspaceId, channelId }, ts)));
      for (const removal of removals) if (removal === 'gone') report('removed', id);
      if (!removals.includes('later')) {
        if (seen.isPartial && found.length < 2) report('unknown', id);
        return undefined;
      }
    }
    if ('found' in seen || seen.outcome === 'later') {
      const afterMs = 'found' in seen ? undefined : seen.afterMs;
      if (looks + 1 < MOST_LOOKS) return now() + Math.max(AGAIN_AFTER_MS, afterMs ?? 0);
    }
    report('unknown', id);
    return undefined;
  }

  async function take(id: string): Promise<void> {
    const suspect = Suspect.safeParse(await getReadable(store, id)).data;
    if (suspect === undefined) return void due.delete(id);
    const dueAt = await look(id, suspect);
    if (dueAt === undefined) {
      await store.delete(id);
      due.delete(id);
      return;
    }
    due.set(id, dueAt);
    await store.set(id, { ...suspect, dueAt, looks: suspect.looks + 1 });
  }

  async function lookAtDue(): Promise<void> {
    const ids = [...due].filter(([, at]) => at <= now()).map(([id]) => id);
    // One after the other: Slack lets its history be read about once a second.
    for (const id of ids) {
      if (stopped) return;
      try {
        await take(id);
      } catch (error) {
        due.set(id, now() + AGAIN_AFTER_MS);
        broken(id, error);
      }
    }
  }

  return {
    async start() {
      for (let after = ''; ;) {
        const ids = await store.keys(after, PAGE);
        for (const id of ids) {
          const suspect = Suspect.safeParse(await getReadable(store, id)).data;
          if (suspect !== undefined) due.set(id, suspect.dueAt);
        }
        const last = ids.at(-1);
        if (last === undefined || ids.length < PAGE) break;
        after = last;
      }
      setTimer();
    },
    async suspect(id, where) {
      const suspect: Suspect = { ...where, dueAt: now() + LOOK_AFTER_MS, looks: 0 };
      await store.set(id, suspect);
      due.set(id, suspect.dueAt);
      setTimer();
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await work;
    },
  };
}
