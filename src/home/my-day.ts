import type { Session } from '../cobrowse/schemas.ts';
import { namedLink } from '../deliveries/belonging.ts';
import type { GivenLink } from '../links/watch-links.ts';

/** How far the service's clock may be behind ours. */
const APART_MS = 60_000;

/** A session, or a link without a listed session. */
export type DayRow = { readonly at: number; readonly visitorId: string | undefined } & (
  | { readonly session: Session }
  | { readonly link: GivenLink }
);

export function startedAt({ started_at }: Session): number {
  return Date.parse(started_at ?? '') || 0;
}

/** Whether one of the sessions belongs to this link: it names the link, or names none and began before the next link. */
function isListed({ link, issuedAt }: GivenLink, links: readonly GivenLink[], sessions: readonly Session[]) {
  const later = links
    .filter((other) => other.link.visitorId === link.visitorId && other.issuedAt > issuedAt)
    .map((other) => other.issuedAt - APART_MS);
  const until = Math.min(...later, Number.POSITIVE_INFINITY);
  return sessions.some((session) => {
    const named = namedLink(session);
    if (named !== undefined) return named === link.linkId;
    const start = startedAt(session);
    return session.visitor_id === link.visitorId && start >= issuedAt - APART_MS && start < until;
  });
}

/** Sessions, and links without one, in one list, newest first. */
export function mergeDay(links: readonly GivenLink[], sessions: readonly Session[]): readonly DayRow[] {
  const alone = links.filter((link) => !isListed(link, links, sessions));
  return [
    ...sessions.map((session) => ({
      at: startedAt(session),
      visitorId: session.visitor_id ?? undefined,
      session,
    })),
    ...alone.map((link) => ({ at: link.issuedAt, visitorId: link.link.visitorId, link })),
  ].toSorted((one, other) => other.at - one.at);
}
