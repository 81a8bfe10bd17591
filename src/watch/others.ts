import type { LinkOrder } from '../links/order.ts';
import type { LinkInUse, WatchLinks } from '../links/watch-links.ts';

/** For this long after a link went out, the next person is asked whether to join. */
const RECENT_MS = 30 * 60 * 1_000;

/** The latest link to the same screen that somebody else was given a short while ago, and whose session may still run. */
export type OthersLink = (order: LinkOrder) => Promise<LinkInUse | undefined>;

/** @param now milliseconds since 1970 */
export function createOthersLink(links: Pick<WatchLinks, 'inUse'>, now: () => number): OthersLink {
  return async function othersLink(order) {
    if ('proxy' in order) return undefined;
    const { workspaceId, visitorId, userId } = order;
    const inUse = await links.inUse(workspaceId, [visitorId], now() - RECENT_MS);
    return inUse.find((link) => link.userId !== userId);
  };
}
