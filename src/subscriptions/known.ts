import type { Database } from '../database/database.ts';
import type { Subscription } from './subscription.ts';
import { createSubscriptionRepository } from './repository.ts';

/**
 * The subscriptions that can be read, and how many can't.
 *
 * @param workspaceId of this workspace alone; of all where it isn't given
 */
export async function readSubscriptions(
  database: Database,
  workspaceId?: string,
): Promise<{ readonly found: readonly Subscription[]; readonly damaged: number }> {
  let damaged = 0;
  const repository = createSubscriptionRepository(database, () => (damaged += 1));
  if (workspaceId !== undefined) return { found: await repository.of(workspaceId), damaged };
  const found: Subscription[] = [];
  for await (const subscription of repository.all()) found.push(subscription);
  return { found, damaged };
}
