import { createSlots } from './slots.ts';

/** Node fires a timer of more than 2^31 - 1 ms at once: a longer sleep is one of several naps. */
const LONGEST_NAP_MS = 60 * 60 * 1_000;

/** What became of one attempt: the entry is done with, or is to be tried again at a time (ms since 1970). */
export type Attempt =
  | {
      readonly next: 'done';
      /** When its post set out, ms since 1970: the lane rests from then on; from now on where it is not given. */
      readonly sentAt?: number | undefined;
    }
  | { readonly next: 'again'; readonly at: number; readonly holdLane: boolean };

/** What is known of an entry when it is attempted. */
export interface Try {
  readonly attempts: number;
  readonly workspaceId: string;
}

/** A queue of its own: one place in one workspace. */
export interface LaneName {
  readonly workspaceId: string;
  readonly to: string;
}

interface Entry {
  readonly attempts: number;
  readonly notBefore: number;
  /** Since when it waits, ms since 1970. */
  readonly since: number;
}

/** The entry that waits longest. */
export interface Oldest {
  readonly id: string;
  readonly since: number;
  /** Whether it only waits for its turn: nothing has failed, and its channel takes what comes. */
  readonly isInTurn: boolean;
}

interface Lane extends LaneName {
  /** By id, in the order they came; a hundred thousand may wait. */
  readonly entries: Map<string, Entry>;
  /** No attempt in this lane before. */
  heldUntil: number;
  running: boolean;
  timer: NodeJS.Timeout | undefined;
}

interface LanesParts {
  /** One attempt. Must not reject. */
  readonly attempt: (id: string, given: Try) => Promise<Attempt>;
  /** Rest between two attempts of one lane: Slack takes about one message a second and channel. */
  readonly paceMs: number;
  readonly now: () => number;
  /** Attempts under way at once, in all lanes together. */
  readonly mostAtOnce?: number;
}

/** One queue a channel: in order, one at a time, at Slack's pace; a held channel holds no other. */
export interface Lanes {
  /** @param since when it began to wait, ms since 1970; entries of a lane come in this order, or nearly */
  add(lane: LaneName, id: string, since: number): void;
  /** Tries an entry as soon as its lane may, however long it was to wait; adds it where it is not there. */
  hurry(lane: LaneName, id: string, since: number): void;
  /** Entries that wait: all, or those of a workspace. */
  size(workspaceId?: string): number;
  /** Of all, or of a workspace. A look at each lane, not at each entry. */
  oldest(workspaceId?: string): Oldest | undefined;
  /** Starts no further attempt and waits for those under way. */
  stop(): Promise<void>;
}

/** The first entry that may be tried at this time. Nearly always the very first one. */
function nextIn(lane: Lane, time: number): { readonly id: string; readonly entry: Entry } | undefined {
  if (lane.heldUntil > time) return undefined;
  for (const [id, entry] of lane.entries) {
    if (entry.notBefore <= time) return { id, entry };
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

export function createLanes({ attempt, paceMs, now, mostAtOnce = 50 }: LanesParts): Lanes {
  const lanes = new Map<string, Lane>();
  const underWay = new Set<Promise<void>>();
  const slots = createSlots(mostAtOnce);
  let size = 0;
  let stopped = false;

  async function drive(key: string, lane: Lane): Promise<void> {
    for (;;) {
      // A lane has one attempt at a time, and goes to the end of the line for each: none starves another.
      const turn = slots.take();
      if (turn !== undefined) await turn;
      const next = stopped ? undefined : nextIn(lane, now());
      if (next === undefined) {
        slots.give();
        break;
      }
      const { id, entry } = next;
      const result = await attempt(id, { attempts: entry.attempts, workspaceId: lane.workspaceId });
      slots.give();
      lane.heldUntil = now() + paceMs;
      if (result.next === 'done') {
        // A clock that was put back meanwhile makes no rest longer.
        lane.heldUntil = Math.min(lane.heldUntil, (result.sentAt ?? now()) + paceMs);
        if (lane.entries.delete(id)) size -= 1;
        continue;
      }
      if (result.holdLane) lane.heldUntil = Math.max(lane.heldUntil, result.at);
      // It keeps its place.
      lane.entries.set(id, { ...entry, attempts: entry.attempts + 1, notBefore: result.at });
    }
    lane.running = false;
    sleep(key, lane);
  }

  /** Wakes the lane when its next entry is due; an empty lane is forgotten once its rest is over. */
  function sleep(key: string, lane: Lane): void {
    if (stopped) return;
    clearTimeout(lane.timer);
    lane.timer = setTimeout(
      () => {
        if (lane.entries.size === 0) lanes.delete(key);
        else wake(key, lane);
      },
      Math.min(Math.max(0, dueAt(lane) - now()), LONGEST_NAP_MS),
    );
  }

  function wake(key: string, lane: Lane): void {
    if (lane.running || stopped) return;
    clearTimeout(lane.timer);
    lane.running = true;
    const work = drive(key, lane).finally(() => underWay.delete(work));
    underWay.add(work);
  }

  function put(name: LaneName, id: string, entry: Entry): void {
    const key = `${name.workspaceId}:${name.to}`;
    const { workspaceId, to } = name;
    const fresh = { workspaceId, to, entries: new Map(), heldUntil: 0, running: false, timer: undefined };
    const lane: Lane = lanes.get(key) ?? fresh;
    lanes.set(key, lane);
    if (!lane.entries.has(id)) size += 1;
    lane.entries.set(id, entry);
    wake(key, lane);
  }

  const entryOf = ({ workspaceId, to }: LaneName, id: string) =>
    lanes.get(`${workspaceId}:${to}`)?.entries.get(id);
  const lanesOf = (workspaceId: string | undefined) =>
    [...lanes.values()].filter((lane) => workspaceId === undefined || lane.workspaceId === workspaceId);

  return {
    add(name, id, since) {
      if (entryOf(name, id) === undefined) put(name, id, { attempts: 0, notBefore: 0, since });
    },
    hurry(name, id, since) {
      put(name, id, { attempts: 0, since, ...entryOf(name, id), notBefore: 0 });
    },
    size: (workspaceId) =>
      workspaceId === undefined
        ? size
        : lanesOf(workspaceId).reduce((sum, { entries }) => sum + entries.size, 0),
    oldest(workspaceId) {
      const heldFrom = now() + paceMs;
      return lanesOf(workspaceId)
        .flatMap(({ entries, heldUntil }) => {
          const [first] = entries;
          if (first === undefined) return [];
          const [id, { since, attempts }] = first;
          return [{ id, since, isInTurn: attempts === 0 && heldUntil <= heldFrom }];
        })
        .toSorted((a, b) => a.since - b.since)[0];
    },
    async stop() {
      stopped = true;
      for (const lane of lanes.values()) clearTimeout(lane.timer);
      await Promise.all(underWay);
    },
  };
}
