import { dueAt, nextIn } from './lane.ts';
import type { Entry, Lane, LaneName } from './lane.ts';
import { createSlots } from './slots.ts';
import { NO_WAIT } from './wait.ts';

/** No timer knows that the clock was put back: a longer sleep is one of several naps. */
const LONGEST_NAP_MS = 60_000;

/**
 * What became of one attempt: the entry is done with, or is to be tried again at a time (ms since 1970). `sentAt`: when
 * its post set out; the lane rests from then on, and from now on where it is not given.
 */
export type Attempt =
  | { readonly next: 'done'; readonly sentAt?: number | undefined }
  | {
      readonly next: 'again';
      readonly at: number;
      readonly sentAt?: number | undefined;
      readonly holdLane: boolean;
      /** What failed was not the entry itself: it goes before those that came after it, as one does that holds its lane. */
      readonly keepsTurn?: true;
    };

/** What is known of an entry when it is attempted. */
export interface Try extends LaneName {
  readonly attempts: number;
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
  /**
   * Tries an entry as soon as its lane may, however long it was to wait; adds it where it is not there. Where it is
   * being tried just now, it is tried once more.
   */
  hurry(lane: LaneName, id: string, since: number): void;
  has(id: string): boolean;
  /** Whether an attempt is being made just now. */
  isUnderWay(id: string): boolean;
  /** Entries that wait: all, or those of a workspace. */
  size(workspaceId?: string): number;
  /** Of all, or of a workspace. A look at each lane, not at each entry. */
  oldest(workspaceId?: string): Oldest | undefined;
  /** Starts no further attempt and waits for those under way. */
  stop(): Promise<void>;
}

export function createLanes({ attempt, paceMs, now, mostAtOnce = 50 }: LanesParts): Lanes {
  const lanes = new Map<string, Lane>();
  /** The lane of each entry. */
  const laneOf = new Map<string, Lane>();
  const tried = new Set<string>();
  const underWay = new Set<Promise<void>>();
  const slots = createSlots(mostAtOnce);
  let stopped = false;

  /** What an attempt came to; somebody may have hurried its entry meanwhile, and then it is to be tried anew. */
  function takeDown(lane: Lane, id: string, entry: Entry, result: Attempt): void {
    const from = now();
    const latest = lane.entries.get(id) ?? entry;
    // A clock that was put back meanwhile makes no rest longer.
    const rest = Math.min(from, result.sentAt ?? from) + paceMs;
    if (result.next === 'done') {
      lane.held = { until: rest, from };
      if (latest !== entry) return;
      lane.entries.delete(id);
      laneOf.delete(id);
      return;
    }
    const { at, holdLane, keepsTurn = false } = result;
    lane.held = { until: holdLane ? Math.max(rest, at) : rest, from };
    const attempts = entry.attempts + 1;
    if (latest !== entry) lane.entries.set(id, { ...latest, attempts });
    // The lane's own wait is the entry's, too: it keeps its turn in it.
    else if (holdLane) lane.entries.set(id, { ...entry, attempts, wait: NO_WAIT });
    else
      lane.entries.set(id, {
        ...entry,
        attempts,
        wait: { until: at, from },
        isBehind: !keepsTurn,
      });
  }

  async function drive(lane: Lane): Promise<void> {
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
      tried.add(id);
      const { workspaceId, to } = lane;
      const { attempts, since } = entry;
      const result = await attempt(id, { workspaceId, to, attempts, since });
      tried.delete(id);
      slots.give();
      takeDown(lane, id, entry, result);
    }
    lane.running = false;
    sleep(lane);
  }

  /** Wakes the lane when its next entry is due; an empty lane is forgotten once its rest is over. */
  function sleep(lane: Lane): void {
    if (stopped) return;
    clearTimeout(lane.timer);
    lane.timer = setTimeout(
      () => {
        if (lane.entries.size === 0) lanes.delete(lane.key);
        else wake(lane);
      },
      Math.min(Math.max(0, dueAt(lane) - now()), LONGEST_NAP_MS),
    );
  }

  function wake(lane: Lane): void {
    if (lane.running || stopped) return;
    clearTimeout(lane.timer);
    lane.running = true;
    const work = drive(lane).finally(() => underWay.delete(work));
    underWay.add(work);
  }

  function laneNamed({ workspaceId, to }: LaneName): Lane {
    const key = `${workspaceId}:${to}`;
    const known = lanes.get(key);
    if (known !== undefined) return known;
    const lane = {
      key,
      workspaceId,
      to,
      entries: new Map(),
      held: NO_WAIT,
      running: false,
      timer: undefined,
    };
    lanes.set(key, lane);
    return lane;
  }

  function put(name: LaneName, id: string, entry: Entry): void {
    const lane = laneOf.get(id) ?? laneNamed(name);
    laneOf.set(id, lane);
    lane.entries.set(id, entry);
    wake(lane);
  }

  const lanesOf = (workspaceId: string | undefined) =>
    [...lanes.values()].filter((lane) => workspaceId === undefined || lane.workspaceId === workspaceId);

  return {
    add(name, id, since) {
      if (!laneOf.has(id)) put(name, id, { attempts: 0, wait: NO_WAIT, isBehind: false, since });
    },
    hurry(name, id, since) {
      const known = laneOf.get(id)?.entries.get(id);
      put(name, id, { attempts: 0, since, ...known, wait: NO_WAIT, isBehind: false });
    },
    has: (id) => laneOf.has(id),
    isUnderWay: (id) => tried.has(id),
    size: (workspaceId) =>
      workspaceId === undefined
        ? laneOf.size
        : lanesOf(workspaceId).reduce((sum, { entries }) => sum + entries.size, 0),
    oldest(workspaceId) {
      const heldFrom = now() + paceMs;
      return lanesOf(workspaceId)
        .flatMap(({ entries, held }) => {
          const [first] = entries;
          if (first === undefined) return [];
          const [id, { since, attempts }] = first;
          return [{ id, since, isInTurn: attempts === 0 && held.until <= heldFrom }];
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
