import { expect, onTestFinished } from 'vitest';
import { watchHealth } from '../../chaos/balancer.ts';
import { openFront } from '../../chaos/front.ts';

const PATIENCE_MS = 10_000;

/**
 * A balancer as people have them before several processes: it asks each for its health, hands every request to one of those
 * that were alive when it asked last, and repeats nothing.
 *
 * @param targets the addresses of the processes
 * @param everyMs how long it waits before it asks each again
 */
export async function openBalancer(targets: readonly string[], everyMs: number) {
  const health = watchHealth(targets, everyMs, PATIENCE_MS);
  const { living } = health;
  const failed: string[] = [];
  const front = await openFront(living, async (asked, passOn) => {
    const what = `${asked.method} ${asked.path.slice(0, 30)} while ${living.length} were alive`;
    try {
      const answer = await passOn(asked);
      if (answer.status >= 500) failed.push(`${what}: ${answer.status}`);
      return answer;
    } catch (error) {
      failed.push(`${what}: ${String(error)}`);
      throw error;
    }
  });
  onTestFinished(async () => {
    await health.close();
    await front.close();
  });
  return {
    url: front.url,
    /** Each request that got no answer, or one of failure. */
    failed,
    /** Resolves once requests go to so many. */
    async untilAlive(many: number): Promise<void> {
      await expect.poll(() => living.length).toBe(many);
    },
  };
}
