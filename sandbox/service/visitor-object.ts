import { sessionObject } from './session.ts';
import { isoTime } from './time.ts';
import type { Visitor } from './visitor.ts';
import { isInSession, sessionsWith, type World } from './world.ts';

/** How a visitor is shown: in a list, or alone with its sessions and perhaps its pageviews. */
export interface VisitorView {
  readonly origin: string;
  readonly alone: boolean;
  readonly withHistory: boolean;
}

/** The shop's page for somebody who asked for help. */
const isOnWaitingPage = ({ isOnline, lastUrl }: Visitor): boolean =>
  isOnline && URL.parse(lastUrl ?? '')?.pathname === '/help/waiting';

/** The Visitor object of the document and of the public record beyond it. */
export function visitorObject(world: World, visitor: Visitor, view: VisitorView) {
  const { short_id } = visitor.fields;
  const now = world.now();
  return {
    ...visitor.fields,
    added_at: isoTime(visitor.addedAt),
    is_in_session: isInSession(world, short_id),
    is_online: visitor.isOnline,
    is_waiting_for_call: visitor.fields.is_waiting_for_call || isOnWaitingPage(visitor),
    last_seen_at: isoTime(visitor.isOnline ? now : visitor.lastSeenAt),
    last_url: visitor.lastUrl,
    watch_link: `${view.origin}/dashboard/visitors/${encodeURIComponent(short_id)}`,
    sessions: view.alone ? sessionsWith(world, short_id).map((session) => sessionObject(session, now)) : null,
    history: view.withHistory ? visitor.history : null,
    _type: 'visitor',
  };
}
