import type { Session } from '../cobrowse/schemas.ts';
import type { IssuedLink } from '../links/order.ts';

/** The link that the session was started with, if the service returns the metadata the link was requested with. */
export const namedLink = ({ metadata }: Session): string | undefined => metadata?.slack_link;

/** Whether the session itself says it began with another link. */
export function isOfAnother(link: IssuedLink, session: Session): boolean {
  const named = namedLink(session);
  return named !== undefined && named !== link.linkId;
}

/**
 * Whether the session itself says it belongs to this link: it names the link, or names none and has the same visitor.
 * If it doesn't, that proves nothing: the document doesn't promise that a session's `visitor_id` is the id that links
 * are requested with.
 */
export function isOwn(link: IssuedLink, session: Session): boolean {
  const named = namedLink(session);
  return named === undefined ? session.visitor_id === link.visitorId : named === link.linkId;
}
