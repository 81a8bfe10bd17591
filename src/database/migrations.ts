import { z } from 'zod';
import { DatabaseError, Sql, sql, type Database, type Opening } from './database.ts';
import { steps, type Step } from './steps.ts';

export type Engine = 'sqlite' | 'postgres';

export const statementsOf = (step: Step): readonly Sql[] => ('oneWay' in step ? step.statements : step);

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

/**
 * Brings the tables up to date, one transaction a step. Several processes may do this at the same time.
 * @throws DatabaseError (by rejecting) `other-version` for tables that this version can't work with; `one-way`, having
 *   changed nothing, where it isn't allowed to do what can't be undone
 */
export async function migrate(
  database: Pick<Database, 'read' | 'write' | 'writeIf'>,
  engine: Engine,
  { mayBeOneWay = false }: Pick<Opening, 'mayBeOneWay'> = {},
  known: readonly Step[] = steps,
): Promise<void> {
  const readVersion = () => database.read(sql`SELECT version, oldest_program FROM schema_version`, Version);
  const create = forEngine(
    sql`CREATE TABLE IF NOT EXISTS schema_version (
      id INTEGER64 PRIMARY KEY, version INTEGER64 NOT NULL, oldest_program INTEGER64 NOT NULL,
      checked INTEGER64 NOT NULL) STRICTLY`,
    engine,
  );
  const begin = sql`INSERT INTO schema_version (id, version, oldest_program, checked) VALUES (1, 0, 1, 0)
    ON CONFLICT DO NOTHING`;
  // A new database has no such table.
  await readVersion()
    .catch(() => database.write(create, begin))
    .catch((error: unknown) =>
      // In PostgreSQL, two processes creating the same table can collide; then the other one has created it.
      readVersion().catch(() => {
        throw error;
      }),
    );
  for (;;) {
    const [found] = await readVersion();
    if (found === undefined || found.oldest_program > known.length) throw new DatabaseError('other-version');
    const { version } = found;
    if (version >= known.length) return;
    const oneWay = known.flatMap((step, index) =>
      index >= version && 'oneWay' in step ? [`step ${index + 1}: ${step.oneWay}`] : [],
    );
    if (version > 0 && oneWay.length > 0 && !mayBeOneWay)
      throw new DatabaseError('one-way', new Error(oneWay.join('; ')));
    // New tables are made at once: between two steps, another process would take them for an older program's.
    const next = version === 0 ? known.length : version + 1;
    // The oldest program that can work with the tables then, by how many steps it knows.
    const oldest = Math.max(1, known.slice(0, next).findLastIndex((step) => 'oneWay' in step) + 1);
    await database.writeIf(
      // The second process waits here for the first, and then changes nothing.
      sql`UPDATE schema_version SET version = ${next}, oldest_program = ${oldest} WHERE version = ${version}`,
      ...known
        .slice(version, next)
        .flatMap(statementsOf)
        .map((statement) => forEngine(statement, engine)),
    );
  }
}
