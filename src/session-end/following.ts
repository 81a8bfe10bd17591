import type { FindPosts, Post } from './post.ts';

/** The id that a channel has now: sharing and converting change it. */
type NowCalled = (workspaceId: string, channelId: string) => Promise<string>;

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
