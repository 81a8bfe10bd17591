import { expect } from 'vitest';
import type { Sandbox } from '../../sandbox/sandbox.ts';

/**
 * Changes something in Slack that it tells the app of, and waits until the app has heard: from then on it asks
 * anew what it asked for in the last seconds.
 */
export async function told({ calls }: Sandbox['slack'], change: () => unknown): Promise<void> {
  const heard = () => calls.filter(({ method }) => method === 'ack').length;
  const before = heard();
  await change();
  await expect.poll(heard).toBeGreaterThan(before);
}
