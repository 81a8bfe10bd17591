import type { PressGrant } from '../grants/grant.ts';
import type { LinkInUse, WatchLinks } from '../grants/watch-links.ts';

/** So long after a link was given, somebody else is told of it first. */
const RECENT_MS = 30 * 60 * 1_000;

/** The latest link to the same screen that somebody else was given a short while ago, and whose session may still run. */
export type OthersLink = (grant: PressGrant) => Promise<LinkInUse | undefined>;

/** @param now milliseconds since 1970 */
export function createOthersLink(links: Pick<WatchLinks, 'inUse'>, now: () => number): OthersLink {
  return async function othersLink(grant) {
    if ('proxy' in grant) return undefined;
    const { workspaceId, visitorId, userId } = grant;
    const inUse = await links.inUse(workspaceId, visitorId, now() - RECENT_MS);
    return inUse.find((link) => link.userId !== userId);
  };
}
