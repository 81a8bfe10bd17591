import type { Session } from '../cobrowse/schemas.ts';
import type { IssuedLink } from '../links/order.ts';

/** The link whose link the session was started with, where the service gives back what the link was asked for with. */
export const namedGrant = ({ metadata }: Session): string | undefined => metadata?.slack_grant;

/** Whether the session says of itself that it began with another link. */
export function isOfAnother(link: IssuedLink, session: Session): boolean {
  const named = namedGrant(session);
  return named !== undefined && named !== link.linkId;
}

/**
 * Whether the session says of itself that it is this link's: it names it, or names none and is its visitor's. Where it
 * is not, that proves nothing: the document does not say that a session's `visitor_id` is the id that links are asked
 * for with.
 */
export function isOwn(link: IssuedLink, session: Session): boolean {
  const named = namedGrant(session);
  return named === undefined ? session.visitor_id === link.visitorId : named === link.linkId;
}
