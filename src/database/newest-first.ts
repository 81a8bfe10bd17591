import { setImmediate } from 'node:timers/promises';
import { z } from 'zod';
import { join, parseRows, sql, type Database, type Sql } from './database.ts';

const MOST_COUNTED = 1_000;
const PAGE = 500;

/** Listed newest first: by a time, and by `id` within it. Every row has a `workspace_id`. */
interface Listed<Row, Id extends number | string> {
  readonly table: Sql;
  /** Milliseconds since 1970. */
  readonly at: Sql;
  /** Beside `id` and `at`. */
  readonly columns: Sql;
  /** Holds for every row, and leads to the index by time where there is no condition. */
  readonly every: Sql;
  readonly id: z.ZodType<Id>;
  readonly row: z.ZodType<Row>;
}

/** A place between two rows: everything older than it is still to come. `at` is in milliseconds since 1970. */
export interface Position<Id extends number | string> {
  readonly at: number;
  readonly id: Id;
}

/** Undefined if any value will do. */
export const isOneOf = (column: Sql, values: readonly string[]): Sql | undefined =>
  values.length === 0 ? undefined : sql`${column} IN (${join(values)})`;

interface Search<Id extends number | string> {
  readonly workspaceId: string;
  /** All that are given must hold. Each has an index that ends in the time. */
  readonly conditions: readonly (Sql | undefined)[];
  /** Milliseconds since 1970. */
  readonly since: number;
  /** Only what is older than this, if it's given. */
  readonly until: Date | undefined;
  readonly from: Position<Id>;
}

const Tally = z.object({ found: z.number(), apart: z.number() });

export function createNewestFirst<Row, Id extends number | string>(
  database: Pick<Database, 'read' | 'inBackground'>,
  { table, at, columns, every, row, id: Id }: Listed<Row, Id>,
) {
  const Place = z.looseObject({ id: Id, at: z.number() });

  function newest({ workspaceId, conditions, since, until, from }: Search<Id>, limit: number): Sql {
    const given = conditions.filter((condition) => condition !== undefined);
    const older = until === undefined ? [] : [sql`${at} < ${until.getTime()}`];
    return sql`SELECT id, ${at} AS at, ${columns} FROM ${table}
      WHERE workspace_id = ${workspaceId} AND ${at} >= ${since} AND (${at}, id) < (${from.at}, ${from.id})
        AND ${join([...(given.length === 0 ? [every] : given), ...older], ' AND ')}
      ORDER BY ${at} DESC, id DESC LIMIT ${limit}`;
  }

  /** `next` is undefined if there are no older ones. */
  async function page(reading: Pick<Database, 'read'>, search: Search<Id>, limit: number) {
    const rows = await reading.read(newest(search, limit + 1), Place);
    const last = rows.length > limit ? rows[limit - 1] : undefined;
    return { found: parseRows(rows.slice(0, limit), row), next: last && { at: last.at, id: last.id } };
  }

  return {
    page: (search: Search<Id>, limit: number) => page(database, search, limit),
    /** All, page by page, in the background; stops reading when the reader has enough. */
    async *read(search: Search<Id>): AsyncGenerator<Row> {
      for (let next: Position<Id> | undefined = search.from; next !== undefined;) {
        const { found, next: older } = await page(database.inBackground(), { ...search, from: next }, PAGE);
        yield* found;
        next = older;
        // SQLite answers without ever yielding.
        await setImmediate();
      }
    },
    /** Counts the newest matches, and those of them that are counted apart. `isAll` if there are no more. */
    async count(search: Search<Id>, apart: Sql) {
      const [tally] = await database.read(
        sql`SELECT count(*) AS found, COALESCE(SUM(CASE WHEN ${apart} THEN 1 ELSE 0 END), 0) AS apart
          FROM (${newest(search, MOST_COUNTED)}) AS newest`,
        Tally,
      );
      const { found = 0, apart: counted = 0 } = tally ?? {};
      return { others: found - counted, apart: counted, isAll: found < MOST_COUNTED };
    },
  };
}
