import { SessionEndGrant, WatchGrant } from '../../src/grants/grant.ts';
import { createTickets } from '../../src/tickets/tickets.ts';
import type { Side } from './rounds.ts';
import { SECRET_KEY } from './surroundings.ts';
import { createSeal } from './variants/seal.ts';

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

/** Tickets of a hundred people for a visitor, as the program of a side reads them. */
export function watchTicketsFor(side: Side, visitorId: string): string[] {
  return people.map((person) => {
    const grant = grantOf(person, visitorId);
    return side === 'ours' ? watchTickets.issue(grant, HOUR_MS) : seal.close(JSON.stringify(grant));
  });
}

/** Of ended sessions, one for each of these channels. */
export function backlogTicketsFor(channelIds: readonly string[]): string[] {
  return channelIds.map((channelId, number) =>
    sessionEndTickets.issue({ ...grantOf(0, 'visitor'), channelId, grantId: `backlog-${number}` }, HOUR_MS),
  );
}

/** The same for ended sessions, over twenty channels. */
export function sessionEndTicketsFor(side: Side): string[] {
  return people.map((person) => {
    const grant = { ...grantOf(person, `visitor-${person}`), grantId: `grant-${person}` };
    return side === 'ours' ? sessionEndTickets.issue(grant, HOUR_MS) : seal.close(JSON.stringify(grant));
  });
}
