import type { Audit } from '../audit/audit.ts';
import type { Recording } from '../audit/recording.ts';
import type { MayAct } from '../permissions/acts.ts';
import type { Database } from '../database/database.ts';
import { createNamedClaims } from '../database/named-claims.ts';
import type { PersonalZone } from '../messages/days.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { repeat } from '../lifecycle/repeating.ts';
import { createDeleteCommand } from './delete.ts';
import { createFindCommand } from './find.ts';
import { createOnIt, createOnItPress, removeOldVisitorClaims } from './on-it.ts';
import { createOnlineNoticePresses } from './online-notice.ts';
import { createOnlineRequests, removeOldOnlineRequests } from './online-requests.ts';
import { createOnlineWatch } from './online-watch.ts';
import { createVisitorCommand, type Showing } from './visitor.ts';

/** The commands that find, show and delete visitors, and the buttons of those who wait for help or are away. */
export function createVisitors({
  showing,
  recording,
  waits: { onIt, onlineRequests },
  emailOf,
  profileOf,
  mayAct,
  record,
  now,
}: {
  readonly showing: Showing;
  readonly recording: Pick<Recording, 'search' | 'announced'>;
  readonly waits: Pick<ReturnType<typeof createWaits>, 'onIt' | 'onlineRequests'>;
  /** The email in a Slack profile; undefined if it shows none. */
  readonly emailOf: (workspaceId: string, userId: string) => Promise<string | undefined>;
  readonly profileOf: (workspaceId: string, userId: string) => Promise<PersonalZone>;
  readonly mayAct: MayAct;
  readonly record: Audit['record'];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}) {
  return {
    /** Also what a text without a subcommand runs. */
    find: createFindCommand({ ...showing, emailOf }),
    visitor: createVisitorCommand(showing, [
      createOnItPress(onIt, showing, record),
      ...createOnlineNoticePresses({ ...showing, onlineRequests, profileOf, record, now }),
    ]),
    delete: createDeleteCommand({ mayAct, recording }),
  };
}

/** What people wait for: who is on it, of customers who wait for help, and word of customers who come online. */
export function createWaits({
  database,
  everyMs,
  now,
  ...parts
}: Omit<Parameters<typeof createOnlineWatch>[0], 'requests' | 'claims' | 'outbox'> & {
  readonly database: Database;
  readonly outbox: Outbox;
  /** How often to look, milliseconds. */
  readonly everyMs: number;
  readonly now: () => number;
}) {
  const requestsIn = (tables: Database) => createOnlineRequests(tables, parts.outbox.newId, now);
  const background = database.inBackground();
  const watch = createOnlineWatch({
    ...parts,
    requests: requestsIn(background),
    claims: createNamedClaims(background, now),
  });
  const rounds = repeat((stopping) => watch.round(stopping), everyMs, (everyMs * 2) / 3);
  return {
    onIt: createOnIt(database, now),
    onlineRequests: requestsIn(database),
    start: () => rounds.start(),
    /** Waits for the looks under way. */
    async stop(): Promise<void> {
      await rounds.stop();
      await watch.idle();
    },
    removals: [removeOldVisitorClaims, removeOldOnlineRequests],
  };
}
