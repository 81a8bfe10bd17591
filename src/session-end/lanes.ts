/** Node fires a timer of more than 2^31 - 1 ms at once: a longer sleep is one of several naps. */
const LONGEST_NAP_MS = 60 * 60 * 1_000;

/** What became of one attempt: the entry is done with, or is to be tried again at a time (ms since 1970). */
export type Attempt =
  | { readonly next: 'done' }
  | { readonly next: 'again'; readonly at: number; readonly holdLane: boolean };

interface Entry {
  readonly id: string;
  readonly attempts: number;
  readonly notBefore: number;
}

interface Lane {
  entries: Entry[];
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

export function createLanes({ attempt, paceMs, now }: LanesParts): Lanes {
  const lanes = new Map<string, Lane>();
  const underWay = new Set<Promise<void>>();
  let stopped = false;

  async function drive(name: string, lane: Lane): Promise<void> {
    for (;;) {
      const time = now();
      const index = lane.heldUntil > time ? -1 : lane.entries.findIndex(({ notBefore }) => notBefore <= time);
      const entry = lane.entries[index];
      if (stopped || entry === undefined) break;
      const result = await attempt(entry.id, entry.attempts);
      lane.heldUntil = now() + paceMs;
      if (result.next === 'done') {
        lane.entries.splice(lane.entries.indexOf(entry), 1);
        continue;
      }
      if (result.holdLane) lane.heldUntil = Math.max(lane.heldUntil, result.at);
      const again = { id: entry.id, attempts: entry.attempts + 1, notBefore: result.at };
      lane.entries.splice(lane.entries.indexOf(entry), 1, again);
    }
    lane.running = false;
    sleep(name, lane);
  }

  /** Wakes the lane when its next entry is due; an empty lane is forgotten once its rest is over. */
  function sleep(name: string, lane: Lane): void {
    if (stopped) return;
    const due = Math.min(...lane.entries.map(({ notBefore }) => notBefore));
    const wakeAt = Math.max(lane.heldUntil, lane.entries.length === 0 ? 0 : due);
    lane.timer = setTimeout(
      () => {
        if (lane.entries.length === 0) lanes.delete(name);
        else wake(name, lane);
      },
      Math.min(Math.max(0, wakeAt - now()), LONGEST_NAP_MS),
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
      const lane = lanes.get(name) ?? { entries: [], heldUntil: 0, running: false, timer: undefined };
      lanes.set(name, lane);
      if (lane.entries.some((entry) => entry.id === id)) return;
      lane.entries.push({ id, attempts: 0, notBefore: 0 });
      wake(name, lane);
    },
    size: () => [...lanes.values()].reduce((sum, lane) => sum + lane.entries.length, 0),
    async stop() {
      stopped = true;
      for (const lane of lanes.values()) clearTimeout(lane.timer);
      await Promise.all(underWay);
    },
  };
}
