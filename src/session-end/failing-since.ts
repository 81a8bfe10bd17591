import type { Waits } from './ledger-records.ts';

/** Longer than even one of ten thousand in a channel waits for its turn: nobody tried meanwhile, as while the app was down. */
const LEFT_ALONE_MS = 12 * 60 * 60 * 1_000;

/**
 * Since when a delivery is tried in vain, ms since 1970; undefined where it is not, or where that begins anew: a refused
 * token says nothing of a delivery, and time in which nobody tried, or that a clock put back, is not counted.
 */
export function failingSince(waits: Waits | undefined, time: number): number | undefined {
  if (waits?.failingSince === undefined || waits.failingSince > time) return undefined;
  return time - waits.nextAt > LEFT_ALONE_MS ? undefined : waits.failingSince;
}
