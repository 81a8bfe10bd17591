import { isDirect } from '../grants/subscription.ts';
import type { Subscription } from '../grants/subscription.ts';
import type { SubscriptionBook } from './book.ts';
import { isSeenWithoutPost } from './pauses.ts';
import type { Pauses } from './pauses.ts';

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
  book: Pick<SubscriptionBook, 'all'>,
  { changed }: Pick<Pauses, 'changed'>,
): () => Promise<void> {
  const asked = new Set<string>();
  return async function askAgain() {
    const paused = new Map<string, Subscription>();
    for await (const one of book.all()) if (mayBeBack(one)) paused.set(keyOf(one), one);
    if ([...paused.keys()].every((key) => asked.has(key))) asked.clear();
    const next = [...paused].find(([key]) => !asked.has(key));
    if (next === undefined) return;
    const [key, { workspaceId, channelId }] = next;
    asked.add(key);
    await changed(workspaceId, channelId, false);
  };
}
