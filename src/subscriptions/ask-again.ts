import { isDirect } from '../model/subscription.ts';
import type { Subscription } from '../model/subscription.ts';
import type { SubscriptionRepository } from './repository.ts';
import { isSeenWithoutPost } from './pauses.ts';
import type { Pauses } from './pauses.ts';

const MOST_PAUSED = 1_000;

const keyOf = ({ workspaceId, channelId }: Subscription) => `${workspaceId} ${channelId}`;

/** A deleted channel does not come back, and of direct messages Slack does not say whether the app is in them. */
function mayBeBack({ channelId, paused }: Subscription): boolean {
  if (paused === undefined || isDirect(channelId)) return false;
  return isSeenWithoutPost(paused.reason) && paused.reason !== 'channel_deleted';
}

/**
 * Asks Slack what is so now in one paused channel, with each call the next of them. Slack tells of a channel's return
 * once, when it may not have been possible to ask; and where hardly a session passes the filters no post shows it.
 */
export function createAskAgain(
  repository: Pick<SubscriptionRepository, 'paused'>,
  { changed }: Pick<Pauses, 'changed'>,
): () => Promise<void> {
  const asked = new Set<string>();
  return async function askAgain() {
    const paused = new Map<string, Subscription>();
    for (const one of await repository.paused(MOST_PAUSED)) if (mayBeBack(one)) paused.set(keyOf(one), one);
    if ([...paused.keys()].every((key) => asked.has(key))) asked.clear();
    const next = [...paused].find(([key]) => !asked.has(key));
    if (next === undefined) return;
    const [key, { workspaceId, channelId }] = next;
    asked.add(key);
    await changed(workspaceId, channelId, false);
  };
}
