import type { WebClient } from '@slack/web-api';
import type { KnownSubscriptions } from '../doctor/channels.ts';
import type { Undelivered } from '../doctor/deliveries.ts';
import { createChannelCheck } from '../slack/channel-members.ts';
import { createPublicCheck } from '../slack/public-channels.ts';
import type { Storage } from '../storage/store.ts';
import { createSubscriptionBook } from '../subscriptions/book.ts';
import { createOverview } from '../deliveries/overview.ts';

const LATE_AFTER_MS = 60_000;

/** Who reads the findings in Slack. */
export interface Reader {
  readonly workspaceId: string;
  readonly userId: string;
}

/** All subscriptions that can be read, and how many cannot. */
export async function readSubscriptions({ store }: Pick<Storage, 'store'>): Promise<KnownSubscriptions> {
  let damaged = 0;
  const book = createSubscriptionBook(store('subscriptions'), () => (damaged += 1));
  const found: KnownSubscriptions['found'][number][] = [];
  for await (const subscription of book.all()) found.push(subscription);
  return { found, damaged };
}

/** What is not posted, by the store alone: also where no app runs. */
export async function readUndelivered(
  { database }: Pick<Storage, 'database'>,
  now: () => number,
): Promise<Undelivered> {
  const overview = createOverview({ database, paceMs: 0, now });
  const late = await overview.waitingSince(now() - LATE_AFTER_MS);
  return { late, givenUp: (await overview.inTrouble()).failed };
}

/** Whether an admin may know of a channel, as the list of subscriptions has it: a private one is its members'. */
export function createMayKnow(slack: WebClient) {
  const isPublic = createPublicCheck(async () => slack);
  // Subscriptions have the id that the channel has now.
  const isInChannel = createChannelCheck(
    async () => slack,
    async (_workspaceId, channelId) => channelId,
  );
  return async function mayKnow(
    { workspaceId, userId }: Reader,
    channelId: string,
    setUpBy: readonly string[],
  ): Promise<boolean> {
    if (setUpBy.includes(userId) || (await isPublic(workspaceId, channelId))) return true;
    return (await isInChannel(workspaceId, userId, channelId).catch(() => undefined)) === true;
  };
}
