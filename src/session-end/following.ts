import type { NowCalled } from '../grants/moved-channels.ts';
import type { Bring } from './bring.ts';
import { workspaceOf } from './delivery.ts';
import type { FindPosts, Post, PostMade } from './post.ts';

/** Slack knows the channel by another id, or by none. */
const isUnknown = (outcome: object) => 'reason' in outcome && outcome.reason === 'channel_not_found';

/**
 * Does something under the id that a channel has now, and once more where that changed on the way. What is said there is
 * to be made in the attempt: with the id it changes who reads along.
 */
function createFollow(nowCalled: NowCalled) {
  return async function follow<Result>(
    { workspaceId, to }: { readonly workspaceId: string; readonly to: string },
    attempt: (to: string) => Promise<Result>,
    outcomeOf: (result: Result) => object,
  ): Promise<Result> {
    const called = () => nowCalled(workspaceId, to).catch(() => to);
    const first = await called();
    const result = await attempt(first);
    if (!isUnknown(outcomeOf(result))) return result;
    const latest = await called();
    return latest === first ? result : attempt(latest);
  };
}

/** Brings a delivery to its channel under the id it has now. */
export function createFollowingBring(bring: Bring, nowCalled: NowCalled): Bring {
  const follow = createFollow(nowCalled);
  return (id, delivery, options) =>
    follow(
      { workspaceId: workspaceOf(delivery), to: delivery.to },
      (to) => bring(id, { ...delivery, to }, options),
      ({ result }) => result,
    );
}

/** Posts to a channel under the id it has now. */
export function createFollowingPost(post: Post, nowCalled: NowCalled): PostMade {
  const follow = createFollow(nowCalled);
  return (place, make, deliveryId) =>
    follow(
      place,
      async (to) => post({ ...place, to }, await make(to), deliveryId),
      (outcome) => outcome,
    );
}

/** Looks where {@link createFollowingPost} posts. */
export function createFollowingFind(find: FindPosts, nowCalled: NowCalled): FindPosts {
  const follow = createFollow(nowCalled);
  return (place, deliveryId, since) =>
    follow(
      place,
      (to) => find({ ...place, to }, deliveryId, since),
      (seen) => seen,
    );
}
