import type { Session } from '../cobrowse/schemas.ts';
import type { IssuedLink } from '../messages/link-request.ts';

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

/** A session is a few levels deep. JSON of 1 MiB can be too deep to be stringified again. */
const MOST_LEVELS = 64;

/** Whether a value parsed from JSON is nested too deeply to be stored. */
export function isTooDeep(value: unknown, levels = MOST_LEVELS): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1));
}

/** The id becomes a key in the database, which accepts only well-formed text. */
export function hasUsableId({ id }: Pick<Session, 'id'>): boolean {
  return id.isWellFormed();
}
