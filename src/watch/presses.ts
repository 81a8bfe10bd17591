import { z } from 'zod';
import type { SignedPress } from '../grants/link-press.ts';
import { PRESS_REFUSALS } from '../grants/press-refusal.ts';
import type { PressRefusal } from '../grants/press-refusal.ts';
import { newestFirst } from '../storage/newest-first.ts';
import type { Store } from '../storage/store.ts';

/** How long a press is good for a page that comes after it. */
const GOOD_MS = 10_000;
/**
 * Slack's signature holds for five minutes before and after its time: so long the same press could be sent again, by
 * whoever kept it. A minute more, so that it is never forgotten first.
 */
const REMEMBERED_MS = 11 * 60 * 1_000;
/** Slack tells of a press within seconds; our clock may be a minute off. */
const LATE_AFTER_MS = 75_000;
/** How often pages that wait look for presses that reached another process. */
const LOOK_EVERY_MS = 200;
/** More presses for the same thing inside those minutes are nobody's; the newest come first. */
const MOST_PRESSES = 20;

/** What a page finds: a press that it has paid with, why the press was refused, or that none came. */
export type Meeting = 'pressed' | 'none' | { readonly refused: PressRefusal };

/** Where presses, which come from Slack, and pages, which come from a browser, meet: through the store. */
export interface Presses {
  /**
   * Keeps a press for the page it belongs to. @param key from `pressKeyOf`
   * @param refused why it pays for no page; the page is told
   */
  record(key: string, press: SignedPress, refused?: PressRefusal): Promise<void>;
  /** True once for each press, or other id: it pays for one link. */
  spend(id: string): Promise<boolean>;
  /** Takes a press with this key, and waits for one up to `patienceMs`, or until the page is gone. */
  meet(key: string, patienceMs: number, onGone: (listener: () => void) => void): Promise<Meeting>;
  /** Nothing waits any more, and nothing will. */
  stop(): void;
}

interface PressesParts {
  readonly presses: Store;
  readonly spent: Store;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Calls again and again until the function it gives is called. */
  readonly every?: (intervalMs: number, call: () => void) => () => void;
}

/**
 * Whether Slack's word of a press comes so late that somebody may have held it back, for a page of their own. By our
 * clock: the time in the signature is as old as the press where a whole request is held.
 */
export const isLate = ({ pressedAt }: SignedPress, now: number): boolean => now - pressedAt > LATE_AFTER_MS;

const Recorded = z.object({ at: z.number(), refused: z.enum(PRESS_REFUSALS).optional() });

/** Waits to be nudged; a nudge that comes while nobody waits is kept. */
function createNudge() {
  let kept = false;
  let resolve: (() => void) | undefined;
  return {
    nudge: (): void => {
      kept = true;
      resolve?.();
    },
    next: async (): Promise<void> => {
      if (!kept) {
        await new Promise<void>((nudged) => {
          resolve = nudged;
        });
      }
      kept = false;
    },
  };
}

function repeat(intervalMs: number, call: () => void): () => void {
  const timer = setInterval(call, intervalMs).unref();
  return () => clearInterval(timer);
}

/** The pages that wait in this process, and one timer for all of them, while there are any. */
function createWaitingRoom(every: NonNullable<PressesParts['every']>) {
  const waiting = new Map<() => void, string>();
  let endTimer: (() => void) | undefined;
  const nudgeAll = () => {
    for (const nudge of waiting.keys()) nudge();
  };
  return {
    nudgeAll,
    nudge(wanted: string): void {
      for (const [nudge, key] of waiting) if (key === wanted) nudge();
    },
    enter(key: string, nudge: () => void): void {
      waiting.set(nudge, key);
      endTimer ??= every(LOOK_EVERY_MS, nudgeAll);
    },
    leave(nudge: () => void): void {
      waiting.delete(nudge);
      if (waiting.size > 0) return;
      endTimer?.();
      endTimer = undefined;
    },
  };
}

export function createPresses({ presses, spent, now, every = repeat }: PressesParts): Presses {
  const room = createWaitingRoom(every);
  let stopped = false;

  const spend = (id: string): Promise<boolean> => spent.add(id, now(), REMEMBERED_MS);

  async function take(key: string): Promise<Meeting> {
    const start = `${key}:`;
    const from = now() - GOOD_MS;
    for (const place of await presses.keys(start, MOST_PRESSES)) {
      if (!place.startsWith(start)) break;
      const { data: press } = Recorded.safeParse(await presses.get(place));
      if (press === undefined || press.at < from) continue;
      // A refusal, too, is for one page: the next press may be allowed.
      if (!(await spend(place.slice(place.lastIndexOf(':') + 1)))) continue;
      return press.refused === undefined ? 'pressed' : { refused: press.refused };
    }
    return 'none';
  }

  return {
    spend,
    async record(key, { id, pressedAt }, refused) {
      const record = { at: now(), ...(refused === undefined ? {} : { refused }) };
      // The same press again finds its place taken, and stays as old as it is.
      if (await presses.add(`${key}:${newestFirst(pressedAt)}:${id}`, record, REMEMBERED_MS)) room.nudge(key);
    },
    async meet(key, patienceMs, onGone) {
      const until = now() + patienceMs;
      const { nudge, next } = createNudge();
      let isGone = false;
      onGone(() => {
        isGone = true;
        nudge();
      });
      room.enter(key, nudge);
      try {
        for (;;) {
          if (isGone) return 'none';
          // Asked before the look: what came just in time is found by it.
          const isLast = stopped || now() >= until;
          const meeting = await take(key);
          if (meeting !== 'none' || isLast) return meeting;
          await next();
        }
      } finally {
        room.leave(nudge);
      }
    },
    stop() {
      stopped = true;
      room.nudgeAll();
    },
  };
}
