import { DatabaseError } from '../database/errors.ts';
import type { Reply, Request, Route } from '../http/server.ts';
import type { TicketKind, TicketReading } from '../http/tickets.ts';
import type { LinkRequest } from '../messages/link-request.ts';
import { removedPage, storeFailurePage } from './pages.ts';

/** A route that a button leads to. */
export interface ButtonRoute extends Omit<Route, 'handle'> {
  /** @param reading what its address holds, where that's a button's ticket */
  handle(incoming: Request, reading: TicketReading<LinkRequest>): Promise<Reply>;
}

/** What all of them have in common: a page says so where the database fails, and where the ticket's workspace has the app no more. */
export const ofButtons =
  (
    tickets: Pick<TicketKind<LinkRequest>, 'read'>,
    isInstalled: (of: LinkRequest) => Promise<boolean>,
    report: (outcome: DatabaseError, request: undefined) => void,
  ) =>
  (route: ButtonRoute): Route => ({
    ...route,
    async handle(incoming) {
      const reading = tickets.read(incoming.parameter);
      try {
        if (reading.state === 'good' && !(await isInstalled(reading.content))) return removedPage;
        return await route.handle(incoming, reading);
      } catch (error) {
        if (!(error instanceof DatabaseError)) throw error;
        report(error, undefined);
        return storeFailurePage(error);
      }
    },
  });
