import { isOver } from './wait.ts';
import type { Wait } from './wait.ts';

/** A queue of its own: one place in one workspace. */
export interface LaneName {
  readonly workspaceId: string;
  readonly to: string;
}

export interface Entry {
  readonly attempts: number;
  readonly wait: Wait;
  /** It failed by itself: those that have not go first, or a few hundred that fail would starve them. */
  readonly isBehind: boolean;
  /** Since when it waits, ms since 1970. */
  readonly since: number;
}

export interface Lane extends LaneName {
  readonly key: string;
  /** By id, in the order they came; a hundred thousand may wait. */
  readonly entries: Map<string, Entry>;
  /** No attempt in this lane before. */
  held: Wait;
  running: boolean;
  timer: NodeJS.Timeout | undefined;
}

/** The entry to try at this time, the first that has not failed yet. Nearly always the very first one. */
export function nextIn(lane: Lane, time: number): { readonly id: string; readonly entry: Entry } | undefined {
  if (!isOver(lane.held, time)) return undefined;
  let behind: { readonly id: string; readonly entry: Entry } | undefined;
  for (const [id, entry] of lane.entries) {
    if (!isOver(entry.wait, time)) continue;
    if (!entry.isBehind) return { id, entry };
    if (behind === undefined || entry.wait.until < behind.entry.wait.until) behind = { id, entry };
  }
  return behind;
}

/** When an entry may be tried again; in an empty lane, when its rest is over. */
export function dueAt({ entries, held }: Lane): number {
  let due = entries.size === 0 ? held.until : Infinity;
  for (const { wait } of entries.values()) {
    if (wait.until <= held.until) return held.until;
    due = Math.min(due, wait.until);
  }
  return due;
}
