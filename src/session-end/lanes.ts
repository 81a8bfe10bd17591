/** Node fires a timer of more than 2^31 - 1 ms at once: a longer sleep is one of several naps. */
const LONGEST_NAP_MS = 60 * 60 * 1_000;

/** What became of one attempt: the entry is done with, or is to be tried again at a time (ms since 1970). */
export type Attempt =
  | { readonly next: 'done' }
  | { readonly next: 'again'; readonly at: number; readonly holdLane: boolean };

interface Entry {
  readonly attempts: number;
  readonly notBefore: number;
}

interface Lane {
  /** By id, in the order they came; a hundred thousand may wait. */
  readonly entries: Map<string, Entry>;
  /** No attempt in this lane before. */
  heldUntil: number;
  running: boolean;
  timer: NodeJS.Timeout | undefined;
}

interface LanesParts {
  /** One attempt. Must not reject. */
  readonly attempt: (id: string, attempts: number) => Promise<Attempt>;
  /** Rest between two attempts of one lane: Slack takes about one message a second and channel. */
  readonly paceMs: number;
  readonly now: () => number;
}

/** One queue a channel: in order, one at a time, at Slack's pace; a held channel holds no other. */
export interface Lanes {
  add(lane: string, id: string): void;
  /** Entries that wait. */
  size(): number;
  /** Starts no further attempt and waits for those under way. */
  stop(): Promise<void>;
}

/** The first entry that may be tried at this time. Nearly always the very first one. */
function nextIn(lane: Lane, time: number): { readonly id: string; readonly attempts: number } | undefined {
  if (lane.heldUntil > time) return undefined;
  for (const [id, { attempts, notBefore }] of lane.entries) {
    if (notBefore <= time) return { id, attempts };
  }
  return undefined;
}

/** When an entry may be tried again; in an empty lane, when its rest is over. */
function dueAt({ entries, heldUntil }: Lane): number {
  let due = entries.size === 0 ? heldUntil : Infinity;
  for (const { notBefore } of entries.values()) {
    if (notBefore <= heldUntil) return heldUntil;
    due = Math.min(due, notBefore);
  }
  return due;
}

export function createLanes({ attempt, paceMs, now }: LanesParts): Lanes {
  const lanes = new Map<string, Lane>();
  const underWay = new Set<Promise<void>>();
  let stopped = false;

  async function drive(name: string, lane: Lane): Promise<void> {
    for (;;) {
      const next = stopped ? undefined : nextIn(lane, now());
      if (next === undefined) break;
      const { id, attempts } = next;
      const result = await attempt(id, attempts);
      lane.heldUntil = now() + paceMs;
      if (result.next === 'done') {
        lane.entries.delete(id);
        continue;
      }
      if (result.holdLane) lane.heldUntil = Math.max(lane.heldUntil, result.at);
      // It keeps its place.
      lane.entries.set(id, { attempts: attempts + 1, notBefore: result.at });
    }
    lane.running = false;
    sleep(name, lane);
  }

  /** Wakes the lane when its next entry is due; an empty lane is forgotten once its rest is over. */
  function sleep(name: string, lane: Lane): void {
    if (stopped) return;
    lane.timer = setTimeout(
      () => {
        if (lane.entries.size === 0) lanes.delete(name);
        else wake(name, lane);
      },
      Math.min(Math.max(0, dueAt(lane) - now()), LONGEST_NAP_MS),
    );
  }

  function wake(name: string, lane: Lane): void {
    if (lane.running || stopped) return;
    clearTimeout(lane.timer);
    lane.running = true;
    const work = drive(name, lane).finally(() => underWay.delete(work));
    underWay.add(work);
  }

  return {
    add(name, id) {
      const lane = lanes.get(name) ?? { entries: new Map(), heldUntil: 0, running: false, timer: undefined };
      lanes.set(name, lane);
      if (lane.entries.has(id)) return;
      lane.entries.set(id, { attempts: 0, notBefore: 0 });
      wake(name, lane);
    },
    size: () => [...lanes.values()].reduce((sum, lane) => sum + lane.entries.size, 0),
    async stop() {
      stopped = true;
      for (const lane of lanes.values()) clearTimeout(lane.timer);
      await Promise.all(underWay);
    },
  };
}
