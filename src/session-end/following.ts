import type { Bring } from './bring.ts';
import { workspaceOf } from './delivery.ts';
import type { FindPosts, Post } from './post.ts';

/** The id that a channel has now: sharing and converting change it. */
export type NowCalled = (workspaceId: string, channelId: string) => Promise<string>;

/**
 * Brings a delivery to its channel under the id it has now. Where that changed on the way, the message is made anew: with
 * the id it changes who reads along.
 */
export function createFollowingBring(bring: Bring, nowCalled: NowCalled): Bring {
  return async function follow(id, delivery, options) {
    const workspaceId = workspaceOf(delivery);
    const called = () => nowCalled(workspaceId, delivery.to).catch(() => delivery.to);
    const to = await called();
    const brought = await bring(id, { ...delivery, to }, options);
    const { result } = brought;
    if (result.outcome !== 'never' || result.reason !== 'channel_not_found') return brought;
    const latest = await called();
    return latest === to ? brought : bring(id, { ...delivery, to: latest }, options);
  };
}

/** Posts to a channel under the id it has now, where Slack no longer knows the one it had. */
export function createFollowingPost(post: Post, nowCalled: NowCalled): Post {
  return async function follow(to, message, deliveryId) {
    const result = await post(to, message, deliveryId);
    if (result.outcome !== 'never' || result.reason !== 'channel_not_found') return result;
    const latest = await nowCalled(to.workspaceId, to.to).catch(() => to.to);
    return latest === to.to ? result : post({ ...to, to: latest }, message, deliveryId);
  };
}

/** Looks where {@link createFollowingPost} posts. */
export function createFollowingFind(find: FindPosts, nowCalled: NowCalled): FindPosts {
  return async function follow(place, deliveryId, since) {
    const seen = await find(place, deliveryId, since);
    if ('found' in seen || seen.reason !== 'channel_not_found') return seen;
    const latest = await nowCalled(place.workspaceId, place.to).catch(() => place.to);
    return latest === place.to ? seen : find({ ...place, to: latest }, deliveryId, since);
  };
}
