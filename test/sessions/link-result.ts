import type { IssuedLink } from '../../src/messages/link-request.ts';
import type { WatchLinks } from '../../src/sessions/watch-links.ts';

/** What became of a link of the last seven days, as Home shows it. */
export async function resultOf(
  links: Pick<WatchLinks, 'of'>,
  { workspaceId, userId, linkId }: Pick<IssuedLink, 'workspaceId' | 'userId' | 'linkId'>,
) {
  const latest = await links.of(workspaceId, userId, 100);
  return latest.find(({ link }) => link.linkId === linkId)?.result;
}
