import { createNamedClaims } from '../database/named-claims.ts';
import type { Database } from '../database/database.ts';
import { repeat } from '../lifecycle/repeating.ts';
import type { App } from '../parts.ts';
import { createDeleteCommand } from './delete.ts';
import { createOnIt, createOnItPress, removeOldVisitorClaims } from './on-it.ts';
import {
  createOnlineNoticePresses,
  createOnlineRequests,
  createOnlineWatch,
  removeOldOnlineRequests,
} from './online.ts';
import { createFindCommand, createVisitorCommand, type Showing } from './visitor.ts';

interface VisitorsParts {
  readonly showing: Showing;
  readonly onItAndOnline: ReturnType<typeof createOnItAndOnline>;
  readonly taken: Parameters<typeof createOnItPress>[3];
}

export const createVisitors = (
  app: App,
  { showing, onItAndOnline: { onIt, onlineRequests }, taken }: VisitorsParts,
) => ({
  /** Also what a text without a subcommand runs. */
  find: createFindCommand(showing, app.emailOf),
  visitor: createVisitorCommand(showing, [
    createOnItPress(onIt, showing, app.record, taken),
    ...createOnlineNoticePresses(app, showing, onlineRequests),
  ]),
  delete: createDeleteCommand(app),
});

/** Who is on it, of customers who wait for help, and word of customers who come online. */
export function createOnItAndOnline(app: App, report: (error: unknown) => void) {
  const { database, outbox, now, everyMs } = app;
  const requestsIn = (tables: Database) => createOnlineRequests(tables, outbox.newId, now);
  const background = database.inBackground();
  const requests = requestsIn(background);
  const watch = createOnlineWatch({ ...app, requests, claims: createNamedClaims(background, now), report });
  const rounds = repeat((stopping) => watch.round(stopping), everyMs, (everyMs * 2) / 3);
  return {
    onIt: createOnIt(database, now),
    onlineRequests: requestsIn(database),
    start: () => rounds.start(),
    async stop(): Promise<void> {
      await rounds.stop();
      await watch.idle();
    },
    removals: [removeOldVisitorClaims, removeOldOnlineRequests],
  };
}
