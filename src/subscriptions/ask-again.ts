import { isDirect, type Subscription } from './subscription.ts';
import type { SubscriptionRepository } from './repository.ts';
import { isSeenWithoutPost, type Pauses } from './pauses.ts';

const MOST_PAUSED = 1_000;

const keyOf = ({ workspaceId, channelId }: Subscription) => `${workspaceId} ${channelId}`;

/** A deleted channel doesn't come back, and Slack doesn't say whether the app is in a direct message. */
function mayBeBack({ channelId, paused }: Subscription): boolean {
  if (paused === undefined || isDirect(channelId)) return false;
  return isSeenWithoutPost(paused.reason) && paused.reason !== 'channel_deleted';
}

/**
 * Asks Slack for the state of one paused channel, the next one with each call. Slack reports a channel's return only once,
 * perhaps while it couldn't be asked; and with narrow filters it may take long until a post would show it.
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
