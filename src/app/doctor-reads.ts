import type { WebClient } from '@slack/web-api';
import type { KnownSubscriptions } from '../doctor/channels.ts';
import type { Undelivered } from '../doctor/deliveries.ts';
import { createChannelInfo, createPublicCheck } from '../slack/channel-info.ts';
import { createChannelCheck } from '../slack/channel-members.ts';
import type { Storage } from '../storage/store.ts';
import { createSubscriptionRepository } from '../subscriptions/repository.ts';
import { createOverview } from '../deliveries/overview.ts';

const LATE_AFTER_MS = 60_000;

/** Who reads the findings in Slack. */
export interface Reader {
  readonly workspaceId: string;
  readonly userId: string;
}

/** All subscriptions that can be read, and how many cannot. */
export async function readSubscriptions({
  database,
}: Pick<Storage, 'database'>): Promise<KnownSubscriptions> {
  let damaged = 0;
  const repository = createSubscriptionRepository(database, () => (damaged += 1));
  const found: KnownSubscriptions['found'][number][] = [];
  for await (const subscription of repository.all()) found.push(subscription);
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
export function createMayKnow(slack: WebClient, now: () => number) {
  const isPublic = createPublicCheck(createChannelInfo(async () => slack, now));
  // Subscriptions have the id that the channel has now.
  const { isInChannel } = createChannelCheck({
    clientFor: async () => slack,
    nowCalled: async (_workspaceId, channelId) => channelId,
    now,
    report: () => undefined,
  });
  return async function mayKnow(
    { workspaceId, userId }: Reader,
    channelId: string,
    setUpBy: readonly string[],
  ): Promise<boolean> {
    if (setUpBy.includes(userId) || (await isPublic(workspaceId, channelId))) return true;
    return (await isInChannel(workspaceId, userId, channelId).catch(() => undefined)) === true;
  };
}
