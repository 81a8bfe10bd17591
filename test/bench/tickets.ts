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

function grantOf(person: number, visitorId: string): WatchGrant {
  return {
    workspaceId: 'T0BENCH0001',
    userId: `U0BENCH${String(person).padStart(4, '0')}`,
    visitorId,
    power: 'full',
    channelId: `C0BENCH${String(person % 20).padStart(4, '0')}`,
  };
}

const people = Array.from({ length: 100 }, (_, person) => person);

/** Tickets of a hundred people, each for a visitor of their own: for one and the same they would be asked whether to join. */
export function watchTicketsFor(side: Side, visitorId: string): string[] {
  return people.map((person) => {
    const grant = grantOf(person, `${visitorId}-${person}`);
    return side === 'ours' ? watchTickets.issue(grant, HOUR_MS) : seal.close(JSON.stringify(grant));
  });
}

/** Links whose sessions end, so many, over these channels in turn. */
export function backlogLinks(channelIds: readonly string[], count: number): Link[] {
  return Array.from({ length: count }, (_, number) => {
    const grantId = `backlog-${number}`;
    const channelId = channelIds[number % channelIds.length];
    return {
      grantId,
      ticket: sessionEndTickets.issue({ ...grantOf(0, 'visitor'), channelId, grantId }, HOUR_MS),
    };
  });
}

/** The same of a hundred people, over twenty channels, as the program of a side reads them. */
export function linksFor(side: Side, count: number): Link[] {
  return Array.from({ length: count }, (_, number) => {
    const person = number % people.length;
    const grantId = `grant-${number}`;
    const grant = { ...grantOf(person, `visitor-${person}`), grantId };
    const ticket =
      side === 'ours' ? sessionEndTickets.issue(grant, HOUR_MS) : seal.close(JSON.stringify(grant));
    return { grantId, ticket };
  });
}
