import type { Session } from '../cobrowse/schemas.ts';
import { namedGrant } from '../deliveries/belonging.ts';
import type { GivenLink } from '../links/watch-links.ts';

/** The service's clock may be behind ours by so much. */
const APART_MS = 60_000;

/** What somebody did at a time: a session, or a link of which no session is listed. */
export type Deed = { readonly at: number; readonly visitorId: string | undefined } & (
  | { readonly session: Session }
  | { readonly link: GivenLink }
);

export function startedAt({ started_at }: Session): number {
  return Date.parse(started_at ?? '') || 0;
}

/** Whether one of the sessions is this link's: it names the link, or names none and began before the visitor's next link. */
function isListed({ link, issuedAt }: GivenLink, links: readonly GivenLink[], sessions: readonly Session[]) {
  const later = links
    .filter((other) => other.link.visitorId === link.visitorId && other.issuedAt > issuedAt)
    .map((other) => other.issuedAt - APART_MS);
  const until = Math.min(...later, Number.POSITIVE_INFINITY);
  return sessions.some((session) => {
    const named = namedGrant(session);
    if (named !== undefined) return named === link.linkId;
    const start = startedAt(session);
    return session.visitor_id === link.visitorId && start >= issuedAt - APART_MS && start < until;
  });
}

/** Sessions, and the links that led to none of them, in one list, newest first. */
export function mergeDay(links: readonly GivenLink[], sessions: readonly Session[]): readonly Deed[] {
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
