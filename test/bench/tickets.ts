import { IssuedLink, WatchOrder } from '../../src/links/order.ts';
import { createTickets } from '../../src/tickets/tickets.ts';
import type { Side } from './rounds.ts';
import { SECRET_KEY } from './surroundings.ts';
import { createSeal } from './variants/seal.ts';
import type { Link } from './webhook-request.ts';

const HOUR_MS = 3_600_000;

const ticketKind = createTickets([SECRET_KEY]);
const watchTickets = ticketKind('watch', WatchOrder);
const sessionEndTickets = ticketKind('session-end', IssuedLink);
const seal = createSeal(SECRET_KEY);

const PEOPLE = 100;

function orderOf(person: number, visitorId: string, channelId: string): WatchOrder {
  const userId = `U0BENCH${String(person).padStart(4, '0')}`;
  return { workspaceId: 'T0BENCH0001', userId, visitorId, access: 'full', channelId };
}

/**
 * Grants of a hundred people, each for a visitor of its own, since for one and the same they would be asked whether to
 * join; and in a channel of its own, since a channel takes one card a second.
 *
 * @param name begins the visitors' ids
 */
export function watchGrants(name: string, count: number): WatchOrder[] {
  return Array.from({ length: count }, (_, number) =>
    orderOf(number % PEOPLE, `${name}-${number}`, `C0BENCH${String(number).padStart(4, '0')}`),
  );
}

/** The tickets of these, as the program of a side reads them. */
export function watchTicketsFor(side: Side, grants: readonly WatchOrder[]): string[] {
  return grants.map((link) =>
    side === 'ours' ? watchTickets.issue(link, HOUR_MS) : seal.close(JSON.stringify(link)),
  );
}

/** Links whose sessions end, so many, over these channels in turn. */
export function backlogLinks(channelIds: readonly string[], count: number): Link[] {
  return Array.from({ length: count }, (_, number) => {
    const linkId = `backlog-${number}`;
    const channelId = channelIds[number % channelIds.length] ?? '';
    return {
      linkId,
      ticket: sessionEndTickets.issue({ ...orderOf(0, 'visitor', channelId), linkId }, HOUR_MS),
    };
  });
}

/** The same of a hundred people, over twenty channels, as the program of a side reads them. */
export function linksFor(side: Side, count: number): Link[] {
  return Array.from({ length: count }, (_, number) => {
    const person = number % PEOPLE;
    const linkId = `grant-${number}`;
    const channelId = `C0BENCH${String(person % 20).padStart(4, '0')}`;
    const link = { ...orderOf(person, `visitor-${person}`, channelId), linkId };
    const ticket =
      side === 'ours' ? sessionEndTickets.issue(link, HOUR_MS) : seal.close(JSON.stringify(link));
    return { linkId, ticket };
  });
}
