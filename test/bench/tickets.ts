import { SessionEndGrant, WatchGrant } from '../../src/grants/grant.ts';
import { createTickets } from '../../src/tickets/tickets.ts';
import type { Side } from './rounds.ts';
import { SECRET_KEY } from './surroundings.ts';
import { createSeal } from './variants/seal.ts';
import type { Link } from './webhook-request.ts';

const HOUR_MS = 3_600_000;

const ticketKind = createTickets([SECRET_KEY]);
const watchTickets = ticketKind('watch', WatchGrant);
const sessionEndTickets = ticketKind('session-end', SessionEndGrant);
const seal = createSeal(SECRET_KEY);

const PEOPLE = 100;

function grantOf(person: number, visitorId: string, channelId: string): WatchGrant {
  const userId = `U0BENCH${String(person).padStart(4, '0')}`;
  return { workspaceId: 'T0BENCH0001', userId, visitorId, power: 'full', channelId };
}

/**
 * Grants of a hundred people, each for a visitor of its own, since for one and the same they would be asked whether to
 * join; and in a channel of its own, since a channel takes one card a second.
 *
 * @param name begins the visitors' ids
 */
export function watchGrants(name: string, count: number): WatchGrant[] {
  return Array.from({ length: count }, (_, number) =>
    grantOf(number % PEOPLE, `${name}-${number}`, `C0BENCH${String(number).padStart(4, '0')}`),
  );
}

/** The tickets of these, as the program of a side reads them. */
export function watchTicketsFor(side: Side, grants: readonly WatchGrant[]): string[] {
  return grants.map((grant) =>
    side === 'ours' ? watchTickets.issue(grant, HOUR_MS) : seal.close(JSON.stringify(grant)),
  );
}

/** Links whose sessions end, so many, over these channels in turn. */
export function backlogLinks(channelIds: readonly string[], count: number): Link[] {
  return Array.from({ length: count }, (_, number) => {
    const grantId = `backlog-${number}`;
    const channelId = channelIds[number % channelIds.length] ?? '';
    return {
      grantId,
      ticket: sessionEndTickets.issue({ ...grantOf(0, 'visitor', channelId), grantId }, HOUR_MS),
    };
  });
}

/** The same of a hundred people, over twenty channels, as the program of a side reads them. */
export function linksFor(side: Side, count: number): Link[] {
  return Array.from({ length: count }, (_, number) => {
    const person = number % PEOPLE;
    const grantId = `grant-${number}`;
    const channelId = `C0BENCH${String(person % 20).padStart(4, '0')}`;
    const grant = { ...grantOf(person, `visitor-${person}`, channelId), grantId };
    const ticket =
      side === 'ours' ? sessionEndTickets.issue(grant, HOUR_MS) : seal.close(JSON.stringify(grant));
    return { grantId, ticket };
  });
}
