import { setTimeout as pause } from 'node:timers/promises';
import { answers } from './app-process.ts';

/**
 * Asks each of several processes for its health, as a balancer does.
 *
 * @param everyMs how long it waits before it asks each again
 * @param patienceMs how long each may take to answer; default: two seconds
 * @returns the addresses that were alive when they were last asked, in a list that changes, and what ends it
 */
export function watchHealth(targets: readonly string[], everyMs: number, patienceMs?: number) {
  const living: string[] = [];
  const closing = new AbortController();

  async function watch(target: string): Promise<void> {
    while (!closing.signal.aborted) {
      const isIn = living.includes(target);
      const isNow = await answers(target, patienceMs);
      if (isNow && !isIn) living.push(target);
      if (!isNow && isIn) living.splice(living.indexOf(target), 1);
      await pause(everyMs, undefined, { signal: closing.signal }).catch(() => undefined);
    }
  }
  const watching = Promise.all(targets.map(watch));

  return {
    living,
    async close(): Promise<void> {
      closing.abort();
      await watching;
    },
  };
}
