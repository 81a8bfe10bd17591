import { z } from 'zod';
import { sql } from './database.ts';
import type { Database, Sql } from './database.ts';
import { DatabaseError } from './errors.ts';
import { asksTable } from './tables/asks.ts';
import { auditTable } from './tables/audit.ts';
import { claimsTable } from './tables/claims.ts';
import { followUpsTable } from './tables/follow-ups.ts';
import { greetingsTable } from './tables/greetings.ts';
import {
  channelsTable,
  deliveriesTable,
  deliveryMessageIds,
  linkCardsElsewhere,
  linkCardsTable,
  restoresTable,
  unsettledOfSessionEnds,
} from './tables/outbox.ts';
import {
  acceptedSessions,
  claimedSessionEnds,
  postedSummaries,
  agentLooksPlannedElsewhere,
  agentLooksTable,
  sessionEndsTable,
  sessionOwnersTable,
  stoppedSessions,
  stopsTable,
  watchLinkAccounts,
  watchLinkCardsAndLooks,
  watchLinksTable,
} from './tables/sessions.ts';
import { servingTable } from './tables/serving.ts';
import { subscriptionsTable } from './tables/subscriptions.ts';
import { onlineRequestsTable, visitorClaimsTable } from './tables/visitors.ts';
import {
  agentsTable,
  goodUntil,
  lostPressesTable,
  pressActsGivenUp,
  pressActsTable,
  pressesTable,
  ticketUsesTable,
} from './tables/watch.ts';
import { channelsOfAddresses, webhookAddressesTable } from './tables/webhooks.ts';
import { installs, serviceAccountsTable, settingsTable, workspacesTable } from './tables/workspaces.ts';

export type Engine = 'sqlite' | 'postgres';

/**
 * A step from one version of the tables to the next. Its statements run on both engines, except for a few words that
 * `forEngine` replaces. A step that has been committed never changes (`test/database/steps.test.ts`): add one. A step
 * only adds, and what is no longer needed is removed a release later, so that two versions of the app can run side by
 * side.
 */
export const steps: readonly (readonly Sql[])[] = [
  [
    ...workspacesTable,
    ...settingsTable,
    ...agentsTable,
    ...agentLooksTable,
    ...watchLinksTable,
    ...sessionEndsTable,
    ...sessionOwnersTable,
    ...deliveriesTable,
    ...linkCardsTable,
    ...channelsTable,
    ...subscriptionsTable,
    ...auditTable,
    ...stopsTable,
    ...pressesTable,
    ...pressActsTable,
    ...ticketUsesTable,
    ...lostPressesTable,
    ...claimsTable,
    ...visitorClaimsTable,
    ...onlineRequestsTable,
    ...greetingsTable,
  ],
  watchLinkCardsAndLooks,
  pressActsGivenUp,
  [...linkCardsElsewhere, ...agentLooksPlannedElsewhere],
  stoppedSessions,
  [...deliveryMessageIds, ...restoresTable],
  goodUntil,
  acceptedSessions,
  claimedSessionEnds,
  installs,
  [...serviceAccountsTable, ...watchLinkAccounts],
  servingTable,
  [...postedSummaries, ...unsettledOfSessionEnds],
  asksTable,
  followUpsTable,
  [...webhookAddressesTable, ...channelsOfAddresses],
];

/**
 * The oldest version of the app that can work with today's tables. Raise it when a step removes something, or when what an
 * older one finds in them would harm it: before 9, a kind of delivery that it didn't know looked like damage.
 */
const OLDEST_PROGRAM = 9;

/** What each engine calls the same thing. */
const dialects = {
  sqlite: {
    INTEGER64: 'INTEGER',
    GROWING_ID: 'INTEGER PRIMARY KEY AUTOINCREMENT',
    FRACTION: 'REAL',
    ORDERED_TEXT: 'TEXT',
    STRICTLY: 'STRICT',
  },
  postgres: {
    INTEGER64: 'BIGINT',
    GROWING_ID: 'BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
    FRACTION: 'DOUBLE PRECISION',
    // Sorts by code point, as SQLite does, whatever the server's locale is.
    ORDERED_TEXT: 'TEXT COLLATE "C"',
    STRICTLY: '',
  },
} as const satisfies Record<Engine, Record<string, string>>;

export function forEngine({ words, values }: Sql, engine: Engine): Sql {
  const dialect = Object.entries(dialects[engine]);
  const translate = (text: string) =>
    dialect.reduce((before, [ours, theirs]) => before.replaceAll(ours, theirs), text);
  return { words: words.map(translate), values };
}

const Version = z.object({ version: z.number(), oldest_program: z.number() });

/** Finds our version table, or the single table of the very first version. */
const tablesOf = {
  sqlite: sql`SELECT name FROM sqlite_master WHERE type = 'table' AND name IN ('schema_version', 'records')`,
  postgres: sql`SELECT table_name AS name FROM information_schema.tables
    WHERE table_schema = current_schema() AND table_name IN ('schema_version', 'records')`,
} as const satisfies Record<Engine, Sql>;

/** Whether the tables are ours; false if there are none yet. @throws DatabaseError `other-version` (by rejecting) */
async function hasVersion(database: Pick<Database, 'read'>, engine: Engine): Promise<boolean> {
  const tables = await database.read(tablesOf[engine], z.object({ name: z.string() }));
  const isOurs = tables.some(({ name }) => name === 'schema_version');
  // The very first version kept everything in one table, and was never released.
  if (!isOurs && tables.length > 0) throw new DatabaseError('other-version');
  return isOurs;
}

/**
 * Brings the tables up to date, one transaction a step. Several processes may do this at the same time.
 *
 * @throws DatabaseError `other-version` (by rejecting) for tables that this version can't work with
 */
export async function migrate(
  database: Pick<Database, 'read' | 'write' | 'writeIf'>,
  engine: Engine,
): Promise<void> {
  const isOurs = await hasVersion(database, engine);
  if (!isOurs) {
    const create = forEngine(
      sql`CREATE TABLE IF NOT EXISTS schema_version (
        id INTEGER64 PRIMARY KEY, version INTEGER64 NOT NULL, oldest_program INTEGER64 NOT NULL,
        checked INTEGER64 NOT NULL) STRICTLY`,
      engine,
    );
    const begin = sql`INSERT INTO schema_version (id, version, oldest_program, checked) VALUES (1, 0, 1, 0)
      ON CONFLICT DO NOTHING`;
    await database.write(create, begin).catch(async (error: unknown) => {
      // In PostgreSQL, two processes creating the same table can collide; then the other one has created it.
      if (!(await hasVersion(database, engine))) throw error;
    });
  }
  for (;;) {
    const [found] = await database.read(sql`SELECT version, oldest_program FROM schema_version`, Version);
    if (found === undefined || found.oldest_program > steps.length) throw new DatabaseError('other-version');
    const step = steps[found.version];
    if (step === undefined) return;
    const next = found.version + 1;
    await database.writeIf(
      // The second process waits here for the first, and then changes nothing.
      sql`UPDATE schema_version SET version = ${next}, oldest_program = ${Math.min(next, OLDEST_PROGRAM)}
        WHERE version = ${found.version}`,
      ...step.map((statement) => forEngine(statement, engine)),
    );
  }
}
