import { z } from 'zod';
import { Sql, sql, type Database, type Opening } from './database.ts';
import { DatabaseError } from './errors.ts';
import { asksTable, channelAsks } from './tables/asks.ts';
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
  noRechecks,
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
  ticketLinks,
  watchLinkAccounts,
  watchLinkHashes,
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
import {
  channelsOfAddresses,
  webhookAddressesTable,
  webhookMessagesTable,
  workedAddresses,
} from './tables/webhooks.ts';
import {
  installs,
  serviceAccountsTable,
  settingsTable,
  workspacesTable,
  goneWorkspaces,
} from './tables/workspaces.ts';

export type Engine = 'sqlite' | 'postgres';

/** After it, no program from before it can work with the tables. `oneWay` says why, to whoever starts this one. */
interface OneWayStep {
  readonly oneWay: string;
  readonly statements: readonly Sql[];
}

/**
 * A step from one version of the tables to the next. Its statements run on both engines, except for a few words that
 * `forEngine` replaces. A step that has been committed never changes (`test/database/steps.test.ts`): add one. A step
 * only adds, and what is no longer needed is removed a release later, so that two versions of the app can run side by
 * side, and the one before can take over again. Where that can't be, because it removes something or because an older
 * program would be harmed by what this one writes, it's one-way.
 */
export type Step = readonly Sql[] | OneWayStep;

export const statementsOf = (step: Step): readonly Sql[] => ('oneWay' in step ? step.statements : step);

/** All steps, in order: the version of the tables is how many of them have run. */
export const steps: readonly Step[] = [
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
  {
    oneWay: 'the version before takes posts of kinds that it doesn’t know for damage',
    statements: claimedSessionEnds,
  },
  installs,
  [...serviceAccountsTable, ...watchLinkAccounts],
  servingTable,
  [...postedSummaries, ...unsettledOfSessionEnds],
  asksTable,
  followUpsTable,
  ticketLinks,
  channelAsks,
  goneWorkspaces,
  [...webhookAddressesTable, ...channelsOfAddresses],
  workedAddresses,
  watchLinkHashes,
  {
    oneWay: 'the version before looks for outgoing webhooks elsewhere',
    statements: [...webhookMessagesTable, ...noRechecks],
  },
];

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

export function forEngine({ strings, values }: Sql, engine: Engine): Sql {
  const dialect = Object.entries(dialects[engine]);
  const translate = (text: string) =>
    dialect.reduce((before, [ours, theirs]) => before.replaceAll(ours, theirs), text);
  return new Sql(strings.map(translate), values);
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

/** The oldest program, by how many steps it knows, that can work with the tables after so many steps. */
const oldestProgram = (known: readonly Step[], version: number): number =>
  Math.max(1, known.slice(0, version).findLastIndex((step) => 'oneWay' in step) + 1);

/** Those of the steps still to be run after which nobody can go back. */
const oneWaySteps = (known: readonly Step[], version: number): readonly string[] =>
  known.flatMap((step, index) =>
    index >= version && 'oneWay' in step ? [`step ${index + 1}: ${step.oneWay}`] : [],
  );

/**
 * Brings the tables up to date, one transaction a step. Several processes may do this at the same time.
 *
 * @param known those of this program; tests have others
 * @throws DatabaseError (by rejecting) `other-version` for tables that this version can't work with; `one-way`, having
 *   changed nothing, where it isn't allowed to do what can't be undone
 */
export async function migrate(
  database: Pick<Database, 'read' | 'write' | 'writeIf'>,
  engine: Engine,
  { mayBeOneWay = false }: Pick<Opening, 'mayBeOneWay'> = {},
  known: readonly Step[] = steps,
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
    if (found === undefined || found.oldest_program > known.length) throw new DatabaseError('other-version');
    const { version } = found;
    if (version >= known.length) return;
    const oneWay = oneWaySteps(known, version);
    if (version > 0 && oneWay.length > 0 && !mayBeOneWay)
      throw new DatabaseError('one-way', new Error(oneWay.join('; ')));
    // New tables are made at once: between two steps, another process would take them for those of an older program.
    const next = version === 0 ? known.length : version + 1;
    await database.writeIf(
      // The second process waits here for the first, and then changes nothing.
      sql`UPDATE schema_version SET version = ${next}, oldest_program = ${oldestProgram(known, next)}
        WHERE version = ${version}`,
      ...known
        .slice(version, next)
        .flatMap(statementsOf)
        .map((statement) => forEngine(statement, engine)),
    );
  }
}
