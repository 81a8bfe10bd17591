import { IssuedLink, WatchRequest } from '../../src/messages/link-request.ts';
import { createTickets } from '../../src/http/tickets.ts';
import { SECRET_KEY } from './surroundings.ts';
import { createSeal } from './variants/seal.ts';
import type { Link } from './webhook-request.ts';

const HOUR_MS = 3_600_000;

const ticketKind = createTickets([SECRET_KEY]);
const watchTickets = ticketKind('watch', WatchRequest);
const sessionEndTickets = ticketKind('session-end', IssuedLink);
const seal = createSeal(SECRET_KEY);

export const WORKSPACE = 'T0BENCH0001';
/** How many different visitors a history has. */
export const VISITORS = 1_000;
const PEOPLE = 100;

function orderOf(
  person: number,
  visitorId: string,
  channelId: string,
  workspaceId = WORKSPACE,
): WatchRequest {
  const userId = `U0BENCH${String(person).padStart(4, '0')}`;
  return { workspaceId, userId, visitorId, access: 'full', channelId };
}

/** Over all programs that are measured: what one of them asked Slack about a channel stays known to it for a while. */
let batch = 0;

/**
 * Grants of a hundred people, each for a visitor of its own, since for one and the same they would be asked whether to
 * join; and in a channel of its own, since a channel takes one card a second.
 *
 * @param name begins the visitors' ids
 * @param channelId of all of them, where it's given
 */
export function watchGrants(name: string, count: number, channelId?: string): WatchRequest[] {
  batch += 1;
  return Array.from({ length: count }, (_, number) =>
    orderOf(number % PEOPLE, `${name}-${batch}-${number}`, channelId ?? `C0BENCH${batch}X${number}`),
  );
}

/** What is compared where it isn't today's app with itself: a bare program, what one would write without us, and ours. */
export const SIDES = ['raw', 'reference', 'ours'] as const;
export type Side = (typeof SIDES)[number];

/** The tickets of these, as the program of a side reads them. */
export function watchTicketsFor(side: Side, grants: readonly WatchRequest[]): string[] {
  return grants.map((link) =>
    side === 'ours' ? watchTickets.issue(link, HOUR_MS) : seal.close(JSON.stringify(link)),
  );
}

/** Links whose sessions end, so many, over these channels and workspaces in turn. @param name begins the links' ids */
export function linksIn(
  channelIds: readonly string[],
  count: number,
  name = 'link',
  workspaceIds: readonly string[] = [WORKSPACE],
): Link[] {
  return Array.from({ length: count }, (_, number) => {
    const linkId = `${name}-${number}`;
    const channelId = channelIds[number % channelIds.length] ?? '';
    const order = orderOf(0, 'visitor', channelId, workspaceIds[number % workspaceIds.length]);
    return { linkId, ticket: sessionEndTickets.issue({ ...order, linkId }, HOUR_MS) };
  });
}

/** The link that was given for one of these, by the id it was recorded with. */
export const linkOf = (grant: WatchRequest, linkId: string): Link => ({
  linkId,
  ticket: sessionEndTickets.issue({ ...grant, linkId }, HOUR_MS),
});

/** Links of a hundred people, over twenty channels, as the program of a side reads them. */
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
