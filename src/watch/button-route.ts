import type { Bursts } from '../lifecycle/bursts.ts';
import { DatabaseError } from '../database/errors.ts';
import type { Reply, Request, Route } from '../http/server.ts';
import type { LinkRequest } from '../messages/link-request.ts';
import type { TicketKind, TicketReading } from '../http/tickets.ts';
import { removedPage, storeFailurePage } from './pages.ts';

/** A route that a button leads to. */
export interface ButtonRoute extends Omit<Route, 'handle'> {
  /** @param reading what its address holds, where that's a button's ticket */
  handle(incoming: Request, reading: TicketReading<LinkRequest>): Promise<Reply>;
}

/**
 * What all of them have in common: its ticket is read once everything that comes with it is taken in, cards wait for its
 * page, and a page says so where the database fails, and where the ticket's workspace has the app no more.
 */
export const ofButtons =
  ({
    tickets,
    isInstalled,
    asPage,
    report,
  }: {
    readonly tickets: Pick<TicketKind<LinkRequest>, 'read'>;
    readonly isInstalled: (of: LinkRequest) => Promise<boolean>;
    readonly asPage: Bursts['asPage'];
    readonly report: (outcome: DatabaseError, request: undefined) => void;
  }) =>
  (route: ButtonRoute): Route => ({
    ...route,
    handle: (incoming) =>
      asPage(async () => {
        const reading = tickets.read(incoming.parameter);
        try {
          if (reading.state === 'good' && !(await isInstalled(reading.content))) return removedPage;
          return await route.handle(incoming, reading);
        } catch (error) {
          if (!(error instanceof DatabaseError)) throw error;
          report(error, undefined);
          return storeFailurePage(error);
        }
      }),
  });
